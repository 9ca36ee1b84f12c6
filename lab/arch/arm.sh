# SPDX-License-Identifier: GPL-2.0-only
# shellcheck shell=bash disable=SC2034
# Settings for 32-bit Arm, read by lab/common.sh.
KARCH=arm
CROSS=arm-linux-gnueabihf-
BUILD_PACKAGES=(gcc-arm-linux-gnueabihf)
BUSYBOX_ARCH=armhf
KIMAGE=zImage
KIMAGE_PATH=arch/arm/boot/zImage
QEMU_PACKAGE=qemu-system-arm
QEMU=qemu-system-arm
# Each change of text stops the machine. If the CPUs shared a thread, waiting
# ones would use up their turns, and each change would take seconds.
QEMU_ARGS=(-machine virt -accel "tcg,thread=multi" -cpu cortex-a15 -m 1024)
CONSOLE=ttyAMA0
SRCARCH=arm
