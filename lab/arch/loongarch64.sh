# SPDX-License-Identifier: GPL-2.0-only
# shellcheck shell=bash disable=SC2034
# Settings for LoongArch, read by lab/common.sh. Compile only, with LLVM because
# Debian 12 has no gcc for it. No guest is known to run.
KARCH=loongarch
CROSS=loongarch64-linux-gnu-
BUILD_PACKAGES=()
BACKEND=(arch/loongarch/kernel/kprobes.o arch/loongarch/kernel/kprobes-quirks.o
	arch/loongarch/kernel/rethook.o
	arch/loongarch/kernel/rethook_trampoline.o arch/loongarch/kernel/ftrace_dyn.o)
