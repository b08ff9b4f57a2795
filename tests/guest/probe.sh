#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-or-later
# The probe in real guests: every bus and file system, every workload, old
# kernels, and whatever goes wrong. Uses what scripts/demo made.
# usage: probe.sh CASE
set -uo pipefail
cd "$(dirname "$0")/../.." || exit 1
top=$PWD
demo=$top/build/demo
good=$(jq -r .good "$demo/history/seed31.git/firstbad-demo.json")
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT

die() { echo "FAILED: $*" >&2; tail -20 "$dir/err" "$dir/out" >&2 2> /dev/null; exit 1; }

# One kernel with everything serves all cases but one.
wide='["qemu", "btrfs", "nvme", "usb", "userspace", "virtio", "xfs"]'

# run DISKS WORKLOADS [OPTION]...
run() {
	local disks=$1 workloads=$2
	shift 2
	build/firstbad run "$good" --repo "$demo/linux.git" --state "$dir/state" --json \
		--set "build.kconfig=${kconfig:-$wide}" --set "disks=$disks" --set "workloads=$workloads" \
		--set read_seconds=0.3 --set file_mib=48 --set char_kib=64 --set files=1 \
		--set machine.memory_mib=128 "$@" > "$dir/out" 2> "$dir/err"
	status=$?
}

sql() { sqlite3 "$dir/state/results.db" "$1"; }
outcome() { jq -r '.boots[0].outcome' "$dir/out"; }
metric() { jq -r ".boots[0].metrics[\"$1\"]" "$dir/out"; }
partial() { jq -r ".boots[0].partial[\"$1\"]" "$dir/out"; }
holds() { [ "$(jq -n "$1")" = true ]; }
measured() { [ "$(outcome)" = measured ] || die "$(outcome): $(jq -r '.boots[0].detail' "$dir/out")"; }

disk() { echo "{\"name\": \"$1\", \"bus\": \"$2\", \"filesystem\": \"${3:-ext4}\", \"size_mib\": ${4:-512}}"; }

# Figures and evidence of every window agree with each other and with QEMU.
check_windows() {
	sql "SELECT p.window || ' ' || p.value || ' ' || b.value FROM evidence p
		JOIN evidence b ON b.boot = p.boot AND b.window = p.window AND b.source = 'blockstats' AND b.key = 'rd_bytes'
		WHERE p.source = 'probe' AND p.key = 'bytes' AND
		(p.window LIKE '%_read' OR p.window LIKE '%copy%' OR p.window LIKE '%rewrite' OR p.window LIKE '%read')
		AND p.window NOT LIKE '%cached_read'" |
		while read -r window claimed delivered; do
			holds "$delivered >= 0.98 * $claimed" || die "$window: claimed $claimed, delivered $delivered"
		done || exit 1
	# Guest and host count the same sectors.
	sql "SELECT g.window, g.value * 512 - h.value FROM evidence g
		JOIN evidence h ON h.boot = g.boot AND h.window = g.window AND h.source = 'blockstats' AND h.key = 'rd_bytes'
		WHERE g.source = 'diskstats' AND g.key = 'read_sectors' AND g.value * 512 <> h.value" > "$dir/differ"
	[ -s "$dir/differ" ] && die "sectors: $(cat "$dir/differ")"
	# Each sample of ours is linked to evidence of its window.
	[ "$(sql "SELECT count(*) FROM samples s WHERE NOT EXISTS (SELECT 1 FROM evidence e
		WHERE e.boot = s.boot AND e.window = s.window AND e.source = 'clock')")" = 0 ] || die "a sample without evidence"
}

# Each bus and each file system, in one boot, by its own name.
case_all_buses_and_file_systems() {
	run "[$(disk ahci0 ahci ext4), $(disk ata0 ata ext2), $(disk virtio0 virtio xfs), $(disk nvme0 nvme btrfs), $(disk usb0 usb raw)]" \
		'["read", "hdparm.buffered_read", "bonnie.block_write", "bonnie.block_read"]' --metric ahci0/read.rate
	measured
	for d in ahci0 ata0 virtio0 nvme0 usb0; do
		for figure in read.rate read.latency_p99 hdparm.buffered_read bonnie.block_write bonnie.block_read; do
			holds "$(metric $d/$figure) > 0" || die "$d/$figure is $(metric $d/$figure)"
		done
		[ -n "$(sql "SELECT value FROM settings WHERE subject = '$d/disk' AND key = 'read_ahead_kb'")" ] || die "settings of $d"
	done
	check_windows
	[ "$(sql "SELECT value FROM settings WHERE subject = 'ata0/disk' AND key = 'transfer_mode'")" = UDMA5 ] ||
		[ "$(sql "SELECT value FROM settings WHERE subject = 'ata0/disk' AND key = 'transfer_mode'")" = MWDMA2 ] ||
		die "transfer mode: $(sql "SELECT value FROM settings WHERE subject = 'ata0/disk' AND key = 'transfer_mode'")"
}

