# shellcheck shell=bash disable=SC2034
# Facts of SH-4, for lab/common.sh: how to compile for it. No guest is known to
# run.
KARCH="sh"
CROSS=sh4-linux-gnu-
BUILD_PACKAGES=(gcc-sh4-linux-gnu)
BACKEND=(arch/sh/kernel/kprobes.o)
