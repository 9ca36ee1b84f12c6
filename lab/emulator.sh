# shellcheck shell=bash disable=SC2034
# The QEMU of Debian 13, in files of its own. The one of Debian 12 may execute text
# that another CPU has patched, if each CPU is a thread of it; this is mended in 8.1.
# Sourced after common.sh.

# newer_qemu: sets QEMU to a script that runs it; it sees $OUT, and nothing else of
# the machine.
newer_qemu() {
	local root=$OUT/torture/qemu now

	now="$QEMU_PACKAGE"
	root=$root-$QEMU_PACKAGE
	if [ "$(cat "$root.stamp" 2> /dev/null)" != "$now" ]; then
		[ "$(id -u)" = 0 ] || die "only root can make the files of another Debian"
		need mmdebstrap
		say "fetching Debian 13 with $QEMU_PACKAGE, log: $root.log"
		lock
		mkdir -p "$OUT/torture"
		rm -rf "$root" "$root.stamp"
		mmdebstrap --variant=minbase --format=directory \
			--aptopt='APT::Install-Recommends "false"' \
			--dpkgopt='path-exclude=/usr/share/doc/*' \
			--include="$QEMU_PACKAGE" trixie "$root" \
			http://deb.debian.org/debian < /dev/null > "$root.log" 2>&1 9>&- ||
			die "no Debian with $QEMU_PACKAGE, see $root.log"
		echo "$now" > "$root.stamp"
		unlock
	fi
	cat > "$BOOT/qemu" <<-END
		#!/bin/sh
		exec unshare -m sh -c 'mkdir -p "\$0\$1" && mount --bind "\$1" "\$0\$1" &&
			r=\$0 && shift && exec chroot "\$r" $QEMU "\$@"' "$root" "$OUT" "\$@"
	END
	chmod +x "$BOOT/qemu"
	QEMU=$BOOT/qemu
	# A network card's ROM is in a package of its own, and no guest has a driver.
	QEMU_ARGS+=(-nic none)
}
