#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-or-later
# shellcheck source=tests/e2e/lib.sh
# What the bisection itself must do, on the exec runner: proofs, surrogates,
# several changes, git's logs and terms, and data that make no sense.
# usage: bisect.sh FIRSTBAD CASE
. "$(dirname "$0")/lib.sh"

noisy() { export LAB_DROP=0.1 LAB_NOISE=0.03 LAB_OUTLIERS=0.02; }

case_two_sided_proof() {
	line 20
	LAB_CULPRIT=c12 bisect c1 c20
	expect 0 c12
	jq -e '.verification | .revert.outcome == "restored" and .revert.confirms and .revert.samples >= 2
		and (.revert.value - 100 | fabs) < 2
		and .apply.outcome == "reproduced" and .apply.confirms and (.apply.value - 70 | fabs) < 2' "$dir/out" \
		> /dev/null || die "$(result .verification)"
	[ "$(result '.doubts | length')" = 0 ] || die doubts
	# The user sees neither commits nor refs of it.
	[ "$(git -C "$LAB_REPO" for-each-ref | grep -vc refs/tags/)" = 1 ] || die "refs were left"
	revert=$(result .verification.revert.commit)
	[ "$(git -C "$LAB_REPO" rev-parse "$revert^")" = "$(id c20)" ] || die "not on bad"
	[ "$(git -C "$LAB_REPO" diff --name-status c20 "$revert")" = "D	file12" ] || die "not a revert"
	LAB_CULPRIT=c12 bisect c1 c20 --set proof=false
	expect 0 c12
	[ "$(result .verification.revert)" = null ] || die "a proof without being asked"
}

# c12 and c15 change one file: neither can be taken back or applied alone.
case_proof_that_does_not_apply() {
	line 20 11:same 12:same 15:same
	LAB_CULPRIT=c12 bisect c1 c20
	expect 0 c12
	[ "$(result .verification.revert.outcome)" = does-not-apply ] || die revert
	[ "$(result .verification.apply.outcome)" = does-not-apply ] || die apply
	fb report
	grep -q '^reverted .*does-not-apply' "$dir/out" || die "the report does not say it"
}

# A commit whose effect later commits rest on: the revert changes nothing.
case_proof_that_fails_is_a_doubt() {
	line 20
	cat > "$dir/sticky" <<-END
		#!/bin/sh
		git -C "$LAB_REPO" merge-base --is-ancestor c12 \$FIRSTBAD_COMMIT && exec echo disk.speed=70.\$\$
		exec echo disk.speed=100.\$\$
	END
	chmod +x "$dir/sticky"
	fb bisect c1 c20 --repo "$LAB_REPO" --metric disk.speed --exec "$dir/sticky" --json
	expect 0 c12
	[ "$(result .verification.revert.outcome)" = no-effect ] || die revert
	[ "$(result .verification.apply.outcome)" = no-effect ] || die apply
	[ "$(result '.doubts | length')" = 2 ] || die doubts
}

case_metric_is_chosen() {
	make_repo 40 1 0
	export LAB_CULPRIT=c21 LAB_DROP=0.06 LAB_NOISE=0.03 LAB_OTHER=1
	fb bisect c1 c40 --repo "$LAB_REPO" --metric auto --exec "$here/lab" --json
	expect 0 c21
	[ "$(result .metric)" = disk.latency_us ] || die "chose $(result .metric)"
	[ "$(result '.change_percent > 70')" = true ] || die change
	grep -q 'metric disk.latency_us: +' "$dir/err" || die "the choice is not stated"
}

# The throughput needs many boots a commit, the counter one.
case_surrogate_is_followed_and_confirmed() {
	make_repo 200 3 0
	export LAB_DROP=0.06 LAB_NOISE=0.04 LAB_CULPRIT=c77 LAB_COUNTER=c77
	bisect c1 c200
	expect 0 c77
	jq -e '.surrogate == {"metric": "disk.request_kib", "first_bad": .first_bad, "confirmed": true}
		and .metric == "disk.speed" and .confidence > 0.98 and .verification.culprit.samples >= 2' "$dir/out" \
		> /dev/null || die "$(cat "$dir/out")"
	with=$(result .boots)
	bisect c1 c200 --surrogate off
	expect 0 c77
	[ "$(result .surrogate)" = null ] || die "off is on"
	[ "$(result .boots)" -gt "$with" ] || die "$with boots with it, $(result .boots) without"
	# It goes on as it began.
	sqlite3 "$dir/state/results.db" "update bisections set status='running', result=null where id=1"
	fb resume 1 --json
	expect 0 c77
	[ "$(result .surrogate.confirmed)" = true ] || die "resumed without it"
}

