#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-or-later
# shellcheck source=tests/e2e/lib.sh
# The whole program on the exec runner: real git repositories, no builds.
# usage: exec.sh FIRSTBAD CASE
. "$(dirname "$0")/lib.sh"

case_found_on_a_line() {
	make_repo 64 1 0
	for c in 2 32 63 64; do
		LAB_CULPRIT=c$c bisect c1 c64
		expect 0 c$c
	done
	[ "$(result .status)" = found ] || die status
	[ "$(result .range_commits)" = 63 ] || die range
	[ "$(result '.confidence > 0.98')" = true ] || die confidence
	[ "$(result '.change_percent | . > -31 and . < -29')" = true ] || die change
	[ "$(result .builds)" = 0 ] || die builds
	[ "$(result .verification.parent.commit)" = "$(id c63)" ] || die parent
}

case_found_among_merges() {
	make_repo 120 7 0.15
	for c in 12 77 120; do
		LAB_CULPRIT=c$c bisect c1 main
		expect 0 c$c
	done
}

# git itself, in a fresh clone, must come to the same commit by our log.
case_log_replays_in_git() {
	make_repo 90 3 0.15
	export LAB_CULPRIT=c51 LAB_SKIP="c40 c41 c60"
	bisect c1 main
	expect 0 c51
	log=$(git -C "$LAB_REPO" worktree list --porcelain | sed -n 's/^worktree //p' | tail -1)
	git -C "$log" for-each-ref refs/bisect | grep -q refs/bisect/bad || die "no refs/bisect"
	[ -z "$(git -C "$LAB_REPO" for-each-ref refs/bisect)" ] || die "the user's refs/bisect was touched"
	[ "$(git -C "$LAB_REPO" branch --list | wc -l)" = 1 ] || die "a branch was left"
	replays_in_git c51
}

case_first_parent() {
	make_repo 120 9 0.2
	export LAB_CULPRIT=c60
	bisect c1 main --first-parent
	expect 0
	# The first commit of the first-parent chain that contains the culprit.
	want=$(git -C "$LAB_REPO" rev-list --first-parent --reverse main |
		while read -r c; do git -C "$LAB_REPO" merge-base --is-ancestor c60 "$c" && echo "$c" && break; done)
	[ "$(result .first_bad)" = "$want" ] || die "$(result .first_bad), not $want"
}

case_noisy() {
	make_repo 100 2 0
	wrong=0
	for seed in 1 2 3; do
		LAB_SEED=$seed LAB_DROP=0.1 LAB_NOISE=0.03 LAB_OUTLIERS=0.02 LAB_CULPRIT=c42 bisect c1 c100
		[ "$status" = 0 ] && [ "$(result .first_bad)" != "$(id c42)" ] && wrong=$((wrong + 1))
	done
	[ $wrong = 0 ] || die "$wrong wrong of 3"
}

case_only_skipped_left() {
	make_repo 20 1 0
	export LAB_CULPRIT=c11 LAB_SKIP="c9 c10 c11"
	bisect c1 c20
	expect 2
	[ "$(result .status)" = skipped-only ] || die status
	[ "$(result .first_bad)" = null ] || die "a commit is named"
	for c in c9 c10 c11 c12; do
		result '.credible_set[].commit' | grep -q "$(id $c)" || die "$c is not in the set"
	done
	[ "$(result .skipped)" = 3 ] || die "skipped $(result .skipped)"
	[ "$(grep -c "$(id c10)" "$LAB_COUNT")" = 1 ] || die "a 125 was tried again"
}

case_failing_boots_are_skipped() {
	make_repo 40 1 0
	export LAB_CULPRIT=c30 LAB_FAIL="c20 c21"
	bisect c1 c40
	expect 0 c30
	[ "$(grep -c "$(id c20)" "$LAB_COUNT")" -le 2 ] || die "too many tries"
}

case_not_reproduced() {
	make_repo 30 1 0
	LAB_CULPRIT=c11 LAB_DROP=0 bisect c1 c30
	expect 3
	[ "$(result .status)" = not-reproduced ] || die status
	result .reason | grep -q 'does not reproduce' || die reason
	# Only the end points were measured.
	[ "$(sort -u "$LAB_COUNT" | wc -l)" = 2 ] || die wandered
	# An improvement is no regression either.
	LAB_CULPRIT=c11 LAB_DROP=-0.5 bisect c1 c30
	expect 3
	# Below the threshold.
	LAB_CULPRIT=c11 LAB_DROP=0.03 bisect c1 c30
	expect 3
	LAB_CULPRIT=c11 LAB_DROP=0.03 bisect c1 c30 --threshold 2
	expect 0 c11
}

