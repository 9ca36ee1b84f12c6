# SPDX-License-Identifier: GPL-2.0-only
# shellcheck shell=bash
# The Debian 13 with users' tools, for guests. Sourced after common.sh.

# Packages of the guest's Debian, besides the essential ones.
PACKAGES="linux-perf bpftrace bpftool bpfcc-tools libbpf-tools ply trace-cmd
	perf-tools-unstable pwru stress-ng systemtap lttng-tools babeltrace2 procps iproute2 kmod xz-utils gawk
	kpatch binutils"
# Files that nobody reads in a guest.
LEFT_OUT=("/usr/share/doc/*" "/usr/share/man/*" "/usr/share/locale/*" "/usr/share/info/*")

# debian: build the guest's files, below /mnt of its initramfs, unless the list
# of packages is unchanged.
debian() {
	local args=() p now

	now=$(echo "$PACKAGES ${LEFT_OUT[*]}" | sha1sum)
	debian=$OUT/clients/debian.cpio
	mkdir -p "$OUT/clients"
	[ "$(cat "$debian.stamp" 2> /dev/null)" != "$now" ] || return 0
	need mmdebstrap libarchive-tools
	say "fetching Debian 13 for the guest, log: $debian.log"
	for p in "${LEFT_OUT[@]}"; do args+=("--dpkgopt=path-exclude=$p"); done
	[ "$(id -u)" = 0 ] || die "only root can make the files of another Debian"
	rm -rf "$debian.root"
	# shellcheck disable=SC2086
	mmdebstrap --variant=minbase --format=directory "${args[@]}" \
		--include="$(echo $PACKAGES | tr ' ' ,)" trixie "$debian.root" \
		http://deb.debian.org/debian < /dev/null > "$debian.log" 2>&1 9>&- ||
		die "no Debian for the guest, see $debian.log"
	bsdtar --format newc -cf "$debian" -s ',^\./,mnt/,' -C "$debian.root" .
	rm -rf "$debian.root"
	echo "$now" > "$debian.stamp"
}

# add_to_initramfs ARCHIVE...: append archives to the initramfs of pack(). Each
# must begin at a multiple of four bytes.
add_to_initramfs() {
	truncate -s %4 "$BOOT/initramfs.gz"
	cat "$BOOT/initramfs.gz" "$@" > "$BOOT/all"
	mv "$BOOT/all" "$BOOT/initramfs.gz"
}
