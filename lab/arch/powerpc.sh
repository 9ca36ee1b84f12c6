# SPDX-License-Identifier: GPL-2.0-only
# shellcheck shell=bash disable=SC2034
# Settings for 32-bit powerpc: those of 64-bit little endian, with another
# compiler and other machines. Debian has no packages of this architecture.
# shellcheck source=lab/arch/powerpc64le.sh
. "$LAB/arch/powerpc64le.sh"
CROSS=powerpc-linux-gnu-
BUILD_PACKAGES=(gcc-powerpc-linux-gnu)
BUSYBOX_ARCH=
BUSYBOX_LIBC=libc6-dev-powerpc-cross
QEMU=qemu-system-ppc
# A PowerMac of 1999, or QEMU's own machine for Book E. The former has one CPU
# in QEMU. On the latter, a CPU that spins for another one looks busy to QEMU,
# which lets the other one run only ten times a second.
MAX_CPUS=1
case " ${VARIANT:-} " in
*" booke "*)
	QEMU_ARGS=(-machine ppce500 -cpu e500mc -m 512 -vga none)
	CONSOLE=ttyS0
	;;
*)
	QEMU_ARGS=(-machine mac99 -cpu g4 -m 512 -vga none)
	CONSOLE=ttyPZ0
	;;
esac