case_good_is_no_ancestor() {
	make_repo 30 1 0
	git -C "$LAB_REPO" checkout -q -b side c10
	git -C "$LAB_REPO" -c user.name=t -c user.email=t commit -q --allow-empty -m side
	LAB_CULPRIT=c20 bisect side c30
	expect 0 c20
	grep -q "merge base $(id c10)" "$dir/err" || die "the merge base is not named"
	grep -q "$(id c10)" "$LAB_COUNT" || die "the merge base was not tested"
	# Bad before the fork, repaired on the side branch.
	cat > "$dir/fixed" <<-END
		#!/bin/sh
		[ \$FIRSTBAD_COMMIT = $(id side) ] && echo disk.speed=100.\$\$ && exit
		exec $here/lab
	END
	chmod +x "$dir/fixed"
	LAB_CULPRIT=c5 fb bisect side c30 --repo "$LAB_REPO" --metric disk.speed --exec "$dir/fixed" --json
	expect 3
	result .reason | grep -q 'merge base is bad' || die "$(result .reason)"
}

case_machinery_failure() {
	make_repo 30 1 0
	export LAB_CULPRIT=c11 LAB_BROKEN=$dir/broken
	touch "$LAB_BROKEN"
	bisect c1 c30
	complains 10 'broken machine'
	[ "$(wc -l < "$LAB_COUNT")" = 3 ] || die "not three tries"
	# Nothing was judged from it, and it goes on once mended.
	rm "$LAB_BROKEN"
	fb resume --json
	expect 0 c11
}

case_killed_and_resumed() {
	make_repo 60 1 0
	export LAB_CULPRIT=c23 LAB_DELAY=0.05
	"$firstbad" bisect c1 c60 --state "$dir/state" --repo "$LAB_REPO" --metric disk.speed --exec "$here/lab" --json \
		> "$dir/out" 2> "$dir/err" &
	pid=$!
	while [ "$(calls)" -lt 7 ]; do sleep 0.05; done
	kill -9 $pid
	wait $pid 2> /dev/null
	before=$(sqlite3 "$dir/state/results.db" 'select count(*) from boots')
	fb resume --json
	expect 0 c23
	[ "$(result .boots)" -ge "$before" ] || die "boots were lost"
	# No finished sample was measured again: all calls but the one cut off.
	[ "$(wc -l < "$LAB_COUNT")" -le $(($(result .boots) + 1)) ] || die "measured again"
	fb resume --json
	expect 0
}

case_interrupted_and_resumed() {
	make_repo 60 1 0
	export LAB_CULPRIT=c23 LAB_DELAY=0.05
	# A shell ignores SIGINT in background children: env restores it.
	env --default-signal=INT "$firstbad" bisect c1 c60 --state "$dir/state" --repo "$LAB_REPO" \
		--metric disk.speed --exec "$here/lab" --json > "$dir/out" 2> "$dir/err" &
	pid=$!
	while [ "$(calls)" -lt 5 ]; do sleep 0.05; done
	kill -INT $pid
	wait $pid
	status=$?
	complains 130 'firstbad resume'
	fb resume --json
	expect 0 c23
}

case_second_instance() {
	make_repo 60 1 0
	export LAB_CULPRIT=c23 LAB_DELAY=0.2
	"$firstbad" bisect c1 c60 --state "$dir/state" --repo "$LAB_REPO" --metric disk.speed --exec "$here/lab" \
		> /dev/null 2>&1 &
	pid=$!
	while [ ! -s "$LAB_COUNT" ]; do sleep 0.05; done
	bisect c1 c60
	complains 1 "process $pid"
	kill -TERM $pid
	wait $pid
}

case_deadline() {
	make_repo 60 1 0
	LAB_CULPRIT=c23 LAB_DELAY=0.3 bisect c1 c60 --deadline 3s
	expect 4
	[ "$(result .status)" = deadline ] || die status
	[ "$(result '.credible_set | length > 0')" = true ] || die "no credible set"
	[ "$(result .first_bad)" = null ] || die named
}

case_bad_revisions() {
	make_repo 30 1 0
	export LAB_CULPRIT=c11
	bisect nowhere c30
	complains 1 'unknown revision "nowhere"'
	bisect c30 c30
	complains 1 'same commit'
	bisect c30 c1
	complains 1 'wrong way round'
	git -C "$LAB_REPO" checkout -q --orphan lone
	git -C "$LAB_REPO" -c user.name=t -c user.email=t commit -q --allow-empty -m lone
	bisect lone c30
	complains 1 'no common history'
	bisect c1
	complains 1 'usage'
	[ ! -f "$LAB_COUNT" ] || die "something was measured"
}

