# shellcheck shell=bash disable=SC2034
# Tools of Debian 13, in files of its own. The QEMU of Debian 12 may execute text that
# another CPU has patched, if each CPU is a thread of it; this is mended in 8.1. Its
# objdump does not know all instructions of a kernel: LKGS.
# Sourced after common.sh.

# newer_debian: sets newer to the directory with these files.
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

# newer_tool SCRIPT COMMAND: writes a script that runs COMMAND of these; it sees $OUT, and
# nothing else of the machine.
newer_tool() {
	newer_debian
	cat > "$1" <<-END
		#!/bin/sh
		exec unshare -m sh -c 'mkdir -p "\$0\$1" && mount --bind "\$1" "\$0\$1" &&
			r=\$0 && shift && exec chroot "\$r" $2 "\$@"' "$newer" "$OUT" "\$@"
	END
	chmod +x "$1"
}

# newer_qemu: sets QEMU to such a script.
newer_qemu() {
	newer_tool "$BOOT/qemu" "$QEMU"
	QEMU=$BOOT/qemu
	# A network card's ROM is in a package of its own, and no guest has a driver.
	QEMU_ARGS+=(-nic none)
}
