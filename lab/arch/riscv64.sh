# SPDX-License-Identifier: GPL-2.0-only
# shellcheck shell=bash disable=SC2034
# Settings for riscv64, read by lab/common.sh.
KARCH=riscv
CROSS=riscv64-linux-gnu-
BUILD_PACKAGES=(gcc-riscv64-linux-gnu)
BUSYBOX_ARCH=riscv64
# Debian 12 has no riscv64.
BUSYBOX_SUITE=trixie
KIMAGE=Image
KIMAGE_PATH=arch/riscv/boot/Image
QEMU_PACKAGE=qemu-system-misc
QEMU=qemu-system-riscv64
# Each change of text stops the machine: see arm.sh.
QEMU_ARGS=(-machine virt -accel "tcg,thread=multi" -cpu rv64 -m 1024)
CONSOLE=ttyS0
# QEMU 7.2 describes its CPUs by the older ISA string.
APPEND=riscv_isa_fallback
SRCARCH=riscv
TRAP_VECTORS='cause:0000000000000003'
