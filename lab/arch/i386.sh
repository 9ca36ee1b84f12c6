# SPDX-License-Identifier: GPL-2.0-only
# shellcheck shell=bash disable=SC2034
# Settings for i386, read by lab/common.sh.
KARCH=i386
CROSS=
USER_CFLAGS=(-m32)
BUILD_PACKAGES=()
BUSYBOX_ARCH=i386
KIMAGE=bzImage
KIMAGE_PATH=arch/x86/boot/bzImage
QEMU_PACKAGE=qemu-system-x86
QEMU=qemu-system-i386
# With one thread per CPU, TCG may execute stale text after another CPU has
# patched it and synchronized all CPUs. Nothing that patches text is reliable
# then, stock included. Linux considers few of AMD's 32-bit processors fit for
# SMP.
QEMU_ARGS=(-machine pc -accel "tcg,thread=single" -cpu "max,vendor=GenuineIntel" -m 1024)
CONSOLE=ttyS0
# The check of the timer interrupt fails in an emulator on a busy machine.
APPEND="no_timer_check"
# With one CPU the kernel removes LOCK prefixes; it can restore them only if a
# second CPU may be added.
SPARE_CPU=y
# Keep the TSC as clock: Linux cannot calibrate it in the emulator and considers
# those of several CPUs out of step, which would leave jiffies. QEMU's TSC has
# the host's rate if the host is an x86, and else counts nanoseconds.
CLOCK="tsc=reliable tsc_early_khz=$(awk '/^cpu MHz/ { khz = int($4 * 1000); exit }
	END { print khz ? khz : 1000000 }' /proc/cpuinfo)"
# Our directories and objects of this architecture, and its directory in the
# kernel.
ARCH_OBJECTS="arch/x86/kernel/kprobes/"
SRCARCH=x86
# Vector numbers of breakpoint and single step in QEMU's -d int.
TRAP_VECTORS="v=(01|03) "