case_surrogate_that_changes_elsewhere() {
	make_repo 100 3 0
	export LAB_DROP=0.1 LAB_NOISE=0.03 LAB_CULPRIT=c60 LAB_COUNTER=c30
	bisect c1 c100
	expect 0 c60
	[ "$(result .status)" = multiple ] || die "$(result .status)"
	[ "$(result .surrogate.confirmed)" = false ] || die confirmed
	result '.changes[] | .metric + " " + .first_bad' > "$dir/changes"
	grep -q "disk.speed $(id c60)" "$dir/changes" || die "$(cat "$dir/changes")"
	grep -q "disk.request_kib $(id c30)" "$dir/changes" || die "$(cat "$dir/changes")"
}

case_surrogate_by_name() {
	make_repo 40 1 0
	export LAB_CULPRIT=c20 LAB_COUNTER=c20
	bisect c1 c40 --surrogate disk.request_kib
	expect 0 c20
	[ "$(result .surrogate.confirmed)" = true ] || die "not used"
	bisect c1 c40 --surrogate disk.no_such
	expect 0 c20
	grep -q 'disk.no_such does not separate' "$dir/err" || die "not said"
}

case_two_changes() {
	line 60
	LAB_CULPRIT=c15 LAB_DROP=0.2 LAB_SECOND=c44 LAB_SECOND_DROP=0.15 LAB_NOISE=0.01 bisect c1 c60
	expect 0 c15
	[ "$(result .status)" = multiple ] || die "$(result .status)"
	[ "$(result '.changes | map(.first_bad) | join(" ")')" = "$(id c15) $(id c44)" ] || die "$(result .changes)"
	jq -e '.changes[0].change_percent < -18 and .changes[0].change_percent > -22
		and .changes[1].change_percent < -13 and .changes[1].change_percent > -17' "$dir/out" > /dev/null || die sizes
}

# Half of a large drop is repaired later: both are seen.
case_partial_recovery() {
	line 60
	LAB_CULPRIT=c15 LAB_DROP=0.4 LAB_SECOND=c44 LAB_SECOND_DROP=-0.3 LAB_NOISE=0.01 bisect c1 c60
	[ "$status" = 0 ] && result '.first_bad, .changes[]?.first_bad' | grep -q "$(id c15)" && return
	[ "$status" = 4 ] && result .reason | grep -q 'more than one change' && return
	die "$(cat "$dir/out")"
}

case_merge_is_the_culprit() {
	line 10
	git -C "$LAB_REPO" checkout -q -b side c4
	for i in 1 2 3; do git -C "$LAB_REPO" commit -q --allow-empty -m "side $i"; done
	git -C "$LAB_REPO" checkout -q main
	git -C "$LAB_REPO" merge -q --no-ff -m merge side
	git -C "$LAB_REPO" tag merge
	for i in 1 2 3 4; do git -C "$LAB_REPO" commit -q --allow-empty -m "after $i"; done
	LAB_CULPRIT=merge bisect c1 main
	expect 0 merge
	[ "$(result .merge)" = true ] || die "not called a merge"
	[ "$(result '.verification.parents | length')" = 2 ] || die "not both parents"
	[ "$(result '[.verification.parents[] | select(.samples >= 2)] | length')" = 2 ] || die "not both measured"
	fb report
	grep -q 'merge itself' "$dir/out" || die "the report does not say it"
}

# Good and bad on two branches of which each has merged the other's past.
criss_cross() {
	line 4
	git -C "$LAB_REPO" checkout -q -b side c4
	git -C "$LAB_REPO" commit -q --allow-empty -m s1 && git -C "$LAB_REPO" tag s1
	git -C "$LAB_REPO" checkout -q main
	git -C "$LAB_REPO" commit -q --allow-empty -m m1 && git -C "$LAB_REPO" tag m1
	git -C "$LAB_REPO" merge -q --no-ff -m m2 s1
	git -C "$LAB_REPO" checkout -q side
	git -C "$LAB_REPO" merge -q --no-ff -m s2 m1
	git -C "$LAB_REPO" commit -q --allow-empty -m s3
	git -C "$LAB_REPO" checkout -q main
	for i in 3 4 5 6; do git -C "$LAB_REPO" commit -q --allow-empty -m m$i && git -C "$LAB_REPO" tag m$i; done
}

