#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""A real history against git: speed, weights, and whole bisections.

usage: graph.py REPO GOOD BAD [--runs N] [--bisections N]

Writes tests/bench/graph.md.  Processor time; git and ours in one run, in turn.
The repository gets a commit-graph file when it has none.
"""
import argparse
import resource
import statistics
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent.parent
BENCH = ROOT / "build/tests/bench/fb_bench_graph"
WEIGHTS = ROOT / "build/tests/oracle/oracle_weights"


def output(*command: str) -> list[str]:
    return subprocess.run(command, capture_output=True, text=True, check=True).stdout.splitlines()


def cpu(*command: str) -> float:
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    output(*command)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


def figures(repo: str, good: str, bad: str) -> dict[str, float]:
    rows = (line.split() for line in output(str(BENCH), repo, good, bad))
    return {key: float(value) for key, value in rows}


def spread(values: list[float], unit: float = 1) -> str:
    low, high = min(values) * unit, max(values) * unit
    return f"{statistics.median(values) * unit:.3g} ({low:.3g}..{high:.3g})"


def speed(repo: str, good: str, bad: str, runs: int) -> list[str]:
    ours, git = [], []
    for _ in range(runs):
        ours.append(figures(repo, good, bad))
        git.append(cpu("git", "-C", repo, "rev-list", "--bisect", bad, f"^{good}"))
    column = {key: [f[key] for f in ours] for key in ours[0]}
    first = [a + b for a, b in zip(column["load"], column["first"])]
    ratio = [g / f for g, f in zip(git, first)]
    rss = max(column["rss"]) / 1024
    later = max(column["later"]) * 1000
    n = int(column["commits"][0])
    least = 8 if n > 200000 else 1

    def row(what: str, measured: str, asked: str, holds: bool) -> str:
        return f"| {what} | {measured} | {asked} | {'yes' if holds else '**no**'} |"

    update = 100 if n > 15500 else 30
    return [
        f"`{good}..{bad}`, {n} commits, {runs} runs:", "",
        "| what | measured | asked | holds |", "| --- | --- | --- | --- |",
        row("load and first choice, s", spread(first), "<= 2", max(first) <= 2),
        row("`git rev-list --bisect`, s", spread(git), "-", True),
        row("git / ours", spread(ratio), f">= {least}", min(ratio) >= least),
        row("slowest later update and choice, ms", f"{later:.1f}", f"<= {update}", later <= update),
        row("peak memory, MiB", f"{rss:.0f}", "<= 500", rss <= 500), ""]


def same_weights(repo: str, good: str, bad: str, *paths: str) -> str:
    git = set()
    for line in output("git", "-C", repo, "rev-list", "--bisect-all", bad, f"^{good}", "--", *paths):
        oid, rest = line.split(" ", 1)
        git.add(f"{oid} {rest.rsplit('dist=', 1)[1].rstrip(')')}")
    ours = set(output(str(WEIGHTS), repo, good, bad, *paths))
    what = f"`{good}..{bad}{' -- ' + ' '.join(paths) if paths else ''}`"
    differ = len(git ^ ours)
    return f"| distances of {what} | {len(git)} commits, {differ} differ | 0 | {'yes' if not differ else '**no**'} |"


def bisections(repo: str, good: str, bad: str, n: int) -> list[str]:
    wrong = worse = choices = tests = 0
    for line in output(str(BENCH), repo, good, bad, str(n)):
        word, *rest = line.split()
        if word == "bisect":
            wrong += rest[0] != rest[1]
        elif word == "choose":
            distance, best, left = (int(v) for v in rest[1:])
            tests += 1
            # git itself is content with |2w - n| <= 1 or below n / 1024.
            if left > 2:
                choices += 1
                worse += best - distance > max(1, left / 1024)
    return [f"| {n} bisections of `{good}..{bad}` without noise | {wrong} wrong, {tests / n:.1f} commits tested each "
            f"| 0 wrong | {'yes' if not wrong else '**no**'} |",
            f"| choices whose distance is not in git's best class | {worse} of {choices} | 0 "
            f"| {'yes' if not worse else '**no**'} |"]


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("repo")
    parser.add_argument("good")
    parser.add_argument("bad")
    parser.add_argument("--runs", type=int, default=5)
    parser.add_argument("--bisections", type=int, default=20)
    parser.add_argument("--smaller", nargs="*", default=[], help="GOOD..BAD of ranges inside, with their weights")
    parser.add_argument("--paths", nargs="*", default=["block", "drivers/ata"])
    args = parser.parse_args()
    objects = output("git", "-C", args.repo, "rev-parse", "--git-path", "objects")[0]
    if not (Path(args.repo) / objects / "info/commit-graph").exists():
        output("git", "-C", args.repo, "commit-graph", "write", "--reachable")
    version = output("git", "--version")[0]
    lines = [f"A real history against {version}, with a commit-graph file. Processor time, median and spread.", ""]
    lines += speed(args.repo, args.good, args.bad, args.runs)
    for span in args.smaller:
        lines += speed(args.repo, *span.split(".."), args.runs)
    lines += ["| what | measured | asked | holds |", "| --- | --- | --- | --- |"]
    for span in args.smaller or [f"{args.good}..{args.bad}"]:
        lines.append(same_weights(args.repo, *span.split("..")))
        lines.append(same_weights(args.repo, *span.split(".."), *args.paths))
        lines += bisections(args.repo, *span.split(".."), args.bisections)
    (ROOT / "tests/bench/graph.md").write_text("\n".join(lines) + "\n")
    print("\n".join(lines))


if __name__ == "__main__":
    sys.exit(main())
