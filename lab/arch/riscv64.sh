# shellcheck shell=bash disable=SC2034
# Facts of riscv64, for lab/common.sh.
KARCH=riscv
CROSS=riscv64-linux-gnu-
BUILD_PACKAGES=(gcc-riscv64-linux-gnu)
BUSYBOX_ARCH=riscv64
# Which Debian 12 did not have.
BUSYBOX_SUITE=trixie
KIMAGE=Image
KIMAGE_PATH=arch/riscv/boot/Image
QEMU_PACKAGE=qemu-system-misc
QEMU=qemu-system-riscv64
# Probes stop the machine for each change: see arm.sh.
QEMU_ARGS=(-machine virt -accel "tcg,thread=multi" -cpu rv64 -m 1024)
CONSOLE=ttyS0
# QEMU 7.2 describes its CPUs in the old way.
APPEND=riscv_isa_fallback
CLOCK=
# The kernel's own backend, untouched.
ARCH_OBJECTS=
SRCARCH=riscv
COMBINATIONS=
TRAP_VECTORS='cause:0000000000000003'
