# shellcheck shell=bash disable=SC2034
# Facts of x86-64, for lab/common.sh.
KARCH=x86_64
CROSS=
BUILD_PACKAGES=()
BUSYBOX=/bin/busybox
KIMAGE=bzImage
KIMAGE_PATH=arch/x86/boot/bzImage
QEMU_PACKAGE=qemu-system-x86
QEMU=qemu-system-x86_64
# With a thread for each CPU, TCG lets one execute text that another has
# patched and made all CPUs synchronize on: nothing that patches text is
# reliable there, stock included.
QEMU_ARGS=(-machine pc -accel "tcg,thread=single" -cpu max -m 1024)
CONSOLE=ttyS0
# An emulator on a busy machine fails the test of the timer's interrupt.
APPEND="no_timer_check"
# With one CPU the kernel takes out LOCK prefixes, and remembers where they have
# been if there is a second one to come.
SPARE_CPU=y
# QEMU's CPU has none of the bugs that returns and jumps go through thunks for.
case " ${VARIANT:-} " in
*" ftrace "*)
	APPEND+=" indirect_target_selection=force"
	# With several CPUs the other kind, which counts the depth of calls.
	APPEND_SMP="spectre_v2=retpoline indirect_target_selection=stuff"
	;;
esac
# Xen's own command line: domain 0 gets all CPUs and leaves Xen some memory. Xen
# ends with domain 0. QEMU reads what IRET returns to with the kernel's rights,
# also where a kernel in ring 3 executes it, which SMAP does not allow.
case " ${VARIANT:-} " in
*" xen "*)
	XEN="dom0_mem=1024M,max:1024M console=com1 com1=115200,8n1 loglvl=warning guest_loglvl=error"
	QEMU_ARGS+=(-cpu "max,smap=off" -m 2048)
	CONSOLE=hvc0
	;;
esac
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
