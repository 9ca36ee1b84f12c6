# shellcheck shell=bash disable=SC2034
# Facts of SH-4, for lab/common.sh: how to compile for it. QEMU's board has started
# no kernel of this compiler: it leaves out comparisons of addresses with zero, and
# what unpacks the kernel ends in an error.
KARCH="sh"
CROSS=sh4-linux-gnu-
BUILD_PACKAGES=(gcc-sh4-linux-gnu)
BACKEND=(arch/sh/kernel/kprobes.o)
