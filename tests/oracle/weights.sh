#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-or-later
# Our weights against git's own, on random graphs.
# usage: weights.sh WEIGHTS-PROGRAM [GRAPHS]
set -euo pipefail
weights=$1 graphs=${2:-40}
here=$(cd "$(dirname "$0")/.." && pwd)
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT

for ((seed = 1; seed <= graphs; seed++)); do
	repo=$dir/$seed.git
	n=$((20 + seed * 7))
	git init -q --bare "$repo"
	"$here/random-history" "$n" "$seed" 0.15 |
		git -C "$repo" fast-import --quiet
	good=c$((1 + seed % 9))
	for mode in "" --first-parent; do
		# shellcheck disable=SC2086
		git -C "$repo" rev-list $mode --bisect-all "main" "^$good" |
			sed -E 's/ .*dist=([0-9]+).*/ \1/' |
			LC_ALL=C sort > "$dir/git"
		# shellcheck disable=SC2086
		"$weights" "$repo" "$good" main $mode | LC_ALL=C sort > "$dir/ours"
		if ! cmp -s "$dir/git" "$dir/ours"; then
			echo "seed $seed $mode: weights differ from git's" >&2
			diff "$dir/git" "$dir/ours" | head >&2
			exit 1
		fi
	done
done
echo "$graphs graphs, same distances as git rev-list --bisect-all"
