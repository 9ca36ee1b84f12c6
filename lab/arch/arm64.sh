# shellcheck shell=bash disable=SC2034
# Facts of arm64, for lab/common.sh.
KARCH=arm64
CROSS=aarch64-linux-gnu-
BUILD_PACKAGES=(gcc-aarch64-linux-gnu)
BUSYBOX_ARCH=arm64
KIMAGE=Image
KIMAGE_PATH=arch/arm64/boot/Image
QEMU_PACKAGE=qemu-system-arm
QEMU=qemu-system-aarch64
# One thread for all CPUs: see x86_64.sh. QEMU's own way of signing pointers
# costs a tenth of the time of the architecture's.
QEMU_ARGS=(-machine "virt,gic-version=3" -accel "tcg,thread=single" -cpu "max,pauth-impdef=on"
	-m 1024)
CONSOLE=ttyAMA0
# Where the kernel is configured for it.
APPEND=irqchip.gicv3_pseudo_nmi=1
CLOCK=
# A kernel for guests has a level for them, and looks at all they do there.
case " ${VARIANT:-} " in
*" kvm "*)
	QEMU_ARGS+=(-machine "virtualization=on")
	APPEND+=" kvm-arm.vgic_v3_common_trap=1 kvm-arm.vgic_v3_group0_trap=1 kvm-arm.vgic_v3_group1_trap=1"
	;;
esac
# Directories and objects that are the architecture's part of ours, and its own
# directory in the kernel.
ARCH_OBJECTS="arch/arm64/kernel/probes/"
SRCARCH=arm64
# It is never built for a single CPU.
COMBINATIONS="nokprobes nomodules preemptnone pages64k hardened"
# BRK and single step in QEMU's -d int.
TRAP_VECTORS='exception 7 \[Breakpoint\]'
