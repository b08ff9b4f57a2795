# SPDX-License-Identifier: GPL-2.0-or-later
# shellcheck shell=bash
# Shared by the cases on the exec runner; sourced with the script's arguments.
set -uo pipefail
firstbad=$(realpath "$1")
here=$(cd "$(dirname "$0")" && pwd)
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
export XDG_CACHE_HOME=$dir/cache XDG_STATE_HOME=$dir/xdg-state
export LAB_REPO=$dir/repo LAB_COUNT=$dir/calls
cd "$dir" || exit 1

die() { echo "FAILED: $*" >&2; [ -f "$dir/err" ] && tail -20 "$dir/err" >&2; exit 1; }

make_repo() { # COMMITS SEED MERGES
	git init -q -b main "$LAB_REPO"
	"$here/../random-history" "$1" "$2" "$3" | git -C "$LAB_REPO" fast-import --quiet
	git -C "$LAB_REPO" reset -q --hard main
}

calls() { [ -f "$LAB_COUNT" ] && wc -l < "$LAB_COUNT" || echo 0; }

id() { git -C "$LAB_REPO" rev-parse "$1^{commit}"; }

# Runs firstbad into $dir/out and $dir/err; the exit status is in $status.
fb() {
	local command=$1
	shift
	"$firstbad" "$command" --state "$dir/state" "$@" > "$dir/out" 2> "$dir/err"
	status=$?
}

bisect() {
	fb bisect --repo "$LAB_REPO" --metric disk.speed --exec "$here/lab" --json "$@"
}

result() { jq -r "$1" "$dir/out"; }

expect() { # STATUS [FIRST_BAD]
	[ "$status" = "$1" ] || die "exit status $status, not $1"
	[ $# -lt 2 ] || [ "$(result .first_bad)" = "$(id "$2")" ] ||
		die "named $(result .first_bad), not $2 ($(id "$2"))"
}

# One line on stderr that holds the text, nothing on stdout.
complains() { # STATUS TEXT
	expect "$1"
	[ ! -s "$dir/out" ] || die "something on stdout: $(cat "$dir/out")"
	[ "$(grep -c '^firstbad: ' "$dir/err")" = 1 ] || die "not one error line"
	grep -q "^firstbad: .*$2" "$dir/err" || die "no word of '$2'"
}

# Fails unless git comes to the same commit from our log in a fresh clone.
replays_in_git() { # COMMIT [WORD]
	local tree
	tree=$(git -C "$LAB_REPO" worktree list --porcelain | sed -n 's/^worktree //p' | tail -1)
	[ "$tree" != "$LAB_REPO" ] || die "no linked work tree"
	git -C "$tree" bisect log > "$dir/log" || die "git bisect log fails in the work tree"
	git clone -q "$LAB_REPO" "$dir/clone"
	git -C "$dir/clone" bisect replay "$dir/log" > "$dir/replay" 2>&1 || true
	grep -q "^$(id "$1") is the first .\?${2:-bad}.\? commit" "$dir/replay" || die "replay: $(cat "$dir/replay")"
}

# A line of commits c1, c2, ... where each appends to a file of its own unless
# it is named with another one: line 9 4:block/bfq.c 6:block/bfq.c
line() { # COMMITS [NUMBER:FILE]...
	local n=$1 i spec file
	shift
	git init -q -b main "$LAB_REPO"
	git -C "$LAB_REPO" config user.name t
	git -C "$LAB_REPO" config user.email t@example.org
	for ((i = 1; i <= n; i++)); do
		file=file$i
		for spec; do [ "${spec%%:*}" = $i ] && file=${spec#*:}; done
		mkdir -p "$LAB_REPO/$(dirname "$file")"
		echo "$i" >> "$LAB_REPO/$file"
		git -C "$LAB_REPO" add "$file"
		GIT_COMMITTER_DATE="$((1000000000 + i)) +0000" git -C "$LAB_REPO" commit -qm "commit $i"
		git -C "$LAB_REPO" tag "c$i"
	done
}
