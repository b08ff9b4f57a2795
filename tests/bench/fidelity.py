#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""Hold the probe against the tools that people know.

In the same guest, the same boot and on the same disk, Debian's hdparm,
bonnie++ and dd measure beside our workloads; who comes first alternates from
boot to boot.  What counts is the ratio of the two in one boot; reported are
the median over the boots and their spread.
"""

import argparse
import json
import os
import pathlib
import shutil
import sqlite3
import statistics
import subprocess
import sys
import tempfile

TOP = pathlib.Path(__file__).resolve().parents[2]
DEMO = TOP / "build/demo"
BENCH = TOP / "build/bench"
FRAGMENTS = ["qemu", "btrfs", "nvme", "usb", "userspace", "virtio", "xfs"]

HDPARM = r"""{hdparm} {flags} $FIRSTBAD_DEV | awk '/ MB in /{print "rate=" $(NF-1)}'"""
BONNIE = (r"""{bonnie} -d . -u root -q -f -n 0 -r 128 -s $FIRSTBAD_FILE_MIB | awk -F, '{"""
          r"""print "block_write=" $12/1024; print "rewrite=" $14/1024; print "block_read=" $18/1024; """
          r"""if ($20 + 0) print "seeks=" $20}'""")
DD = (r"""{dd} if=/dev/zero of=dd.tmp bs=1024 count=$((FIRSTBAD_FILE_MIB*1024)) 2>&1 | awk '"""
      r"""/copied/{for (i = 1; i < NF; i++) if ($(i+1) == "s,") print "rate=" $1/$i/1e6}'; rm -f dd.tmp""")


# The guest's shell is busybox, which has a dd and an hdparm of its own: paths.
PATHS = {"{hdparm}": "hdparm", "{bonnie}": "bonnie++", "{dd}": "dd"}


def command(name, script, mount):
    for mark, program in PATHS.items():
        script = script.replace(mark, which(program))
    return {"name": name, "run": ["sh", "-c", script], "mount": mount, "timeout": 170}


def which(program):
    return shutil.which(program, path=os.environ["PATH"] + ":/usr/sbin:/sbin")


COMMANDS = [
    command("hdparmt", HDPARM.replace("{flags}", "-t"), False),
    command("hdparmd", HDPARM.replace("{flags}", "-t --direct"), False),
    command("hdparmT", HDPARM.replace("{flags}", "-T"), False),
    command("bonniepp", BONNIE, True),
    command("coreutilsdd", DD, True),
    # What the one tool left in the page cache is not to be in the other's way.
    command("reset", "rm -f firstbad.tmp; echo 3 > /proc/sys/vm/drop_caches; echo done=1", True),
]

# What is compared: our metric, theirs, and the bounds that must hold.
HDPARM_PAIRS = [
    ("hdparm.buffered_read", "hdparmt.rate", "hdparm -t", .97, 1.03),
    ("hdparm.direct_read", "hdparmd.rate", "hdparm -t --direct", .97, 1.03),
    ("hdparm.cached_read", "hdparmT.rate", "hdparm -T", .97, 1.03),
]
BONNIE_PAIRS = [
    ("bonnie.block_write", "bonniepp.block_write", "bonnie++ block write", .95, 1.05),
    ("bonnie.rewrite", "bonniepp.rewrite", "bonnie++ rewrite", .95, 1.05),
    ("bonnie.block_read", "bonniepp.block_read", "bonnie++ block read", .95, 1.05),
    ("bonnie.seeks", "bonniepp.seeks", "bonnie++ seeks", .95, 1.05),
]
DD_PAIRS = [("dd.write", "coreutilsdd.rate", "dd bs=1024", .95, 1.05)]


