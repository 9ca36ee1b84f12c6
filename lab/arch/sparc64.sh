# SPDX-License-Identifier: GPL-2.0-only
# shellcheck shell=bash disable=SC2034
# Settings for sparc64, read by lab/common.sh.
KARCH=sparc
CROSS=sparc64-linux-gnu-
BUILD_PACKAGES=(gcc-sparc64-linux-gnu)
BUSYBOX_LIBC=libc6-dev-sparc64-cross
# Stable kernels moved FMODE_NONOTIFY to the bit of O_TMPFILE here, which fails
# an assertion in fs/fcntl.c. Unoptimized code does not contain it.
KMAKE_ARGS=(CFLAGS_fcntl.o=-U__OPTIMIZE__)
KIMAGE=image
KIMAGE_PATH=arch/sparc/boot/image
QEMU_PACKAGE=qemu-system-sparc
QEMU=qemu-system-sparc64
QEMU_ARGS=(-machine sun4u -m 512)
# QEMU's machine has one CPU.
MAX_CPUS=1
CONSOLE=ttyS0
# The firmware cannot reboot the machine.
APPEND=END=poweroff
SRCARCH=sparc
