#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-or-later
# firstbad verdict on files, as people use it.
# usage: verdict.sh FIRSTBAD CASE
set -uo pipefail
firstbad=$(realpath "$1")
data=$(cd "$(dirname "$0")/../data/verdict" && pwd)
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
export XDG_STATE_HOME=$dir/state
cd "$dir" || exit 1

die() { echo "FAILED: $*" >&2; cat out err >&2; exit 1; }

verdict() { "$firstbad" verdict "$@" > out 2> err; status=$?; }

expect() { # STATUS
	[ "$status" = "$1" ] || die "exit status $status, not $1"
}

complains() { # TEXT
	expect 1
	[ ! -s out ] || die "something on stdout"
	[ "$(grep -c '^firstbad: ' err)" = 1 ] || die "not one error line"
	grep -q "^firstbad: .*$1" err || die "no word of '$1'"
}

hdparm() { # RATE...
	echo /dev/sda:
	for rate in "$@"; do
		echo " Timing buffered disk reads: 154 MB in  3.01 seconds = $rate MB/sec"
	done
}

case_answer_comes_first() {
	seed=$data/seeds/hdparm-2.6.20.txt
	verdict "$seed:2\\.6\\.19(\\.1)?" "$seed:2\\.6\\.20-rc3"
	expect 0
	[ ! -s err ] || die "chatter on stderr"
	head -1 out | grep -q '^verdict: probe-only, on IDE, SATA' || die "first line"
	grep -q '^IDE/hdparm.buffered_read .* 51.11 .* 18.09 .*-64.6 %.*slower' out || die "table"
	grep -q 'Every figure is one value in an arm' out || die "no word of single figures"
	grep -q "$seed:.*+++++" out || die "no word of what was not read"
}

case_json_is_one_object() {
	hdparm 50 51 49 > a
	hdparm 40 41 39 > b
	verdict a b --json
	expect 0
	[ "$(jq -r .diagnosis out)" = not-enough ] || die "hdparm alone cannot tell"
	[ "$(jq -r '.metrics[0] | .change, .n_before, .n_after' out | xargs)" = "slower 3 3" ] || die "metrics"
	[ "$(jq -r '.metrics[0] | .ratio_low < .8 and .ratio_high > .8' out)" = true ] || die "interval"
	[ "$(jq '.evidence, .findings, .not_measured, .not_read | length' out | wc -l)" = 4 ] || die "keys"
}

case_threshold_and_axis() {
	hdparm 100 > a
	hdparm 94 > b
	verdict a b --json
	[ "$(jq -r '.metrics[0].change' out)" = slower ] || die "5 %"
	verdict a b --json --threshold 10 --axis host
	[ "$(jq -r '.metrics[0].change' out)" = unclear ] || die "10 %"
	[ "$(jq -r .axis out)" = host ] || die axis
	verdict a b --axis nonsense
	complains 'none of kernel'
}

case_arms_file_and_prose() {
	cp "$data/seeds/fc3-fc5.txt" mail.txt
	mkdir sub
	cat > sub/arms.json <<-'END'
		{ "axis": "userspace",
		  "a": { "file": "../mail.txt", "from": "^FC3:" },
		  "b": [ { "file": "../mail.txt", "from": "^FC5:" },
			 { "file": "../mail.txt", "figures": {
			   "hdparm.buffered_read": "hdparm from ([0-9.]+)MB/s" } } ],
		  "stopped": [ { "file": "../mail.txt", "from": "hald stopped:" },
			       { "figures": { "hdparm.buffered_read": 20 } } ] }
	END
	verdict sub/arms.json
	expect 0
	grep -q 'ltrace.read_us: 72988 -> 137303 us (+88.1 %' out || die "read()"
	grep -q 'hdparm.buffered_read from 18.5 to 20 MiB/s (+8.1 %)' out || die "hald"
	grep -q 'explains 4 % of the change' out || die "share"
	grep -q 'not a kernel regression' out || die "axis"
}

case_bad_input() {
	hdparm 50 > a
	verdict a
	complains 'not valid JSON'
	verdict a nowhere
	complains 'nowhere: No such file'
	: > empty
	verdict a empty
	complains 'empty: no figure of a known format'
	verdict a a:nothing
	complains 'no line matches "nothing"'
	verdict a 'a:('
	complains '"(": '
	echo '104857600 bytes (105 MB) copied, 2 s, 52 MB/s' > b
	verdict a b
	complains 'no figure in common: A has sda/hdparm.buffered_read; B has dd.rate'
	head -c 100000 /dev/urandom > c
	verdict a c
	complains 'no figure of a known format'
	verdict "$data/bonnie-2.00-fast.txt" "$data/bonnie-2.00-fast.txt"
	complains 'line 7: 4 cells of +++++'
	echo '{"a": {"figures": {"m": 1}}}' > arms
	verdict arms
	complains 'wants both arms'
	echo '{"a": {"fiel": "a"}, "b": {"file": "a"}}' > arms
	verdict arms
	complains 'no key "fiel"'
	verdict
	complains 'usage: firstbad verdict'
}

"case_$2"
