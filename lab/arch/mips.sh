# SPDX-License-Identifier: GPL-2.0-only
# shellcheck shell=bash disable=SC2034
# Settings for little endian 32-bit MIPS, read by lab/common.sh.
KARCH=mips
CROSS=mipsel-linux-gnu-
BUILD_PACKAGES=(gcc-mipsel-linux-gnu)
BUSYBOX_ARCH=mipsel
# Debian 13 has no mipsel.
BUSYBOX_SUITE=bookworm
KIMAGE=vmlinux
KIMAGE_PATH=vmlinux
QEMU_PACKAGE=qemu-system-mips
QEMU=qemu-system-mipsel
QEMU_ARGS=(-machine malta -cpu 34Kf -m 512)
# The board needs firmware, which QEMU lacks, to start its other CPUs.
MAX_CPUS=1
CONSOLE=ttyS0
SRCARCH=mips
