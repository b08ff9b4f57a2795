#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-or-later
# Real kernels in real guests. Uses the repository and the kernels that
# scripts/demo made.
# usage: guest.sh CASE
set -uo pipefail
cd "$(dirname "$0")/../.." || exit 1
top=$PWD
demo=$top/build/demo
facts=$demo/history/seed31.git/firstbad-demo.json
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT

die() { echo "FAILED: $*" >&2; [ -f "$dir/err" ] && tail -20 "$dir/err" >&2; exit 1; }

fb() {
	build/firstbad "$@" --config "$demo/firstbad.json" --state "$dir/state" --json > "$dir/out" 2> "$dir/err"
	status=$?
}

outcome() { jq -r '.boots[0].outcome' "$dir/out"; }
metric() { jq -r ".boots[0].metrics[\"$1\"]" "$dir/out"; }
planted() { jq -r "$1" "$facts"; }
holds() { [ "$(jq -n "$1")" = true ]; }
sql() { sqlite3 "$dir/state/results.db" "$1"; }

demo() {
	scripts/demo --seed "$1" || die "the demo failed"
	jq -r '"seed '"$1"': \(.builds) builds, \(.boots) boots, \(.seconds.total | floor) s, harness \(.seconds.harness * 1000 / .seconds.total | floor / 10) %"' \
		"$demo/result.json"
	[ "$(jq .skipped "$demo/result.json")" -ge 1 ] || die "nothing was skipped"
	# ceil(log2(candidates)) + 4
	jq -e '.builds <= ((.candidate_commits | log2 | ceil) + 4)' "$demo/result.json" > /dev/null ||
		die "too many builds: $(jq .builds "$demo/result.json")"
	cp "$demo/result.json" "$demo/result-seed$1.json"
}

# The first midpoint of these histories does not compile, panics, and hangs.
case_demo_compile_failure() { demo 31; }
case_demo_panic() { demo 12; }
case_demo_hang() { demo 6; }

# The culprit is the mistake of 2006 made again: merges vanish, the block
# device's reads become 4 KiB requests, file I/O is what it was.
case_verdict_is_lost_merges() {
	for seed in 31 12 6; do
		jq -e '.verdict.diagnosis == "probe-only" and .verdict.cause == "lost-merges"' \
			"$demo/result-seed$seed.json" > /dev/null || die "seed $seed: $(jq -c .verdict "$demo/result-seed$seed.json")"
		jq -e '[.verdict.metrics[] | select(.metric == "ahci0/hdparm.buffered_read.host_request_kib")][0]
			| .after == 4 and .before > 16' "$demo/result-seed$seed.json" > /dev/null ||
			die "seed $seed: request sizes at the disk"
	done
}

case_figures_of_one_boot() {
	fb run "$(planted .good)" --set 'workloads=["hdparm", "bonnie.block_write", "bonnie.rewrite", "bonnie.block_read"]'
	[ "$status" = 0 ] || die "exit status $status"
	[ "$(outcome)" = measured ] || die "$(outcome)"
	for disk in ahci0 ata0; do
		for figure in hdparm.buffered_read hdparm.cached_read hdparm.direct_read \
			bonnie.block_write bonnie.rewrite bonnie.block_read; do
			holds "$(metric $disk/$figure) > 1" || die "$disk/$figure is $(metric $disk/$figure)"
		done
		# What the probe claims, the guest's disk statistics and QEMU's
		# own counters must tell the same story.
		for figure in buffered_read direct_read; do
			sql "select key, value from evidence where window = '$disk/hdparm.$figure' and source in ('probe', 'diskstats', 'blockstats')" > "$dir/evidence"
			claimed=$(sed -n 's/^bytes|//p' "$dir/evidence")
			device=$(sed -n 's/^rd_bytes|//p' "$dir/evidence")
			sectors=$(sed -n 's/^read_sectors|//p' "$dir/evidence")
			holds "$claimed > 1e6 and $claimed <= $device and $device < $claimed * 1.02" ||
				die "$disk/$figure: claimed $claimed, delivered $device"
			holds "$sectors * 512 == $device" || die "$disk/$figure: $sectors sectors, $device bytes"
		done
	done
	# Reads of the block device merge in this state of the kernel.
	holds "$(metric ahci0/hdparm.buffered_read.merge_ratio) > 0.5" || die "merges"
	[ "$(sql "select clock from boots")" = icount ] || [ -w /dev/kvm ] || die "clock is not stored"
}

