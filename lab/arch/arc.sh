# SPDX-License-Identifier: GPL-2.0-only
# shellcheck shell=bash disable=SC2034
# Settings for ARC, read by lab/common.sh. Compile only: no guest is known to
# run.
KARCH=arc
CROSS=arc-linux-gnu-
BUILD_PACKAGES=(gcc-arc-linux-gnu)
BACKEND=(arch/arc/kernel/kprobes.o arch/arc/kernel/kprobes-quirks.o)
