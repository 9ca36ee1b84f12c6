# shellcheck shell=bash disable=SC2034
# Facts of ARC, for lab/common.sh: how to compile for it. No guest is known to
# run.
KARCH=arc
CROSS=arc-linux-gnu-
BUILD_PACKAGES=(gcc-arc-linux-gnu)
BACKEND=(arch/arc/kernel/kprobes.o)