case_many_merge_bases() {
	criss_cross
	[ "$(git -C "$LAB_REPO" merge-base --all side main | wc -l)" = 2 ] || die "the graph is not what it should be"
	LAB_CULPRIT=m5 bisect side main
	expect 0 m5
	for base in s1 m1; do grep -q "$(id $base)" "$LAB_COUNT" || die "$base was not tested"; done
	# One of them is bad: repaired on good's side.
	LAB_CULPRIT=m1 LAB_SECOND=s3 bisect s1 main
	expect 0 m1
}

case_merge_base_that_cannot_be_tested() {
	criss_cross
	LAB_CULPRIT=m5 LAB_SKIP="s1 m1" bisect side main
	expect 0 m5
	grep -q "merge base $(git -C "$LAB_REPO" rev-parse --short=12 s1) cannot be tested" "$dir/err" || die "no warning"
}

case_annotated_tags() {
	make_repo 30 1 0
	git -C "$LAB_REPO" -c user.name=t -c user.email=t tag -a -m good v1 c2
	git -C "$LAB_REPO" -c user.name=t -c user.email=t tag -a -m bad v2 c28
	LAB_CULPRIT=c11 bisect v1 v2
	expect 0 c11
}

case_limit_of_builds() {
	make_repo 200 1 0
	LAB_CULPRIT=c100 bisect c1 c200 --max-builds 3
	expect 0 c100 # nothing is built here, so nothing is limited
}

case_terms() {
	make_repo 40 2 0.15
	export LAB_CULPRIT=c20 LAB_SKIP=c18
	bisect c1 main --term-old fast --term-new slow
	expect 0 c20
	replays_in_git c20 slow
	grep -q '^git bisect fast ' "$dir/log" || die "$(cat "$dir/log")"
	bisect c1 main --term-good bad
	complains 1 'cannot stand for good'
	bisect c1 main --term-bad run
	complains 1 'command of git bisect'
	bisect c1 main --term-bad 'a b'
	complains 1 'cannot be a term'
}

# Only what touches a path is a candidate, and git's log says so.
case_path_limits() {
	line 40 7:block/a 12:block/b 19:fs/x 23:block/a 31:block/b
	export LAB_CULPRIT=c23
	bisect c1 c40 -- block
	expect 0 c23
	[ "$(result .candidate_commits)" = 4 ] || die "$(result .candidate_commits) candidates"
	sort -u "$LAB_COUNT" > "$dir/tested"
	for c in c19 c20 c22 c30; do ! grep -q "$(id $c)" "$dir/tested" || [ $c = c22 ] || die "$c was tested"; done
	replays_in_git c23
	grep -q "^git bisect start .* '--' 'block'" "$dir/log" || die "$(cat "$dir/log")"
	# A log with paths is gone on with.
	bisect --replay "$dir/log"
	expect 0 c23
	bisect c1 c40 -- ./block//
	expect 0 c23
	bisect c1 c40 -- no/such
	complains 1 'no commit between good and bad touches no/such'
	bisect c1 c40 -- '*.c'
	complains 1 'plain names'
}

# A bisection that a person began with git is finished from its log.
case_goes_on_from_gits_log() {
	make_repo 120 5 0.15
	export LAB_CULPRIT=c70
	git clone -q "$LAB_REPO" "$dir/person"
	(
		cd "$dir/person" || exit 1
		git bisect start main c3 c1
		git bisect skip
		for _ in 1 2 3; do
			if git merge-base --is-ancestor "$(id c70)" HEAD; then git bisect bad; else git bisect good; fi
		done
		git bisect log > "$dir/person.log"
		git for-each-ref --format='^%(refname)' 'refs/bisect/good-*' | git rev-list --count --stdin bisect/bad
	) > "$dir/left" 2> /dev/null
	bisect --replay "$dir/person.log"
	expect 0 c70
	[ "$(result .range_commits)" = "$(tail -1 "$dir/left")" ] || die "$(result .range_commits), git has $(tail -1 "$dir/left")"
	# As other programs write it.
	sed 's/git bisect/git-bisect/; s/$/\r/' "$dir/person.log" > "$dir/crlf.log"
	bisect --replay "$dir/crlf.log"
	expect 0 c70
	replays_in_git c70
}