class Lab:
    """Boots of one kernel, by firstbad itself, and what they measured."""

    def __init__(self):
        facts = json.loads((DEMO / "history/seed31.git/firstbad-demo.json").read_text())
        self.revision = facts["good"]
        self.dir = pathlib.Path(tempfile.mkdtemp(prefix="firstbad-bench-"))
        self.overlay = BENCH / "overlay"
        BENCH.mkdir(parents=True, exist_ok=True)
        subprocess.run([TOP / "tests/bench/overlay.sh", self.overlay,
                        "hdparm", "bonnie++", "dd"], check=True)
        self.delivered = []  # claimed and delivered bytes of every read

    def boot(self, workloads, bus="ahci", profile="none", clock="auto", boot_only=False,
             tools=True, **more):
        """One boot; its metrics by name."""
        config = {
            "repo": str(DEMO / "linux.git"),
            "metric": next((w for w in workloads if "." in w), "read.rate"),
            "build": {"kconfig": FRAGMENTS},
            "machine": {"memory_mib": 128, "clock": clock},
            # Large enough for direct reads of more than a second.
            "disks": [{"name": "disk0", "bus": bus, "profile": profile, "size_mib": 8192}],
            "overlay": [str(self.overlay)] if tools else [],
            "commands": COMMANDS if tools else [],
            "workloads": workloads or ["read"],
            "file_mib": 256,
            **more,
        }
        path = self.dir / "config.json"
        path.write_text(json.dumps(config))
        state = self.dir / "state"
        out = subprocess.run(
            [TOP / "build/firstbad", "run", self.revision, "--config", path, "--state", state,
             "--json", "--quiet"] + (["--boot-only"] if boot_only else []),
            stdout=subprocess.PIPE, text=True, check=False)
        result = json.loads(out.stdout)["boots"][0] if out.stdout else {"outcome": "error"}
        if result["outcome"] != "measured":
            sys.exit(f"fidelity: a boot ended as {result}")
        with sqlite3.connect(state / "results.db") as db:
            self.delivered += db.execute(
                """SELECT p.window, p.value, b.value FROM evidence p
                   JOIN evidence b ON b.boot = p.boot AND b.window = p.window
                   AND b.source = 'blockstats' AND b.key = 'rd_bytes'
                   WHERE p.source = 'probe' AND p.key = 'bytes' AND p.boot =
                   (SELECT max(id) FROM boots)""").fetchall()
            result["evidence"] = {
                f"{w}.{s}.{k}": v for w, s, k, v in db.execute(
                    "SELECT window, source, key, value FROM evidence WHERE boot = "
                    "(SELECT max(id) FROM boots)")}
            result["settings"] = {
                f"{s}.{k}": v for s, k, v in db.execute(
                    "SELECT subject, key, value FROM settings WHERE boot = "
                    "(SELECT max(id) FROM boots)")}
        return result


def cv(values):
    """Coefficient of variation, percent."""
    return 100 * statistics.stdev(values) / statistics.mean(values)


def ours(metrics, name):
    """What came from a cache has another name; the tools call it the same."""
    return metrics.get(name, metrics.get(name + ".from_cache"))


class Table:
    def __init__(self, path):
        self.path, self.lines, self.failed = path, [], 0

    def say(self, text=""):
        print(text, flush=True)
        self.lines.append(text)

    def row(self, cells, holds):
        self.failed += not holds
        self.say("| " + " | ".join(cells) + (" | yes |" if holds else " | **no** |"))

    def write(self):
        self.path.write_text("\n".join(self.lines) + "\n")


def compare(lab, table, boots, what, pairs, workloads, commands, **machine):
    """Ratios of one set of tools on one machine, order alternated."""
    ratios = {p[0]: [] for p in pairs}
    for i in range(boots):
        first, second = (workloads, commands) if i % 2 == 0 else (commands, workloads)
        order = first + ["reset"] + second if "keep_cache" in machine else first + second
        metrics = lab.boot(order, **machine)["metrics"]
        for mine, theirs, *_ in pairs:
            if ours(metrics, mine) and metrics.get(theirs):
                ratios[mine].append(ours(metrics, mine) / metrics[theirs])
    for mine, _, title, low, high in pairs:
        r = ratios[mine]
        if len(r) < 2:
            table.row([title, what, "-", "-", f"{low}..{high}"], False)
            continue
        m = statistics.median(r)
        table.row([title, what, f"{m:.3f}", f"{min(r):.3f}..{max(r):.3f} of {len(r)}",
                   f"{low}..{high}"], low <= m <= high)


def fidelity(lab, table, boots, only):
    def compare_if(what, pairs, *args, **machine):
        if only in pairs[0][2]:
            compare(lab, table, boots, what, pairs, *args, **machine)

    table.say("| tool | disk | ours / theirs, median | spread | asked | holds |")
    table.say("| --- | --- | --- | --- | --- | --- |")
    for what, machine in (("unthrottled, instruction clock", {}),
                          ("sata-2007, host clock", {"profile": "sata-2007"})):
        compare_if(what, HDPARM_PAIRS, [p[0] for p in HDPARM_PAIRS],
                   ["hdparmt", "hdparmd", "hdparmT"], **machine)
    for what, machine, pairs in (
            # 8192 seeks take bonnie++ less than the half second below which
            # it prints no figure, unless the disk is slow.
            ("unthrottled, instruction clock", {"file_mib": 512}, BONNIE_PAIRS[:3]),
            ("sata-2007, host clock", {"profile": "sata-2007"}, BONNIE_PAIRS)):
        compare_if(what, pairs, [p[0] for p in pairs], ["bonniepp"], keep_cache=True, **machine)
    compare_if("unthrottled, instruction clock", DD_PAIRS, ["dd.write"], ["coreutilsdd"],
               keep_cache=True)


