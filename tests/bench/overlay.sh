#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-or-later
# A user space of a few real tools for a guest: busybox as shell, and the
# programs named, with the libraries that the loader would load here.
# usage: overlay.sh DIRECTORY PROGRAM...
set -euo pipefail
out=$1
shift
rm -rf "$out"
mkdir -p "$out"/{bin,sbin,etc,lib,lib64,usr/bin,usr/sbin,tmp,root}
cp "$(command -v busybox)" "$out/bin/busybox"
for applet in sh awk sed cat ls; do ln -s busybox "$out/bin/$applet"; done
echo 'root:x:0:0:root:/root:/bin/sh' > "$out/etc/passwd"
echo 'root:x:0:' > "$out/etc/group"
for name; do
	program=$(PATH=$PATH:/usr/sbin:/sbin command -v "$name")
	install -D "$program" "$out/$program"
	ldd "$program" | grep -o '/[^ ]*' | while read -r library; do
		[ -e "$out/$library" ] || install -D "$(realpath "$library")" "$out/$library"
	done
done
