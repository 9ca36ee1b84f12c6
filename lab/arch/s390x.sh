# shellcheck shell=bash disable=SC2034
# Facts of s390x, for lab/common.sh: how to compile for it. No guest is known to
# run.
KARCH=s390
CROSS=s390x-linux-gnu-
BUILD_PACKAGES=(gcc-s390x-linux-gnu)
BACKEND=(arch/s390/kernel/kprobes.o arch/s390/kernel/ftrace.o)
