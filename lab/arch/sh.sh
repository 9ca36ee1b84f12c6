# shellcheck shell=bash disable=SC2034
# Facts of SH-4, for lab/common.sh.
KARCH="sh"
CROSS=sh4-linux-gnu-
BUILD_PACKAGES=(gcc-sh4-linux-gnu)
BUSYBOX_LIBC=libc6-dev-sh4-cross
KIMAGE=zImage
KIMAGE_PATH=arch/sh/boot/zImage
QEMU_PACKAGE=qemu-system-misc
QEMU=qemu-system-sh4
# The second serial port is the one that the board has a connector for.
QEMU_ARGS=(-machine r2d -m 64 -serial null -serial stdio)
MAX_CPUS=1
CONSOLE=ttySC1
APPEND="earlyprintk=serial noiotrap"
CLOCK=
# The kernel's own backend, untouched.
ARCH_OBJECTS=
SRCARCH="sh"
COMBINATIONS=