# Every row of the table of workloads gives every figure that it promises.
case_every_workload() {
	run "[$(disk a ahci), $(disk b virtio)]" \
		'["hdparm", "read", "idle", "bonnie", "dd", "copy"]' --metric a/read.rate --set timeline_hz=10
	measured
	grep -o 'FIGURE("[^"]*"' harness/model/workloads.inc | cut -d'"' -f2 > "$dir/figures"
	[ "$(wc -l < "$dir/figures")" -ge 25 ] || die "the table was not read"
	while read -r figure; do
		for d in a b; do
			[ "$figure" = idle.io_kib ] || holds "$(metric $d/"$figure") > 0" || die "$d/$figure is $(metric $d/"$figure")"
		done
	done < "$dir/figures"
	check_windows
	# A copy's writes are on the other disk.
	holds "$(sql "SELECT value FROM evidence WHERE window = 'a/copy.raw' AND source = 'blockstats/b' AND key = 'wr_bytes'") >= 48 * 1048576" ||
		die "the copy did not arrive"
	# Rewriting reads and writes the whole file.
	[ "$(sql "SELECT count(DISTINCT operation) FROM histograms WHERE window = 'a/bonnie.rewrite'")" = 2 ] || die "histograms"
	holds "$(sql "SELECT sum(count) FROM histograms WHERE window = 'a/bonnie.block_write' AND operation = 'write'") == 48 * 128" ||
		die "not every write() is in the histogram"
	# vmstat's rows: shares of time add up, what was read is what the disk gave.
	[ "$(sql "SELECT count(*) FROM timeline WHERE abs(us + sy + id + wa + st - 100) > 3")" = 0 ] || die "shares of time"
	[ "$(sql "SELECT count(*) > 20 FROM timeline")" = 1 ] || die "timeline"
}

# The clock counts instructions exactly: two boots agree to a part in 200.
case_instructions_are_counted() {
	[ -w /dev/kvm ] && extra='machine.accel="tcg"' || extra='machine.clock="icount"'
	run "[$(disk a ahci)]" '["hdparm.direct_read"]' --metric hdparm.direct_read --boots 2 --clock icount --set "$extra"
	measured
	jq -e '[.boots[].metrics["hdparm.direct_read.instructions_per_mib"]] | (.[0] / .[1]) as $r | $r > 0.98 and $r < 1.02 and .[0] > 1000' \
		"$dir/out" > /dev/null || die "$(jq -c '[.boots[].metrics["hdparm.direct_read.instructions_per_mib"]]' "$dir/out")"
	[ "$(sql "SELECT DISTINCT clock FROM boots")" = icount ] || die "clock"
}

# A slowed disk sets the pace in the host's time, and auto knows.
case_profile_is_device_bound() {
	run "[$(disk a ahci | sed 's/}/, "profile": "ide-2007"}/')]" '["hdparm.direct_read", "read"]' --metric hdparm.direct_read --set read_seconds=2
	measured
	# 51 MB/s on the platter, about 190 seeks, and no faster on a busy host.
	holds "$(metric hdparm.direct_read) > 42 and $(metric hdparm.direct_read) < 49" || die "$(metric hdparm.direct_read) MiB/s"
	holds "$(metric read.rate) > 140 and $(metric read.rate) < 200" || die "$(metric read.rate) reads a second"
	[ "$(sql "SELECT clock FROM boots")" != icount ] || die "the clock counts instructions"
	[ "$(sql "SELECT value FROM settings WHERE key = 'a.profile'")" = ide-2007 ] || die "the profile is not stored"
}

