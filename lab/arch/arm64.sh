# SPDX-License-Identifier: GPL-2.0-only
# shellcheck shell=bash disable=SC2034
# Settings for arm64, read by lab/common.sh.
KARCH=arm64
CROSS=aarch64-linux-gnu-
BUILD_PACKAGES=(gcc-aarch64-linux-gnu)
BUSYBOX_ARCH=arm64
KIMAGE=Image
KIMAGE_PATH=arch/arm64/boot/Image
QEMU_PACKAGE=qemu-system-arm
QEMU=qemu-system-aarch64
# One thread runs all CPUs: see x86_64.sh. QEMU's own algorithm for signed
# pointers takes a tenth of the time of the architecture's.
QEMU_ARGS=(-machine "virt,gic-version=3" -accel "tcg,thread=single" -cpu "max,pauth-impdef=on"
	-m 1024)
CONSOLE=ttyAMA0
# Only a kernel with CONFIG_ARM64_PSEUDO_NMI uses it.
APPEND=irqchip.gicv3_pseudo_nmi=1
CLOCK=
# KVM needs EL2; trap all that guests do to the interrupt controller.
case " ${VARIANT:-} " in
*" kvm "*)
	QEMU_ARGS+=(-machine "virtualization=on")
	APPEND+=" kvm-arm.vgic_v3_common_trap=1 kvm-arm.vgic_v3_group0_trap=1 kvm-arm.vgic_v3_group1_trap=1"
	;;
esac
# Our directories and objects of this architecture, and its directory in the
# kernel.
ARCH_OBJECTS="arch/arm64/kernel/probes/"
SRCARCH=arm64
# Without "up": arm64 has no kernel for a single CPU.
COMBINATIONS="nokprobes nomodules preemptnone pages64k hardened"
# BRK and single step in QEMU's -d int.
TRAP_VECTORS='exception 7 \[Breakpoint\]'
