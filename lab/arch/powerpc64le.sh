# shellcheck shell=bash disable=SC2034
# Facts of 64-bit powerpc, little endian, for lab/common.sh.
KARCH=powerpc
CROSS=powerpc64le-linux-gnu-
BUILD_PACKAGES=(gcc-powerpc64le-linux-gnu)
BUSYBOX_ARCH=ppc64el
KIMAGE=vmlinux
KIMAGE_PATH=vmlinux
QEMU_PACKAGE=qemu-system-ppc
QEMU=qemu-system-ppc64
# One thread for all CPUs: see x86_64.sh. QEMU's own CPU has none of what the
# machine would have to hide from guests. Its own firmware takes no time, but
# leaves the machine's memory for settings to be formatted with one of them.
QEMU_ARGS=(-machine "pseries,x-vof=on,cap-cfpc=broken,cap-sbbc=broken,cap-ibs=broken,cap-ccf-assist=off"
	-accel "tcg,thread=single" -cpu power9 -m 1024 -vga none -nic none -prom-env "auto-boot?=true")
CONSOLE=hvc0
APPEND=
CLOCK=
# Directories and objects that are the architecture's part of ours, and its own
# directory in the kernel.
ARCH_OBJECTS="arch/powerpc/kernel/probes/"
SRCARCH=powerpc
# What has no sense here.
COMBINATIONS="nokprobes nomodules preemptnone"
# Program exceptions in QEMU's -d int.
TRAP_VECTORS='PROGRAM'
