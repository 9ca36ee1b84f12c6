# shellcheck shell=bash disable=SC2034
# Facts of 32-bit PA-RISC, for lab/common.sh: how to compile for it. No guest is known to
# run.
KARCH=parisc
CROSS=hppa-linux-gnu-
BUILD_PACKAGES=(gcc-hppa-linux-gnu)
BACKEND=(arch/parisc/kernel/kprobes.o)
