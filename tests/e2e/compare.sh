#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-or-later
# shellcheck source=tests/e2e/lib.sh
# Comparisons on the exec runner: order, looks, host settings and their undoing.
# usage: compare.sh FIRSTBAD CASE
. "$(dirname "$0")/lib.sh"

compare() { fb compare --repo "$LAB_REPO" --exec "$here/lab" --json "$@"; }

# A laboratory whose speed hangs on a file that host commands write.
host_lab() {
	echo fast > "$dir/host"
	cat > "$dir/host-lab" <<-END
		#!/bin/sh
		read -r state < "$dir/host"
		echo "\$state" >> "$dir/order"
		n=\$(wc -l < "$dir/order")
		[ -n "\$HOST_SLEEP" ] && sleep "\$HOST_SLEEP"
		[ "\$state" = slow ] && exec echo "hdparm.buffered_read=70.\$n"
		echo "hdparm.buffered_read=100.\$n"
	END
	for state in fast slow; do
		printf '#!/bin/sh\necho %s > "%s"\n' $state "$dir/host" > "$dir/set-$state"
	done
	printf '#!/bin/sh\necho undone >> "%s"\n' "$dir/undone" > "$dir/undo"
	printf '#!/bin/sh\nexit 3\n' > "$dir/set-nothing"
	chmod +x "$dir/host-lab" "$dir/undo" "$dir"/set-*
}

case_revisions() {
	make_repo 20 1 0
	LAB_CULPRIT=c10 compare c1 c20
	expect 0
	jq -e '.status == "decided" and .axis == "kernel" and .a.boots == 4 and .b.boots == 4
		and (.verdict.metrics[] | select(.metric == "disk.speed")
			| .change == "slower" and (.ratio - 0.7 | fabs) < 0.01)' "$dir/out" > /dev/null || die "$(cat "$dir/out")"
	fb report c1
	grep -q '^A  c1 ' "$dir/out" || die "$(cat "$dir/out")"
	fb status
	grep -q 'kernel.*c1.*c20' "$dir/out" || die "$(cat "$dir/out")"
}

case_identical_arms() {
	make_repo 5 1 0
	LAB_CULPRIT=c5 LAB_NOISE=0.005 compare c2 c3
	expect 0
	[ "$(result .verdict.diagnosis)" = no-change ] || die "$(result .verdict.diagnosis)"
}

# Too noisy to be settled with what is allowed: said, never "no change".
case_budget() {
	make_repo 5 1 0
	LAB_CULPRIT=c5 LAB_NOISE=0.2 compare c2 c3 --boots 5
	expect 4
	[ "$(result .status)" = budget ] || die "$(result .status)"
	[ "$(result .a.boots)" = 5 ] || die "$(result .a.boots) boots"
	[ "$(result .verdict.diagnosis)" != no-change ] || die "no-change out of noise"
}

case_host_setting_in_balanced_order() {
	make_repo 3 1 0
	host_lab
	fb compare "$dir/set-fast" "$dir/set-slow" --axis host --undo "$dir/undo" --rev c2 --repo "$LAB_REPO" \
		--exec "$dir/host-lab" --json
	expect 0
	[ "$(tr '\n' ' ' < "$dir/order")" = 'fast slow slow fast fast slow slow fast ' ] || die "order: $(cat "$dir/order")"
	[ "$(cat "$dir/undone")" = undone ] || die "undone: $(cat "$dir/undone")"
	jq -e '.verdict.metrics[0] | .change == "slower" and (.ratio - 0.7 | fabs) < 0.01' "$dir/out" > /dev/null || die ratio
}

case_host_setting_that_fails() {
	make_repo 3 1 0
	host_lab
	fb compare "$dir/set-fast" "$dir/set-nothing" --axis host --undo "$dir/undo" --rev c2 --repo "$LAB_REPO" \
		--exec "$dir/host-lab" --json
	complains 10 'could not be set for arm B'
	[ "$(cat "$dir/undone")" = undone ] || die "not undone"
	[ "$(sqlite3 "$dir/state/results.db" "select count(*) from boots where phase = 'b'")" = 0 ] || die "arm B was measured"
}

case_undone_when_killed() {
	make_repo 3 1 0
	host_lab
	export HOST_SLEEP=2
	"$firstbad" compare "$dir/set-fast" "$dir/set-slow" --axis host --undo "$dir/undo" --rev c2 --repo "$LAB_REPO" \
		--state "$dir/state" --exec "$dir/host-lab" > "$dir/out" 2> "$dir/err" &
	pid=$!
	while [ ! -s "$dir/order" ]; do sleep 0.05; done
	[ ! -f "$dir/undone" ] || die "too early"
	kill -9 $pid
	wait $pid 2> /dev/null
	for _ in $(seq 50); do [ -f "$dir/undone" ] && break; sleep 0.1; done
	[ "$(cat "$dir/undone")" = undone ] || die "not undone"
	rm "$dir/undone"
	env --default-signal=INT "$firstbad" compare "$dir/set-fast" "$dir/set-slow" --axis host --undo "$dir/undo" --rev c2 \
		--repo "$LAB_REPO" --state "$dir/state" --exec "$dir/host-lab" > "$dir/out" 2> "$dir/err" &
	pid=$!
	sleep 1
	kill -INT $pid
	wait $pid
	status=$?
	expect 130
	[ "$(cat "$dir/undone")" = undone ] || die "not undone on interruption"
}

case_arm_that_cannot_be_measured() {
	make_repo 5 1 0
	LAB_CULPRIT=c5 LAB_FAIL=c3 compare c2 c3
	expect 1
	[ "$(result .status)" = unmeasured ] || die "$(result .status)"
	result .reason | grep -q 'arm B' || die "which arm?"
	[ "$(result .verdict.diagnosis)" = not-enough ] || die "a diagnosis from nothing"
}

case_bad_usage() {
	make_repo 3 1 0
	export LAB_CULPRIT=c2
	compare c1 nowhere
	complains 1 'arm B.*neither a revision nor a file'
	compare a b --axis colour
	complains 1 'colour'
	compare c1 c2 --undo true
	complains 1 'axis host'
	compare c1 c2 --rev c3
	complains 1 'rev is for other axes'
	compare novalue x --axis machine --rev c1
	complains 1 'KEY=VALUE'
	compare cpus=1 cpus=none --axis machine --rev c1
	complains 1 'arm B.*whole number'
	compare c1
	complains 1 'usage'
	[ ! -f "$LAB_COUNT" ] || die "something was measured"
}

"case_$2"
echo "ok: $2"
