# SPDX-License-Identifier: GPL-2.0-only
# shellcheck shell=bash disable=SC2034
# Settings for s390x, read by lab/common.sh.
KARCH=s390
CROSS=s390x-linux-gnu-
BUILD_PACKAGES=(gcc-s390x-linux-gnu)
BUSYBOX_ARCH=s390x
KIMAGE=bzImage
KIMAGE_PATH=arch/s390/boot/bzImage
QEMU_PACKAGE=qemu-system-misc
QEMU=qemu-system-s390x
# One thread runs all CPUs: see x86_64.sh.
QEMU_ARGS=(-machine s390-ccw-virtio -accel "tcg,thread=single" -m 1024)
CONSOLE=ttysclp0
SRCARCH=s390
