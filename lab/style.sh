# SPDX-License-Identifier: GPL-2.0-only
# shellcheck shell=bash
# Ignored types of checkpatch --strict, and why. Sourced.

# LINE_SPACING: NOKPROBE_SYMBOL() belongs directly after its function.
# VSPRINTF_SPECIFIER_PX: the files show addresses to privileged readers.
# NEW_TYPEDEFS, AVOID_EXTERNS: for kprobe_opcode_t and symbols of assembly.
# CONFIG_DESCRIPTION: hidden options need no description.
# SPLIT_STRING: asm() has one instruction per line.
# ALLOC_WITH_SIZEOF: only 7.3 has kmalloc_obj().
IGNORE=LINE_SPACING,VSPRINTF_SPECIFIER_PX,NEW_TYPEDEFS,AVOID_EXTERNS,CONFIG_DESCRIPTION,SPLIT_STRING,ALLOC_WITH_SIZEOF

# ignored FILE: print the types that are ignored for this file.
ignored() {
	local ignore=$IGNORE

	case $1 in
	# Tables of assembly, and a target function with a BUG() to refuse.
	lib/*)
		ignore=$ignore,LEADING_SPACE,CAMELCASE,AVOID_BUG
		ignore=$ignore,TRAILING_SEMICOLON,MACRO_ARG_UNUSED,MACRO_ARG_REUSE
		ignore=$ignore,VOLATILE,EMBEDDED_FUNCTION_NAME,MSLEEP ;;
	# Lists with columns that some tables ignore, and macros for any probe.
	lab/modules/world_probes.c | lab/modules/kprobe_stubs.c)
		ignore=$ignore,MACRO_ARG_UNUSED,MACRO_ARG_REUSE ;;
	# Macros for attributes, checks and code.
	lab/modules/kprobe_abuse.c | lab/modules/races_place.c)
		ignore=$ignore,COMPLEX_MACRO,MACRO_ARG_REUSE
		ignore=$ignore,MACRO_ARG_PRECEDENCE ;;
	# This module crashes on purpose.
	lab/modules/kprobe_panic.c)
		ignore=$ignore,AVOID_BUG ;;
	lab/*)
		ignore=$ignore,MSLEEP ;;
	# Execution cannot continue without a return address.
	*jprobe.c | */kretprobe.c)
		ignore=$ignore,AVOID_BUG ;;
	# The lines after ours belong to stock.
	arch/x86/kernel/unwind_orc.c | arch/powerpc/mm/book3s64/slb.c)
		ignore=$ignore,PARENTHESIS_ALIGNMENT ;;
	# Existing tables of the tracer, which now contain our list.
	kernel/trace/trace_probe.*)
		ignore=$ignore,MACRO_ARG_UNUSED,SPACING,STATIC_CONST_CHAR_ARRAY ;;
	# All lines of this file begin with two spaces.
	arch/arm64/kernel/asm-offsets.c)
		ignore=$ignore,LEADING_SPACE ;;
	# Lists that pass arguments to a macro parameter.
	include/linux/kprobes_reasons.h)
		ignore=$ignore,MACRO_ARG_REUSE,MACRO_ARG_UNUSED ;;
	# A loop variable.
	kernel/kprobes/internal.h)
		ignore=$ignore,MACRO_ARG_REUSE ;;
	# Elf_Sym, Elf_Shdr, Elf_Rela
	kernel/kprobes/module.c)
		ignore=$ignore,CAMELCASE ;;
	# In a patch, a blank context line is a space. Exceptions of mips and
	# their handlers have the same names.
	hooks/*)
		ignore=$ignore,TRAILING_WHITESPACE,REPEATED_WORD ;;
	esac
	echo "$ignore"
}

# kernel_style KIND FILE IGNORE: print checkpatch's messages, and fail on any.
kernel_style() {
	local words

	words=$("$TREE/scripts/checkpatch.pl" --strict --no-tree --terse -q \
		--max-line-length=80 --ignore "$3" "$1" "$2" || true)
	words=$(echo "$words" | grep -v '^total: 0 errors, 0 warnings, 0 checks' || true)
	[ -z "$words" ] || { echo "$words"; return 1; }
}