def noise(lab, table, boots):
    """CV of a buffered read with two busy loops on the host, and without."""
    table.say("\n| hdparm.buffered_read | instruction clock | host clock | asked | holds |")
    table.say("| --- | --- | --- | --- | --- |")
    for busy in (True, False):
        loops = [subprocess.Popen(["sh", "-c", "while :; do :; done"]) for _ in range(2 * busy)]
        values = {"icount": [], "host": []}
        try:
            for _ in range(boots):
                for clock, list_ in values.items():
                    b = lab.boot(["hdparm.buffered_read"], clock=clock, tools=False,
                                 read_seconds=1)
                    list_.append(b["metrics"]["hdparm.buffered_read"])
        finally:
            for p in loops:
                p.kill()
                p.wait()
        a, b = cv(values["icount"]), cv(values["host"])
        table.row([f"CV over {boots} boots, " + ("two busy loops" if busy else "idle"),
                   f"{a:.2f} %", f"{b:.2f} % ({b / a:.0f} times)",
                   "<= 2 %, 8 times less" if busy else "-"],
                  not busy or (a <= 2 and b >= 8 * a))


def small_things(lab, table):
    table.say("\n| what | measured | asked | holds |")
    table.say("| --- | --- | --- | --- |")
    reads = [(c, d) for w, c, d in lab.delivered
             if c > 0 and w.split(".")[0] in ("hdparm", "read", "bonnie")
             and not w.endswith(("cached_read", "write", "seeks"))]
    off = [abs(d / c - 1) for c, d in reads]
    cold = [x for x in off if x <= .02]
    table.row(["bytes claimed against bytes delivered by the disk",
               f"{len(reads)} reads, {len(cold)} within 2 %, worst of them {100 * max(cold):.2f} %",
               "equal, or flagged"], all(x <= .02 or c > d for x, (c, d) in zip(off, reads)))
    warm = lab.boot(["hdparm.buffered_read", "bonnie.block_read"], tools=False, keep_cache=True,
                    file_mib=32, read_seconds=1)["metrics"]
    table.row(["a file in the page cache", "flagged as " + ", ".join(
        sorted(m for m in warm if m.endswith(".from_cache"))),
               "no figure under the plain name"],
              "bonnie.block_read" not in warm and "bonnie.block_read.from_cache" in warm)
    b = lab.boot([], tools=False, boot_only=True)
    spent = b["evidence"]["boot.clock.done_seconds"] - b["evidence"]["boot.clock.init_seconds"]
    table.row(["PID 1 to its last word, without workloads", f"{spent:.3f} s of guest time",
               "<= 0.3 s"], spent <= .3)
    size = int(b["settings"]["machine.initramfs_bytes"])
    table.row(["initramfs with the probe", f"{size / 1024:.0f} KiB", "<= 200 KiB"],
              size <= 200 * 1024)


def main():
    p = argparse.ArgumentParser()
    p.add_argument("--boots", type=int, default=8)
    p.add_argument("--noise-boots", type=int, default=10)
    p.add_argument("--only", default="", help="tools whose name has this in it")
    p.add_argument("--output", type=pathlib.Path, default=TOP / "tests/bench/fidelity.md")
    args = p.parse_args()
    lab, table = Lab(), Table(args.output)
    machine = lab.boot([], tools=False, boot_only=True)
    table.say(f"Ours against the tools, {args.boots} boots each ({machine['machine']}).\n")
    # The host's page cache is to be as warm for the first as for the last.
    lab.boot(["hdparm.direct_read"], tools=False, read_seconds=10)
    fidelity(lab, table, args.boots, args.only)
    if args.only:
        return 1 if table.failed else 0
    noise(lab, table, args.noise_boots)
    small_things(lab, table)
    table.write()
    return 1 if table.failed else 0


if __name__ == "__main__":
    sys.exit(main())
