# SPDX-License-Identifier: GPL-2.0-only
# shellcheck shell=bash disable=SC2034
# Settings for 64-bit big endian powerpc: those of little endian, with another
# compiler. Debian has no packages of this architecture.
# shellcheck source=lab/arch/powerpc64le.sh
. "$LAB/arch/powerpc64le.sh"
CROSS=powerpc64-linux-gnu-
BUILD_PACKAGES=(gcc-powerpc64-linux-gnu)
BUSYBOX_ARCH=
BUSYBOX_LIBC=libc6-dev-ppc64-cross
case " ${VARIANT:-} " in
*" booke "*)
	QEMU_ARGS=(-machine ppce500 -cpu e5500 -m 512 -vga none)
	CONSOLE=ttyS0
	# See powerpc.sh.
	MAX_CPUS=1
	# The kernel's own test of sstep.c uses divisions that this CPU lacks.
	APPEND=initcall_blacklist=test_emulate_step,.test_emulate_step
	;;
esac