# No devtmpfs, no sysfs: nodes by hand, disks by /proc/partitions and IDENTIFY.
case_kernel_without_sysfs() {
	printf '# CONFIG_DEVTMPFS is not set\n# CONFIG_SYSFS is not set\n' > "$dir/old.config"
	cp "$dir/old.config" "$demo/old.config"
	kconfig="[\"qemu\", \"$demo/old.config\"]" run "[$(disk a ahci), $(disk b ata)]" \
		'["hdparm.buffered_read", "bonnie.block_write", "bonnie.block_read"]' --metric a/hdparm.buffered_read
	measured
	for figure in a/hdparm.buffered_read b/hdparm.buffered_read a/bonnie.block_read b/bonnie.block_read; do
		holds "$(metric $figure) > 0" || die "$figure"
	done
	check_windows
	[ -n "$(sql "SELECT value FROM settings WHERE subject = 'a/disk' AND key = 'read_ahead_kib'")" ] || die "read-ahead by ioctl"
	[ -z "$(sql "SELECT value FROM settings WHERE subject = 'a/disk' AND key = 'read_ahead_kb'")" ] || die "sysfs is there"
}

# Any program of an overlay measures, by lines or by JSON.
case_command_of_an_overlay() {
	tests/bench/overlay.sh "$dir/overlay"
	tar -C "$dir/overlay" -cf "$dir/overlay.tar" .
	# shellcheck disable=SC2016 # the guest's shell expands
	commands='[{"name": "lines", "run": ["sh", "-c", "echo talk; echo files=$(ls | wc -w); echo dev=${#FIRSTBAD_DEV}"]},
		{"name": "json", "run": ["sh", "-c", "echo {\\\"a\\\": [1, {\\\"b\\\": 42.5}]}"], "figures": ["answer=/a/1/b"], "mount": false}]'
	for overlay in "$dir/overlay" "$dir/overlay.tar"; do
		run "[$(disk a ahci)]" '["lines", "json"]' --metric json.answer --set "commands=$commands" --set "overlay=[\"$overlay\"]"
		measured
		[ "$(metric json.answer)" = 42.5 ] || die "json: $(metric json.answer)"
		[ "$(metric lines.files)" = 1 ] || die "not run in the file system"
		[ "$(metric lines.dev)" = 8 ] || die "FIRSTBAD_DEV"
	done
}

# A command that fails, by its status, a signal, its time: said, nothing taken;
# what was complete before it is kept as partial.
case_command_that_fails() {
	tests/bench/overlay.sh "$dir/overlay"
	while IFS='|' read -r script why; do
		run "[$(disk a ahci)]" '["hdparm.direct_read", "bad", "read"]' --metric bad.x --set "overlay=[\"$dir/overlay\"]" \
			--set "commands=[{\"name\": \"bad\", \"run\": [\"sh\", \"-c\", \"$script\"], \"timeout\": 5}]" --boots 1 \
			--metric hdparm.direct_read
		[ "$(outcome)" = probe-failed ] || die "$script: $(outcome)"
		jq -r '.boots[0].detail' "$dir/out" | grep -q "$why" || die "$script: $(jq -r '.boots[0].detail' "$dir/out")"
		holds "$(partial hdparm.direct_read) > 0" || die "the complete figure is lost"
		[ "$(jq '.boots[0].metrics' "$dir/out")" = null ] || die "partial figures pose as measured"
		[ "$(partial read.rate)" = null ] || die "it went on"
	done <<- 'END'
		exit 3|failed with 3
		kill -9 $$|ended by signal 9
		sleep 60|took more than 5
		echo nothing|printed none of its figures
	END
}

# Text on the result channel that is not ours breaks the sequence.
case_damaged_channel() {
	tests/bench/overlay.sh "$dir/overlay"
	run "[$(disk a ahci)]" '["hdparm.direct_read", "noise", "read"]' --metric hdparm.direct_read --set "overlay=[\"$dir/overlay\"]" \
		--set 'commands=[{"name": "noise", "run": ["sh", "-c", "printf half-a-line > /dev/ttyS1; echo x=1"]}]'
	[ "$(outcome)" = bad-result ] || die "$(outcome)"
	jq -r '.boots[0].detail' "$dir/out" | grep -q 'damaged line' || die "$(jq -r '.boots[0].detail' "$dir/out")"
	holds "$(partial hdparm.direct_read) > 0" || die "the complete figure is lost"
}