case_bad_configuration() {
	make_repo 30 1 0
	export LAB_CULPRIT=c11
	printf '{\n  "thresold": 3\n}\n' > firstbad.json
	bisect c1 c30
	complains 1 'firstbad.json:2: "thresold": no such key'
	bisect c1 c30 --config "$dir"
	complains 1 "$dir"
	bisect c1 c30 --config "$dir/none.json"
	complains 1 'none.json'
	rm firstbad.json
	bisect c1 c30 --threshold many
	complains 1 'threshold'
	bisect c1 c30 --no-such-option
	complains 1 'no-such-option'
	fb bisect c1 c30 --repo "$LAB_REPO" --metric disk.speed --exec "$dir/no-such-command"
	complains 1 'no-such-command'
	fb bisect c1 c30 --repo "$LAB_REPO" --metric no.such
	complains 1 'no.such.*hdparm.buffered_read'
	fb bisect c1 c30 --repo "$dir/cache/none" --metric disk.speed --exec true
	complains 1 'no git repository'
	fb frobnicate
	complains 1 'frobnicate'
}

case_metric_that_never_comes() {
	make_repo 10 1 0
	LAB_CULPRIT=c5 fb bisect c1 c10 --repo "$LAB_REPO" --metric disk.other --exec "$here/lab" --json
	expect 1
	[ "$(result .status)" = error ] || die status
	grep -q 'disk.other' "$dir/err" || die "the metric is not named"
}

case_unwritable_state() {
	make_repo 10 1 0
	echo text > "$dir/state"
	LAB_CULPRIT=c5 bisect c1 c10
	complains 1 "$dir/state"
	[ "$(cat "$dir/state")" = text ] || die "the file was changed"
}

# A full file system under the state: nothing is half written, and it goes on
# when there is room again.
case_no_space() {
	make_repo 60 1 0
	export LAB_CULPRIT=c23
	mkdir "$dir/state"
	mount -t tmpfs -o size=320k none "$dir/state" || { echo "skipped: mounting a small tmpfs needs root"; exit 77; }
	trap 'umount "$dir/state"; rm -rf "$dir"' EXIT
	bisect c1 c60
	expect 10
	grep -q '^firstbad: .*\(full\|No space\|no space\)' "$dir/err" || die "space is not named"
	mount -o remount,size=20m "$dir/state" || die remount
	fb resume --json
	expect 0 c23
	[ "$(sqlite3 "$dir/state/results.db" 'pragma integrity_check')" = ok ] || die "database"
}

# Dirty, bare and shallow repositories; nothing of the user's changes.
case_kinds_of_repositories() {
	make_repo 30 1 0
	export LAB_CULPRIT=c11
	echo dirty > "$LAB_REPO/file1"
	echo new > "$LAB_REPO/untracked"
	before=$(git -C "$LAB_REPO" status --porcelain; git -C "$LAB_REPO" rev-parse HEAD)
	bisect c1 c30
	expect 0 c11
	[ "$before" = "$(git -C "$LAB_REPO" status --porcelain; git -C "$LAB_REPO" rev-parse HEAD)" ] ||
		die "the user's checkout changed"
	git clone -q --bare "$LAB_REPO" "$dir/bare.git"
	fb bisect c1 c30 --repo "$dir/bare.git" --metric disk.speed --exec "$here/lab" --json
	expect 0 c11
	git clone -q --depth 5 "file://$LAB_REPO" "$dir/shallow"
	fb bisect c1 main --repo "$dir/shallow" --metric disk.speed --exec "$here/lab"
	complains 1 'unshallow'
}

