#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-or-later
# Comparisons in real guests whose right diagnosis is known by construction,
# and none of which may be taken for another. Uses what scripts/demo made.
# usage: compare.sh CASE
set -uo pipefail
cd "$(dirname "$0")/../.." || exit 1
top=$PWD
demo=$top/build/demo
facts=$demo/history/seed31.git/firstbad-demo.json
good=$(jq -r .good "$facts")
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT

die() { echo "FAILED: $*" >&2; tail -5 "$dir/err" >&2; jq -c '.verdict | .findings, .not_measured' "$dir/out" >&2; exit 1; }

# compare A B [OPTION]...
compare() {
	"${FIRSTBAD:-build/firstbad}" compare --repo "$demo/linux.git" --state "$dir/state" --json --boots "${boots:-4}" \
		--set "disks=[{\"name\": \"disk\", \"bus\": \"${bus:-ahci}\", \"size_mib\": 512}]" \
		--set "workloads=${workloads:-[\"hdparm.buffered_read\", \"hdparm.direct_read\", \"bonnie.block_write\", \"bonnie.block_read\"]}" \
		--set read_seconds=0.5 --set file_mib=64 --set machine.memory_mib=128 "$@" > "$dir/out" 2> "$dir/err"
	status=$?
}

diagnosis() { jq -r '.verdict | .diagnosis + (if .cause then "/" + .cause else "" end)' "$dir/out"; }

says() { # DIAGNOSIS
	[ "$(diagnosis)" = "$1" ] || die "$(diagnosis), not $1"
}

# The demo's culprit on its parent: block device reads stop merging.
case_lost_merges() {
	culprit=$(jq -r .culprit "$facts")
	compare "$culprit^" "$culprit"
	[ "$status" = 0 ] || die "exit status $status"
	says probe-only/lost-merges
	jq -e '.kconfig == [] and .a.boots == 4 and .b.boots == 4 and .drift.metric == "hdparm.buffered_read"' "$dir/out" \
		> /dev/null || die "the result object"
}

case_pio_instead_of_dma() {
	bus=ata compare '' libata.force=pio4 --axis cmdline --rev "$good"
	says cpu-bound/pio
}

# Merely a slower drive: every path waits for it.
case_slower_disk() {
	compare '' ide-2007 --axis disk --rev "$good" --clock host
	says device-slower
}

# Each write waits for the disk: only what goes through the file system.
case_file_system_alone() {
	compare '' mount_options=sync --axis disk --rev "$good"
	says probe-blind
}

# Something reads all the time: a static program of the overlay.
case_background_reader() {
	mkdir -p "$dir/overlay/etc" "$dir/overlay/bin"
	cp /bin/busybox "$dir/overlay/bin/"
	cat > "$dir/overlay/etc/firstbad-start" <<-'END'
		#!/bin/busybox sh
		/bin/busybox sh -c 'while :; do /bin/busybox dd if=/dev/sda of=/dev/null bs=64k count=256 iflag=direct; done' \
			< /dev/null > /dev/null 2>&1 &
	END
	chmod +x "$dir/overlay/etc/firstbad-start"
	# The kernel that the tests of the probe have made.
	workloads='["hdparm.buffered_read", "hdparm.direct_read", "bonnie.block_write", "bonnie.block_read", "idle"]' \
		compare '' "$dir/overlay" --axis userspace --rev "$good" \
		--set 'build.kconfig=["qemu", "btrfs", "nvme", "usb", "userspace", "virtio", "xfs"]'
	says interference
}

# A commit on top of good, made without touching the repository's branches,
# with which every clock source claims a twentieth more than it counts.
case_clock_that_runs_fast() {
	local git=(git -C "$demo/linux.git") file=kernel/time/clocksource.c index=$dir/index blob tree fast
	"${git[@]}" show "$good:$file" |
		sed 's|NSEC_PER_SEC / scale, sec \* scale);|&\n\t\tcs->mult += cs->mult / 20;|' > "$dir/file"
	[ "$(grep -c 'mult / 20' "$dir/file")" = 1 ] || die "the clock could not be planted"
	blob=$("${git[@]}" hash-object -w "$dir/file")
	GIT_INDEX_FILE=$index "${git[@]}" read-tree "$good"
	GIT_INDEX_FILE=$index "${git[@]}" update-index --cacheinfo "100644,$blob,$file"
	tree=$(GIT_INDEX_FILE=$index "${git[@]}" write-tree)
	fast=$(GIT_AUTHOR_DATE='1767225600 +0000' GIT_COMMITTER_DATE='1767225600 +0000' "${git[@]}" \
		-c user.name=t -c user.email=t@example.org commit-tree -p "$good" -m fast "$tree")
	compare "$good" "$fast" --clock host
	says clock
	jq -r '.verdict.findings[0].evidence[0]' "$dir/out" | grep -Eq '^the clock of arm B runs (4\.[5-9]|5\.[0-5]) % fast' ||
		die "not by 5 %"
}

# hdparm's own reads are so large that they need no read-ahead; files do.
case_read_ahead() {
	compare queue/read_ahead_kb=128 queue/read_ahead_kb=4 --axis knob --rev "$good"
	says probe-blind/read-ahead
}

case_identical_arms() {
	boots=8 compare "$good" "$good"
	says no-change
	[ "$status" = 0 ] || die "exit status $status"
}

# A kernel as distributions ship it: drivers and file systems are modules.
case_kernel_of_a_package() {
	local name
	name=$(apt-cache depends --important linux-image-amd64 | awk '$1 == "Depends:" { print $2; exit }')
	(cd "$dir" && apt-get -qq -o APT::Sandbox::User=root download "$name") || die "$name cannot be had"
	bus=virtio boots=1 workloads='["hdparm.buffered_read", "bonnie.block_read"]' \
		compare "$(echo "$dir/$name"_*.deb)" "$(echo "$dir/$name"_*.deb)" \
		--set machine.memory_mib=512 --set machine.boot_timeout=120
	[ "$status" = 0 ] || [ "$status" = 4 ] || die "exit status $status"
	jq -e '.a.boots == 1 and .b.boots == 1 and .kconfig == [] and
		([.verdict.metrics[] | select(.before > 0 and .after > 0) | .metric] |
		 contains(["hdparm.buffered_read", "bonnie.block_read"]))' "$dir/out" > /dev/null || die "the figures"
}

# What cannot boot is said, and nothing is made of it.
case_arm_that_does_not_boot() {
	compare '' rdinit=/nowhere --axis cmdline --rev "$good" --set machine.boot_timeout=10
	[ "$status" = 1 ] || die "exit status $status"
	[ "$(jq -r .status "$dir/out")" = unmeasured ] || die "$(jq -r .status "$dir/out")"
	jq -r .reason "$dir/out" | grep -q 'arm B' || die "which arm?"
}

"case_$1"
echo "ok: $1"