case_full_file_system() {
	tests/bench/overlay.sh "$dir/overlay"
	run "[$(disk a ahci ext4 128)]" '["read", "fill", "dd.write_1m"]' --metric read.rate --set "overlay=[\"$dir/overlay\"]" \
		--set 'commands=[{"name": "fill", "run": ["sh", "-c", "cat /dev/zero > zero; echo full=1"]}]'
	[ "$(outcome)" = probe-failed ] || die "$(outcome)"
	jq -r '.boots[0].detail' "$dir/out" | grep -q 'No space left' || die "$(jq -r '.boots[0].detail' "$dir/out")"
	holds "$(partial read.rate) > 0" || die "partial"
	[ "$(partial dd.write_1m)" = null ] || die "a figure of a full disk"
}

faulty() { export FAULT=$1 FAULT_DIR=$dir; }

# The host cannot read its image: the machine is broken, not the kernel.
case_io_error() {
	faulty "read-error 40960" # 20 MiB into the disk
	run "[$(disk a ahci)]" '["hdparm.cached_read", "hdparm.direct_read"]' --metric hdparm.cached_read \
		--set "machine.qemu=\"$top/tests/guest/faulty-qemu\""
	[ "$status" = 10 ] || die "exit status $status"
	grep -q 'cannot read its image' "$dir/err" || die "what happened is not said"
	[ "$(sql "SELECT group_concat(DISTINCT outcome) FROM boots")" = machine ] || die "$(sql 'SELECT outcome FROM boots')"
	[ "$(sql "SELECT count(*) FROM samples WHERE metric = 'hdparm.cached_read'")" = 3 ] || die "the complete figures are lost"
	[ "$(sql "SELECT count(*) FROM samples WHERE metric = 'hdparm.direct_read'")" = 0 ] || die "a figure of a broken disk"
}

case_disk_that_vanishes() {
	faulty "unplug 12"
	run "[$(disk u usb ext4 16384)]" '["hdparm.cached_read", "hdparm.direct_read"]' --metric hdparm.cached_read --clock host --set read_seconds=60 \
		--set "machine.qemu=\"$top/tests/guest/faulty-qemu\""
	[ "$status" = 10 ] || die "exit status $status"
	grep -q 'removed' "$dir/err" || die "what happened is not said"
	[ "$(sql "SELECT group_concat(DISTINCT outcome) FROM boots")" = machine ] || die "$(sql 'SELECT outcome FROM boots')"
	[ "$(sql "SELECT count(*) FROM samples WHERE metric = 'hdparm.direct_read'")" = 0 ] || die "a figure of a vanished disk"
}

case_write_protected() {
	faulty read-only
	run "[$(disk v virtio raw)]" '["read", "bonnie.block_write"]' --metric read.rate \
		--set "machine.qemu=\"$top/tests/guest/faulty-qemu\""
	[ "$(outcome)" = probe-failed ] || die "$(outcome)"
	jq -r '.boots[0].detail' "$dir/out" | grep -qE 'cannot open|not permitted|Read-only' || die "$(jq -r '.boots[0].detail' "$dir/out")"
	holds "$(partial read.rate) > 0" || die "partial"
}

# A file that is in the page cache is flagged, not reported as speed.
case_warm_cache_is_flagged() {
	run "[$(disk a ahci)]" '["read", "bonnie.block_read"]' --metric read.rate --set keep_cache=true --set file_mib=16
	measured
	[ "$(metric bonnie.block_read)" = null ] || die "cache speed is reported as disk speed"
	holds "$(metric bonnie.block_read.from_cache) > 0" || die "the flagged figure is lost"
}

case_boot_only() {
	run "[$(disk a ahci)]" '["read"]' --metric read.rate --boot-only
	measured
	[ "$(jq '.boots[0].metrics | length' "$dir/out")" = 0 ] || die "figures without a workload"
	holds "$(sql "SELECT max(value) - min(value) FROM evidence WHERE window = 'boot'") < 2" || die "slow"
	[ "$(sql "SELECT value < 200 * 1024 FROM settings WHERE key = 'initramfs_bytes'")" = 1 ] || die "initramfs"
}

"case_$1"
echo "ok: $1"
