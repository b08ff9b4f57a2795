#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-or-later
# firstbad-probe as a command, on loop devices; needs root.
# usage: probe.sh PROBE CASE
set -uo pipefail
probe=$(realpath "$1")
dir=$(mktemp -d)
disk=
PATH=$PATH:/usr/sbin:/sbin
cleanup() {
	umount "$dir/mnt" 2> /dev/null
	[ -z "$disk" ] || losetup -d "$disk"
	rm -rf "$dir"
}
trap cleanup EXIT
cd "$dir" || exit 1

die() { echo "FAILED: $*" >&2; cat "$dir/out" "$dir/err" >&2 2> /dev/null; exit 1; }

probe() {
	"$probe" "$@" > "$dir/out" 2> "$dir/err"
	status=$?
}

# A loop device of so many MiB; the case is skipped where there is none.
make_disk() {
	truncate -s "$1M" "$dir/image"
	disk=$(losetup -f --show "$dir/image" 2> "$dir/err") || { disk='' && exit 77; }
}

make_mount() {
	make_disk 256
	mke2fs -qFt ext4 "$disk" || die mke2fs
	mkdir "$dir/mnt"
	mount "$disk" "$dir/mnt" 2> "$dir/err" || exit 77
}

refused() { # WHY: by exit status, and not one byte of the disk changed
	[ "$status" = 1 ] || die "exit status $status"
	grep -q "$1" "$dir/err" || die "\"$1\" is not said"
}

case_usage() {
	while read -r line; do
		# shellcheck disable=SC2086 # words
		probe $line
		[ "$status" = 1 ] || die "$line: exit status $status"
		grep -q -- --help "$dir/err" || [ -s "$dir/err" ] || die "$line: nothing is said"
	done <<- 'END'

		--disk
		--disk /dev/null --seconds x
		--disk /dev/null nothing
		--disk /dev/null --format xml
		--disk /nonexistent hdparm
		--disk /dev/null hdparm
		--dir /nonexistent --write bonnie
		--disk /dev/null --dir / hdparm
	END
	probe --help
	[ "$status" = 0 ] || die "--help"
	probe --list
	[ "$(grep -c . "$dir/out")" -ge 20 ] || die "--list"
}

# The lines of hdparm 9.65, character by character but for the figures.
case_text_is_hdparms() {
	make_disk 64
	probe --disk "$disk" --seconds 0.2 hdparm.cached_read hdparm.buffered_read hdparm.direct_read
	[ "$status" = 0 ] || die "exit status $status"
	grep -qxE ' Timing cached reads:   +[0-9]+ MB in +[0-9]+\.[0-9]{2} seconds = +[0-9]+\.[0-9]{2} MB/sec' "$dir/out" || die "-T"
	grep -qxE ' Timing buffered disk reads: +[0-9]+ MB in +[0-9]+\.[0-9]{2} seconds = +[0-9]+\.[0-9]{2} MB/sec' "$dir/out" || die "-t"
	grep -qxE ' Timing O_DIRECT disk reads: +[0-9]+ MB in +[0-9]+\.[0-9]{2} seconds = +[0-9]+\.[0-9]{2} MB/sec' "$dir/out" || die "--direct"
}

# bonnie++'s own program reads our line and finds every column.
case_csv_is_bonnies() {
	make_mount
	probe --dir "$dir/mnt" --write --file-mib 100 --char-kib 2048 --files 4 --format csv bonnie
	[ "$status" = 0 ] || die "exit status $status"
	[ "$(awk -F, 'END {print NF}' "$dir/out")" = 50 ] || die "fields"
	bon_csv2html < "$dir/out" > "$dir/html" 2> "$dir/err" || die "bon_csv2html"
	[ -s "$dir/err" ] && die "bon_csv2html complains"
	# 6 + 6 tests with rate and CPU, 12 latencies: no cell is empty.
	[ "$(grep -o '<td colspan="2">[0-9]\+[mu]\?s</td>' "$dir/html" | wc -l)" = 12 ] || die "latencies"
	grep -q '<td></td><td></td>' "$dir/html" && die "an empty column"
	[ "$(find "$dir/mnt" -type f | wc -l)" = 0 ] || die "files are left"
}

case_json_has_everything() {
	make_disk 64
	probe --disk "$disk" --seconds 0.3 --format json hdparm.buffered_read read
	[ "$status" = 0 ] || die "exit status $status"
	jq -e '.samples["hdparm.buffered_read"] > 0 and .samples["read.latency_p99"] > 0
		and .evidence["hdparm.buffered_read"].diskstats.read_sectors * 512 >= .evidence["hdparm.buffered_read"].probe.bytes
		and (.histograms.read.read | map(.[2]) | add) == (.evidence.read.probe.bytes / 4096)
		and .settings["disk"].read_ahead_kb != null and (.timeline | type) == "object"' "$dir/out" > /dev/null || die "JSON"
}

case_writes_only_when_told() {
	make_disk 64
	before=$(sha256sum < "$dir/image")
	probe --disk "$disk" --file-mib 4 dd
	refused 'give --write'
	probe --disk "$disk" hdparm.direct_read --seconds 0.1
	[ "$(sha256sum < "$dir/image")" = "$before" ] || die "the disk has changed"
	probe --disk "$disk" --write --file-mib 4 dd.write_1m
	[ "$status" = 0 ] || die "a free disk is refused"
}

case_refuses_mounted() {
	make_mount
	probe --disk "$disk" --write --file-mib 4 dd
	refused 'is mounted'
	probe --disk "$disk" --seconds 0.1 hdparm.direct_read
	[ "$status" = 0 ] || die "reading a mounted disk is refused"
}

case_refuses_exclusively_open() {
	make_disk 64
	python3 -c 'import os, sys, time
os.open(sys.argv[1], os.O_RDWR | os.O_EXCL)
print("open", flush=True)
time.sleep(30)' "$disk" > "$dir/holder" &
	holder=$!
	until [ -s "$dir/holder" ]; do sleep 0.05; done
	probe --disk "$disk" --write --file-mib 4 dd
	kill $holder
	refused 'exclusively'
}

case_too_small() {
	make_disk 1
	probe --disk "$disk" hdparm.buffered_read
	refused 'too small'
	grep -q 'MB/sec' "$dir/out" && die "a figure all the same"
	probe --disk "$disk" --write --file-mib 4 dd.write_1m
	refused 'No space left\|it is full'
}

# Nothing is flushed: what comes from the page cache is called so.
case_warm_cache_is_flagged() {
	make_mount
	probe --dir "$dir/mnt" --write --file-mib 32 --keep-cache --format json bonnie.block_write bonnie.block_read
	[ "$status" = 0 ] || die "exit status $status"
	jq -e '.samples["bonnie.block_read"] == null and .samples["bonnie.block_read.from_cache"] > 0' "$dir/out" > /dev/null || die "not flagged"
}

"case_$2"
echo "ok: $2"
