# SPDX-License-Identifier: GPL-2.0-only
# shellcheck shell=bash disable=SC2034
# Settings for 32-bit PA-RISC, read by lab/common.sh.
KARCH=parisc
CROSS=hppa-linux-gnu-
BUILD_PACKAGES=(gcc-hppa-linux-gnu)
BUSYBOX_LIBC=libc6-dev-hppa-cross
KIMAGE=vmlinux
KIMAGE_PATH=vmlinux
QEMU_PACKAGE=qemu-system-misc
QEMU=qemu-system-hppa
PARISC_FIRMWARE=$OUT/firmware-parisc
QEMU_ARGS=(-machine hppa -m 512
	-bios "$PARISC_FIRMWARE/root/usr/share/qemu/hppa-firmware.img")
# The kernel is built without SMP.
MAX_CPUS=1
CONSOLE=ttyS0
SRCARCH=parisc

# arch_tools: fetch newer firmware. Debian 12's reports a cache line of 32 KB,
# to which slab objects are aligned: the first slab, which must hold two
# objects, is full with one.
arch_tools() {
	local dir=$PARISC_FIRMWARE

	[ ! -d "$dir/root" ] || return 0
	say "fetching qemu-system-data of Debian 13"
	rm -rf "$dir"
	mkdir -p "$dir"
	debian_unpack "$dir" trixie qemu-system-data < /dev/null > "$dir/log" 2>&1 ||
		die "cannot fetch firmware for parisc, see $dir/log"
}
