# SPDX-License-Identifier: GPL-2.0-only
# shellcheck shell=bash disable=SC2034
# Settings for i386: those of x86-64, but for its variants.
# shellcheck source=lab/arch/x86_64.sh
. "$LAB/arch/x86_64.sh"
KARCH=i386
USER_CFLAGS=(-m32)
BUSYBOX_ARCH=i386
QEMU=qemu-system-i386
# Linux considers few of AMD's 32-bit processors fit for SMP.
QEMU_ARGS=(-machine pc -accel "tcg,thread=single" -cpu "max,vendor=GenuineIntel" -m 1024)
CONSOLE=ttyS0
APPEND="no_timer_check"
unset APPEND_SMP XEN
