# SPDX-License-Identifier: GPL-2.0-only
# shellcheck shell=bash disable=SC2034
# Settings for 64-bit little endian powerpc, read by lab/common.sh.
KARCH=powerpc
CROSS=powerpc64le-linux-gnu-
BUILD_PACKAGES=(gcc-powerpc64le-linux-gnu)
BUSYBOX_ARCH=ppc64el
KIMAGE=vmlinux
KIMAGE_PATH=vmlinux
QEMU_PACKAGE=qemu-system-ppc
QEMU=qemu-system-ppc64
# One thread runs all CPUs: see x86_64.sh. TCG lacks the workarounds that cap-*
# turns off. QEMU's built-in firmware starts at once, but formats the NVRAM only
# if a variable is to be stored there.
QEMU_ARGS=(-machine "pseries,x-vof=on,cap-cfpc=broken,cap-sbbc=broken,cap-ibs=broken,cap-ccf-assist=off"
	-accel "tcg,thread=single" -cpu power9 -m 1024 -vga none -prom-env "auto-boot?=true")
CONSOLE=hvc0
APPEND=
CLOCK=
# Our directories and objects of this architecture, and its directory in the
# kernel.
ARCH_OBJECTS="arch/powerpc/kernel/probes/"
SRCARCH=powerpc
# Other combinations make no sense here.
COMBINATIONS="nokprobes nomodules preemptnone"
# Program exceptions in QEMU's -d int.
TRAP_VECTORS='PROGRAM'
