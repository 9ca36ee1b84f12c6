# shellcheck shell=bash disable=SC2034
# Facts of x86-64, for lab/common.sh.
KARCH=x86_64
CROSS=
KIMAGE=bzImage
KIMAGE_PATH=arch/x86/boot/bzImage
QEMU_PACKAGE=qemu-system-x86
QEMU=qemu-system-x86_64
QEMU_ARGS=(-machine pc -cpu max -m 1024)
CONSOLE=ttyS0
