#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-or-later
# Our weights against git's own: many random graphs in one repository, half of
# them with octopus merges and several roots, some of these with clocks that are
# wrong; all of history, first parents only, and limited to paths; with and
# without a commit-graph file. Where clocks are wrong git's simplification by
# paths depends on the order of its walk, and is not asked.
# usage: weights.sh WEIGHTS-PROGRAM [GRAPHS]
set -euo pipefail
weights=$1 graphs=${2:-500}
here=$(cd "$(dirname "$0")/.." && pwd)
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
repo=$dir/graphs.git

git init -q --bare "$repo"
for ((seed = 1; seed <= graphs; seed++)); do
	options=()
	[ $((seed % 3)) = 0 ] && options+=($((2 + seed % 7)))
	[ $((seed % 2)) = 0 ] && options+=(--wild)
	[ $((seed % 8)) = 0 ] && options+=(--skewed)
	"$here/random-history" $((20 + seed % 90)) "$seed" 0.15 "${options[@]}" --prefix "g$seed/"
done | git -C "$repo" fast-import --quiet
git -C "$repo" pack-refs --all

same() { # WHAT GOOD BAD [--first-parent] [PATH...]
	local what=$1 good=$2 bad=$3 mode=()
	shift 3
	[ "${1:-}" = --first-parent ] && mode=("$1") && shift
	git -C "$repo" rev-list "${mode[@]}" --bisect-all "$bad" "^$good" -- "$@" |
		sed -E 's/ .*dist=([0-9]+).*/ \1/' | LC_ALL=C sort > "$dir/git"
	"$weights" "$repo" "$good" "$bad" "${mode[@]}" "$@" 2> "$dir/err" | LC_ALL=C sort > "$dir/ours" || true
	# Nothing of the range touches the paths: git prints nothing either.
	grep -q 'no commit between' "$dir/err" && [ ! -s "$dir/git" ] && return
	cmp -s "$dir/git" "$dir/ours" && return
	echo "$what: our weights are not git's" >&2
	diff "$dir/git" "$dir/ours" | head >&2
	exit 1
}

check() { # STEP
	local seed good
	for ((seed = 1; seed <= graphs; seed += $1)); do
		good=g$seed/c$((1 + seed % 9))
		same "graph $seed" "$good" "g$seed/main"
		[ $((seed % 8)) = 0 ] || case $((seed / $1 % 3)) in
		0) same "graph $seed, first parents" "$good" "g$seed/main" --first-parent ;;
		1) same "graph $seed, paths" "$good" "g$seed/main" file1 file4 ;;
		2) same "graph $seed, paths of first parents" "$good" "g$seed/main" --first-parent file2 ;;
		esac
	done
}

check 10
git -C "$repo" commit-graph write --reachable
check 1
# A chain of files, and commits that are in none of them.
git -C "$repo" commit-graph write --reachable --split=no-merge
git -C "$repo" commit-tree -p g1/main -p g2/main -p g3/main -m new "g1/main^{tree}" > "$dir/new"
same "a commit beyond the file" g1/c3 "$(cat "$dir/new")"
git -C "$repo" update-ref refs/heads/new "$(cat "$dir/new")"
rm "$repo/objects/info/commit-graph"
git -C "$repo" rev-parse g4/main g5/main | git -C "$repo" commit-graph write --stdin-commits --split=no-merge
git -C "$repo" commit-graph write --reachable --split=no-merge
[ "$(wc -l < "$repo/objects/info/commit-graphs/commit-graph-chain")" = 2 ]
same "a chain" g1/c3 new
check 50
echo "$graphs graphs, same distances as git rev-list --bisect-all"
