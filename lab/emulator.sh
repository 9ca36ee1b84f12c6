# SPDX-License-Identifier: GPL-2.0-only
# shellcheck shell=bash disable=SC2034
# Debian 13's QEMU and binutils, in a root of their own. Debian 12's QEMU may
# execute stale text after another CPU has patched it, with one thread per CPU
# (fixed in 8.1), and its objdump lacks some kernel instructions, such as LKGS.
# Sourced after common.sh.

# newer_debian: set newer to that root, and build it if necessary.
newer_debian() {
	local now="$QEMU_PACKAGE,binutils"

	newer=$OUT/torture/debian-$QEMU_PACKAGE
	[ "$(cat "$newer.stamp" 2> /dev/null)" != "$now" ] || return 0
	[ "$(id -u)" = 0 ] || die "only root can make the files of another Debian"
	need mmdebstrap
	say "fetching Debian 13 with $now, log: $newer.log"
	lock
	mkdir -p "$OUT/torture"
	rm -rf "$newer" "$newer.stamp"
	mmdebstrap --variant=minbase --format=directory \
		--aptopt='APT::Install-Recommends "false"' \
		--dpkgopt='path-exclude=/usr/share/doc/*' \
		--include="$now" trixie "$newer" \
		http://deb.debian.org/debian < /dev/null > "$newer.log" 2>&1 9>&- ||
		die "no Debian with $now, see $newer.log"
	echo "$now" > "$newer.stamp"
	unlock
}

# newer_tool SCRIPT COMMAND: write a script that runs COMMAND in that root; of
# the machine it sees only $OUT.
newer_tool() {
	newer_debian
	cat > "$1" <<-END
		#!/bin/sh
		exec unshare -m sh -c 'mkdir -p "\$0\$1" && mount --bind "\$1" "\$0\$1" &&
			r=\$0 && shift && exec chroot "\$r" $2 "\$@"' "$newer" "$OUT" "\$@"
	END
	chmod +x "$1"
}

# newer_qemu: set QEMU to a script of newer_tool.
newer_qemu() {
	newer_tool "$BOOT/qemu" "$QEMU"
	QEMU=$BOOT/qemu
}
