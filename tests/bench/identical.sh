#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-or-later
# Compares a kernel with itself again and again: how often is that no-change?
# usage: identical.sh [COMPARISONS]
set -uo pipefail
cd "$(dirname "$0")/../.." || exit 1
n=${1:-20} right=0
for i in $(seq "$n"); do
	if said=$(tests/guest/compare.sh identical_arms 2>&1); then
		right=$((right + 1))
	fi
	echo "$i: $said" >&2
done
echo "no-change: $right of $n"
[ "$right" = "$n" ]
