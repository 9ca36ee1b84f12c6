# shellcheck shell=bash disable=SC2034
# Facts of i386, for lab/common.sh.
KARCH=i386
CROSS=
USER_CFLAGS=(-m32)
BUILD_PACKAGES=()
BUSYBOX_ARCH=i386
KIMAGE=bzImage
KIMAGE_PATH=arch/x86/boot/bzImage
QEMU_PACKAGE=qemu-system-x86
QEMU=qemu-system-i386
# With a thread for each CPU, TCG lets one execute text that another has
# patched and made all CPUs synchronize on: nothing that patches text is
# reliable there, stock included.
# Of AMD's 32-bit processors Linux thinks few fit for several CPUs.
QEMU_ARGS=(-machine pc -accel "tcg,thread=single" -cpu "max,vendor=GenuineIntel" -m 1024)
CONSOLE=ttyS0
# An emulator on a busy machine fails the test of the timer's interrupt.
APPEND="no_timer_check"
# With one CPU the kernel takes out LOCK prefixes, and remembers where they have
# been if there is a second one to come.
SPARE_CPU=y
# For a clock that shows durations. Linux cannot find out in the emulator how
# fast the time stamp counter is, and takes those of several CPUs for out of
# step: it would be left with jiffies. QEMU counts as the host does, if that is
# an x86, and else nanoseconds.
CLOCK="tsc=reliable tsc_early_khz=$(awk '/^cpu MHz/ { khz = int($4 * 1000); exit }
	END { print khz ? khz : 1000000 }' /proc/cpuinfo)"
# Directories and objects that are the architecture's part of ours, and its own
# directory in the kernel.
ARCH_OBJECTS="arch/x86/kernel/kprobes/"
SRCARCH=x86
# Vector numbers of breakpoint and single step in QEMU's -d int.
TRAP_VECTORS="v=(01|03) "
