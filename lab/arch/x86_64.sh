# SPDX-License-Identifier: GPL-2.0-only
# shellcheck shell=bash disable=SC2034
# Settings for x86-64, read by lab/common.sh.
KARCH=x86_64
CROSS=
BUILD_PACKAGES=()
BUSYBOX=/bin/busybox
KIMAGE=bzImage
KIMAGE_PATH=arch/x86/boot/bzImage
QEMU_PACKAGE=qemu-system-x86
QEMU=qemu-system-x86_64
# With one thread per CPU, TCG may execute stale text after another CPU has
# patched it and synchronized all CPUs. Nothing that patches text is reliable
# then, stock included.
QEMU_ARGS=(-machine pc -accel "tcg,thread=single" -cpu max -m 1024)
CONSOLE=ttyS0
# The check of the timer interrupt fails in an emulator on a busy machine.
APPEND="no_timer_check"
# With one CPU the kernel removes LOCK prefixes; it can restore them only if a
# second CPU may be added.
SPARE_CPU=y
# Force thunks for returns and jumps: QEMU's CPU has no bug to mitigate.
case " ${VARIANT:-} " in
*" ftrace "*)
	APPEND+=" indirect_target_selection=force"
	# With several CPUs, use thunks that track call depth. On 6.18 these break
	# ftrace's trampolines, without probes as well.
	[ "${BASE:-}" = 6.18 ] ||
		APPEND_SMP="spectre_v2=retpoline indirect_target_selection=stuff"
	;;
esac
# Xen's own command line: domain 0 has all CPUs and leaves Xen some memory. Xen
# ends with domain 0. SMAP is off because QEMU's IRET reads its frame with the
# kernel's rights even in ring 3, where a paravirtualized kernel runs.
case " ${VARIANT:-} " in
*" xen "*)
	XEN="dom0_mem=1024M,max:1024M console=com1 com1=115200,8n1 loglvl=warning guest_loglvl=error"
	QEMU_ARGS+=(-cpu "max,smap=off" -m 2048)
	CONSOLE=hvc0
	;;
# Each byte of memory has two more that describe it.
*" kmsan "*) QEMU_ARGS+=(-m 4096) ;;
esac
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
