# shellcheck shell=bash disable=SC2034
# Facts of little endian 32-bit MIPS, for lab/common.sh.
KARCH=mips
CROSS=mipsel-linux-gnu-
BUILD_PACKAGES=(gcc-mipsel-linux-gnu)
BUSYBOX_ARCH=mipsel
KIMAGE=vmlinux
KIMAGE_PATH=vmlinux
QEMU_PACKAGE=qemu-system-mips
QEMU=qemu-system-mipsel
QEMU_ARGS=(-machine malta -cpu 34Kf -m 512)
# The board starts its other CPUs by a firmware that QEMU lacks.
MAX_CPUS=1
CONSOLE=ttyS0
APPEND=
CLOCK=
# The kernel's own backend, untouched.
ARCH_OBJECTS=
SRCARCH=mips
COMBINATIONS=
