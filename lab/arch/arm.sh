# shellcheck shell=bash disable=SC2034
# Facts of 32-bit Arm, for lab/common.sh.
KARCH=arm
CROSS=arm-linux-gnueabihf-
BUILD_PACKAGES=(gcc-arm-linux-gnueabihf)
BUSYBOX_ARCH=armhf
KIMAGE=zImage
KIMAGE_PATH=arch/arm/boot/zImage
QEMU_PACKAGE=qemu-system-arm
QEMU=qemu-system-arm
# Probes stop the machine for each change.  CPUs that wait for each other would
# use up their turns if they shared a thread, and it would take seconds.
QEMU_ARGS=(-machine virt -accel "tcg,thread=multi" -cpu cortex-a15 -m 1024)
CONSOLE=ttyAMA0
APPEND=
CLOCK=
# The kernel's own backend, untouched.
ARCH_OBJECTS=
SRCARCH=arm
COMBINATIONS=