case_does_not_compile() {
	fb run "$(planted '.uncompilable[0]')"
	[ "$(outcome)" = build-failed ] || die "$(outcome)"
	jq -r '.boots[0].detail' "$dir/out" | grep -q 'error: ' || die "no error line"
}

case_panics() {
	fb run "$(planted '.panics[0]')"
	[ "$(outcome)" = panic ] || die "$(outcome)"
	jq -r '.boots[0].detail' "$dir/out" | grep -q 'Kernel panic' || die "no panic line"
}

case_hangs() {
	fb run "$(planted '.hangs[0]')" --set machine.boot_timeout=15
	[ "$(outcome)" = hang ] || die "$(outcome)"
}

case_no_qemu() {
	fb run "$(planted .good)" --set 'machine.qemu="/nonexistent/qemu"'
	[ "$status" = 10 ] || die "exit status $status"
	grep -q 'nonexistent/qemu' "$dir/err" || die "QEMU is not named"
	[ "$(sql 'select count(*) from boots')" = 0 ] || die "a boot was stored"
}

our_qemu() { pgrep -f "initrd $dir/state" ; }

# A QEMU that is killed is a broken machine, not a bad kernel: tried again.
case_killed_qemu() {
	fb run "$(planted .good)" &
	until our_qemu > /dev/null; do sleep 0.05; done
	sleep 0.5
	kill -9 "$(our_qemu | head -1)"
	wait $!
	grep -q 'ended by signal 9' "$dir/err" || die "the kill was not noticed"
	[ "$(sql "select group_concat(outcome) from boots")" = measured ] || die "$(sql 'select outcome from boots')"
}

case_interrupt_leaves_nothing() {
	before=$(find "$HOME/.cache/firstbad/disks" "${XDG_CACHE_HOME:-$HOME/.cache}/firstbad/disks" 2> /dev/null | sort -u | wc -l)
	build/firstbad run "$(planted .good)" --config "$demo/firstbad.json" --state "$dir/state" \
		> "$dir/out" 2> "$dir/err" &
	pid=$!
	until our_qemu > /dev/null; do sleep 0.05; done
	sleep 1
	kill -TERM $pid
	wait $pid
	status=$?
	[ "$status" = 130 ] || die "exit status $status"
	our_qemu > /dev/null && die "QEMU is still running"
	[ "$(find "$dir/state/runs" -name initrd | wc -l)" = 0 ] || die "an initrd is left"
	after=$(find "$HOME/.cache/firstbad/disks" "${XDG_CACHE_HOME:-$HOME/.cache}/firstbad/disks" 2> /dev/null | sort -u | wc -l)
	[ "$before" = "$after" ] || die "files are left beside the disk images"
	[ "$(sql 'select count(*) from boots')" = 0 ] || die "an unfinished boot was stored"
}

# Even SIGKILL takes the guest with it.
case_sigkill_takes_guest_along() {
	build/firstbad run "$(planted .good)" --config "$demo/firstbad.json" --state "$dir/state" \
		> "$dir/out" 2> "$dir/err" &
	pid=$!
	until our_qemu > /dev/null; do sleep 0.05; done
	kill -9 $pid
	wait $pid 2> /dev/null
	for _ in $(seq 50); do our_qemu > /dev/null || break; sleep 0.1; done
	our_qemu > /dev/null && die "QEMU outlives firstbad"
	true
}

"case_$1"
echo "ok: $1"