case_exec_contract() {
	make_repo 8 1 0
	cat > "$dir/contract" <<-'END'
		#!/bin/sh
		[ ${#FIRSTBAD_COMMIT} = 40 ] && [ -d "$FIRSTBAD_OUT" ] || exit 3
		[ -z "${FIRSTBAD_IMAGE+x}${FIRSTBAD_WORKTREE+x}" ] || exit 3
		[ "$1" = 'a b' ] && [ "$2" = '$HOME' ] || exit 3
		echo file > "$FIRSTBAD_OUT/mine"
		echo 'not a metric = 3'
		echo 'other=nan'
		echo 'second.metric=7'
		slow=100
		git -C "$LAB_REPO" merge-base --is-ancestor c5 $FIRSTBAD_COMMIT && slow=50
		echo "disk.speed=$slow"
	END
	chmod +x "$dir/contract"
	fb bisect c1 c8 --repo "$LAB_REPO" --metric disk.speed --exec "'$dir/contract' 'a b' '\$HOME'" --json
	expect 0 c5
	find "$dir/state/runs" -name mine | grep -q . || die "FIRSTBAD_OUT is not kept"
	[ "$(sqlite3 "$dir/state/results.db" "select count(distinct metric) from samples")" = 2 ] || die metrics
	grep -q 'not a metric' "$(find "$dir/state/runs" -name exec.log | head -1)" || die "log"
}

case_lower_is_better() {
	make_repo 30 1 0
	cat > "$dir/latency" <<-'END'
		#!/bin/sh
		echo "io.latency_us=$(($(git -C "$LAB_REPO" rev-list --count c11..$FIRSTBAD_COMMIT) > 0 ? 150 : 100)).$$"
	END
	chmod +x "$dir/latency"
	fb bisect c1 c30 --repo "$LAB_REPO" --metric io.latency_us --exec "$dir/latency" --json
	expect 0 c12
	[ "$(result '.change_percent | . > 48 and . < 52')" = true ] || die "change $(result .change_percent)"
	[ "$(result '.verdict.metrics[0].change')" = slower ] || die "$(result .verdict.metrics)"
	# A latency 4 % higher is below a threshold of 5 %, 6 % is above.
	sed -i 's/150/104/' "$dir/latency"
	fb bisect c1 c30 --repo "$LAB_REPO" --metric io.latency_us --exec "$dir/latency" --json
	expect 3
	sed -i 's/104/106/' "$dir/latency"
	fb bisect c1 c30 --repo "$LAB_REPO" --metric io.latency_us --exec "$dir/latency" --json
	expect 0 c12
}

# Logging out must not end an overnight run that was started with nohup.
case_nohup() {
	make_repo 30 1 0
	export LAB_CULPRIT=c11 LAB_DELAY=0.05
	nohup "$firstbad" bisect c1 c30 --state "$dir/state" --repo "$LAB_REPO" --metric disk.speed \
		--exec "$here/lab" --json > "$dir/out" 2> "$dir/err" &
	pid=$!
	while [ "$(calls)" -lt 3 ]; do sleep 0.05; done
	kill -HUP $pid
	wait $pid
	status=$?
	expect 0 c11
}

# Everything given as a relative path is found again from elsewhere.
case_relative_paths() {
	make_repo 30 1 0
	export LAB_CULPRIT=c11 LAB_BROKEN=$dir/broken
	cp "$here/lab" "$dir/lab"
	touch "$LAB_BROKEN"
	"$firstbad" bisect c1 c30 --repo repo --state state --metric disk.speed --exec ./lab > "$dir/out" 2> "$dir/err"
	rm "$LAB_BROKEN"
	cd / || die cd
	fb resume --json
	expect 0 c11
	[ "$(sqlite3 "$dir/state/results.db" "select count(*) from boots where console not like '/%'")" = 0 ] ||
		die "a relative path is stored"
	fb resume --threshold 9
	complains 1 'resume goes on'
}

case_shows_what_it_did() {
	make_repo 30 1 0
	LAB_CULPRIT=c11 bisect c1 c30
	expect 0 c11
	cp "$dir/out" "$dir/first"
	fb report --json
	cmp -s "$dir/out" "$dir/first" || die "the report differs"
	fb report
	head -1 "$dir/out" | grep -q "^$(id c11) is the first bad commit" || die "report"
	fb log
	grep -q '^ *[0-9]*  search .*build, P(bad) =' "$dir/out" || die "log"
	grep -q 'P(bad) 0[.0-9]* -> .* candidates' "$dir/out" || die "how it moved"
	fb log --json
	jq -e '.steps | length > 5 and all(.[]; .reason != "") and (map(.boots | length) | add) > 5
		and any(.[]; .phase == "search" and .before.p_bad != .after.p_bad)
		and .[-3].after.p_likely > 0.9' "$dir/out" > /dev/null || die "log --json"
	fb status
	grep -q 'found' "$dir/out" || die "status"
	fb report 99
	complains 1 'no bisection 99'
}

case_leaves_nothing_running() {
	make_repo 30 1 0
	cat > "$dir/sleeper" <<-'END'
		#!/bin/sh
		sleep 987654 &
		sleep 987654
	END
	chmod +x "$dir/sleeper"
	"$firstbad" bisect c1 c30 --state "$dir/state" --repo "$LAB_REPO" --metric disk.speed --exec "$dir/sleeper" \
		> "$dir/out" 2> "$dir/err" &
	pid=$!
	while ! pgrep -f 'sleep 98765[4]' > /dev/null; do sleep 0.05; done
	kill -TERM $pid
	wait $pid
	status=$?
	expect 130
	! pgrep -f 'sleep 98765[4]' > /dev/null || die "children are left"
}

"case_$2"
echo "ok: $2"
