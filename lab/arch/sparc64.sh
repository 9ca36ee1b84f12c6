# shellcheck shell=bash disable=SC2034
# Facts of sparc64, for lab/common.sh: how to compile for it. No guest is known to
# run.
KARCH=sparc
CROSS=sparc64-linux-gnu-
BUILD_PACKAGES=(gcc-sparc64-linux-gnu)
BACKEND=(arch/sparc/kernel/kprobes.o)
