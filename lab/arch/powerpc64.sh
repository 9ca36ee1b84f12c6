# shellcheck shell=bash disable=SC2034
# Facts of 64-bit powerpc, big endian, for lab/common.sh.
KARCH=powerpc
CROSS=powerpc64-linux-gnu-
BUILD_PACKAGES=(gcc-powerpc64-linux-gnu)
BUSYBOX_LIBC=libc6-dev-ppc64-cross
KIMAGE=vmlinux
KIMAGE_PATH=vmlinux
QEMU_PACKAGE=qemu-system-ppc
QEMU=qemu-system-ppc64
# See powerpc64le.sh.
QEMU_ARGS=(-machine "pseries,x-vof=on,cap-cfpc=broken,cap-sbbc=broken,cap-ibs=broken,cap-ccf-assist=off"
	-accel "tcg,thread=single" -cpu power9 -m 1024 -vga none -nic none -prom-env "auto-boot?=true")
CONSOLE=hvc0
APPEND=
CLOCK=
ARCH_OBJECTS="arch/powerpc/kernel/probes/"
SRCARCH=powerpc
COMBINATIONS="nokprobes nomodules preemptnone"
TRAP_VECTORS='PROGRAM'
