# shellcheck shell=bash disable=SC2034
# Facts of sparc64, for lab/common.sh.
KARCH=sparc
CROSS=sparc64-linux-gnu-
BUILD_PACKAGES=(gcc-sparc64-linux-gnu)
BUSYBOX_LIBC=libc6-dev-sparc64-cross
# Stable kernels have moved FMODE_NONOTIFY to the bit that is O_TMPFILE here, and
# so fail at an assertion of fs/fcntl.c.  There is none in code that is not optimized.
KMAKE_ARGS=(CFLAGS_fcntl.o=-U__OPTIMIZE__)
KIMAGE=image
KIMAGE_PATH=arch/sparc/boot/image
QEMU_PACKAGE=qemu-system-sparc
QEMU=qemu-system-sparc64
QEMU_ARGS=(-machine sun4u -m 512)
# QEMU's machine has one.
MAX_CPUS=1
CONSOLE=ttyS0
# The firmware cannot start it again.
APPEND=END=poweroff
CLOCK=
# The kernel's own backend, untouched.
ARCH_OBJECTS=
SRCARCH=sparc
COMBINATIONS=