case_logs_that_make_no_sense() {
	make_repo 20 1 0
	export LAB_CULPRIT=c9
	printf 'git bisect start\ngit bisect frobnicate c1\n' > "$dir/log"
	bisect --replay "$dir/log"
	complains 1 'log:2'
	printf 'git bisect start\ngit bisect bad c9\n' > "$dir/log"
	bisect --replay "$dir/log"
	complains 1 'no good'
	printf "git bisect start 'c20' 'c1\n" > "$dir/log"
	bisect --replay "$dir/log"
	complains 1 'log:1'
	# Good that contains bad.
	printf "git bisect start 'c9' 'c1'\ngit bisect good c15\n" > "$dir/log"
	bisect --replay "$dir/log"
	complains 1 'wrong way round'
	printf "git bisect start 'c9' 'c1'\ngit bisect good nowhere\n" > "$dir/log"
	bisect --replay "$dir/log"
	complains 1 'nowhere'
	bisect --replay "$dir/none"
	complains 1 "$dir/none"
	bisect --replay "$dir/log" c1 c9
	complains 1 'too much'
	: > "$dir/log"
	bisect --replay "$dir/log"
	complains 1 'no marks'
	[ ! -f "$LAB_COUNT" ] || die "something was measured"
}

case_all_commits_skipped() {
	make_repo 12 1 0
	LAB_CULPRIT=c6 LAB_SKIP="c2 c3 c4 c5 c6 c7 c8 c9 c10 c11" bisect c1 c12
	expect 2
	[ "$(result .first_bad)" = null ] || die "a commit is named"
	[ "$(result '.credible_set | length')" = 11 ] || die "$(result .credible_set)"
}

# Zero, negative, infinite, not a number, or missing now and then.
case_values_that_make_no_sense() {
	make_repo 30 1 0
	cat > "$dir/odd" <<-END
		#!/bin/sh
		echo x >> "$dir/odd-calls"
		n=\$(wc -l < "$dir/odd-calls")
		case \$((n % 6)) in
		0) echo disk.speed=0 ;;
		1) echo disk.speed=nan ;;
		2) echo disk.other=5 ;;
		*) git -C "$LAB_REPO" merge-base --is-ancestor c11 \$FIRSTBAD_COMMIT && exec echo disk.speed=70.\$n
		   echo disk.speed=100.\$n ;;
		esac
	END
	chmod +x "$dir/odd"
	fb bisect c1 c30 --repo "$LAB_REPO" --metric disk.speed --exec "$dir/odd" --json --set samples.failures=8
	expect 0 c11
	printf '#!/bin/sh\necho disk.speed=-3\n' > "$dir/odd"
	fb bisect c1 c30 --repo "$LAB_REPO" --metric disk.speed --exec "$dir/odd" --json
	expect 1
	[ "$(result .first_bad)" = null ] || die "named from nothing"
}

# Without any noise, and with one constant arm.
case_constant_arms() {
	make_repo 30 1 0
	cat > "$dir/constant" <<-END
		#!/bin/sh
		git -C "$LAB_REPO" merge-base --is-ancestor c11 \$FIRSTBAD_COMMIT && exec echo disk.speed=\$1
		echo disk.speed=100
	END
	chmod +x "$dir/constant"
	fb bisect c1 c30 --repo "$LAB_REPO" --metric disk.speed --exec "$dir/constant 90" --json
	expect 0 c11
	fb bisect c1 c30 --repo "$LAB_REPO" --metric disk.speed --exec "$dir/constant 100" --json
	expect 3
	fb bisect c1 c30 --repo "$LAB_REPO" --metric disk.speed --exec "$dir/constant 110" --json
	expect 3
}

case_budget_of_boots() {
	make_repo 64 1 0
	noisy
	LAB_CULPRIT=c30 LAB_DROP=0.06 bisect c1 c64 --set samples.max=1
	[ "$status" = 4 ] || [ "$(result .first_bad)" = "$(id c30)" ] || die "exit $status, $(result .first_bad)"
	LAB_CULPRIT=c30 LAB_DROP=0 bisect c1 c64 --set samples.endpoint_max=8
	expect 3
	[ "$(calls)" -lt 400 ] || die "it went on"
}

"case_$2"
echo "ok: $2"
