#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-or-later
# shellcheck source=tests/e2e/lib.sh
# Many noisy bisections through the whole program: 10 % drop, 3 % noise, 2 % of
# the boots at half speed, 1,500 commits with merges, a fifth of them
# unbuildable in runs. Right is the culprit, or a set of skipped commits that
# holds it. Prints what came out and fails when less than the stated confidence
# was right.
# usage: noisy.sh FIRSTBAD [BISECTIONS]
. "$(dirname "$0")/lib.sh"

trials=${2:-8}
export LAB_DIR=$dir LAB_DROP=0.1 LAB_NOISE=0.03 LAB_OUTLIERS=0.02
git init -q -b main "$LAB_REPO"
"$here/../random-history" 1500 11 0.1 8 | git -C "$LAB_REPO" fast-import --quiet
git -C "$LAB_REPO" rev-list --topo-order --reverse main ^c1 > "$dir/range"
n=$(wc -l < "$dir/range")
found=0 set=0 other=0 wrong=0 boots=0 tested=0

for ((trial = 1; trial <= trials; trial++)); do
	# Runs of 5 to 30 commits until a fifth of the range is broken.
	awk -v seed="$trial" -v n="$n" -v dir="$dir" 'BEGIN {
		srand(seed)
		for (i = 0; i < 20; i++) rand()
		culprit = 1 + int(rand() * n)
		while (broken < n / 5) {
			at = 1 + int(rand() * (n - 31))
			for (i = at + int(5 + rand() * 26); i > at; i--)
				if (!skip[i]++) broken++
		}
		print seed > (dir "/seed")
	}
	{ if (FNR == culprit) print > (dir "/culprit")
	  if (skip[FNR] && FNR < n) print > (dir "/skip") }' "$dir/range"
	culprit=$(cat "$dir/culprit")
	git -C "$LAB_REPO" rev-list --ancestry-path main "^$culprit" > "$dir/bad"
	echo "$culprit" >> "$dir/bad"
	: > "$dir/calls"
	fb bisect c1 main --repo "$LAB_REPO" --metric disk.speed --exec "$here/quick-lab" --json --quiet \
		--set proof=false
	case $status in
	0) if [ "$(result .first_bad)" = "$culprit" ]; then found=$((found + 1)); else wrong=$((wrong + 1)); fi ;;
	2) if result '.credible_set[].commit' | grep -q "$culprit"; then set=$((set + 1)); else wrong=$((wrong + 1)); fi ;;
	3 | 4) other=$((other + 1)) ;;
	*) die "exit status $status" ;;
	esac
	[ "$status" = 0 ] && [ "$(result .first_bad)" != "$culprit" ] &&
		echo "trial $trial: $(result .first_bad) instead of $culprit"
	boots=$((boots + $(result .boots)))
	tested=$((tested + $(sort -u "$LAB_COUNT" 2> /dev/null | wc -l)))
done
echo "$trials bisections of $n commits: $found right, $set sets of skipped commits with the culprit," \
	"$other without an answer, $wrong wrong; $((boots / trials)) boots each"
# 99 % is asked for; of few trials one may be wrong.
[ $((100 * (found + set))) -ge $((99 * trials)) ] || [ $((trials - found - set)) -le $((trials < 100)) ] ||
	die "less than the confidence"
