# shellcheck shell=bash disable=SC2034
# Facts of 32-bit PA-RISC, for lab/common.sh.
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
# The kernel has one.
MAX_CPUS=1
CONSOLE=ttyS0
APPEND=
CLOCK=
# The kernel's own backend, untouched.
ARCH_OBJECTS=
SRCARCH=parisc
COMBINATIONS=

# arch_tools: firmware.  That of Debian 12 says that a line of the cache has 32 KB.
# Objects of slabs are aligned to that, so that the first slab, which has to be for
# two of them, is full with one.
arch_tools() {
	local dir=$PARISC_FIRMWARE

	[ ! -d "$dir/root" ] || return 0
	say "fetching qemu-system-data of Debian 13"
	rm -rf "$dir"
	mkdir -p "$dir"
	debian_unpack "$dir" trixie qemu-system-data < /dev/null > "$dir/log" 2>&1 ||
		die "cannot fetch firmware for parisc, see $dir/log"
}
