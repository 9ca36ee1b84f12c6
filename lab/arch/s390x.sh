# shellcheck shell=bash disable=SC2034
# Facts of s390x, for lab/common.sh.
KARCH=s390
CROSS=s390x-linux-gnu-
BUILD_PACKAGES=(gcc-s390x-linux-gnu)
BUSYBOX_ARCH=s390x
KIMAGE=bzImage
KIMAGE_PATH=arch/s390/boot/bzImage
QEMU_PACKAGE=qemu-system-misc
QEMU=qemu-system-s390x
# One thread for all CPUs: see x86_64.sh.
QEMU_ARGS=(-machine s390-ccw-virtio -accel "tcg,thread=single" -m 1024)
CONSOLE=ttysclp0
APPEND=
CLOCK=
# The kernel's own backend, untouched.
ARCH_OBJECTS=
SRCARCH=s390
COMBINATIONS=
