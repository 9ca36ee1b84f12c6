# shellcheck shell=bash disable=SC2034
# Facts of LoongArch, for lab/common.sh: how to compile for it, by LLVM, for Debian
# 12 has no other compiler. No guest is known to run.
KARCH=loongarch
CROSS=loongarch64-linux-gnu-
BUILD_PACKAGES=()
BACKEND=(arch/loongarch/kernel/kprobes.o arch/loongarch/kernel/rethook.o
	arch/loongarch/kernel/rethook_trampoline.o arch/loongarch/kernel/ftrace_dyn.o)
