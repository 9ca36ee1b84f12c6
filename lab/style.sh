# shellcheck shell=bash
# What checkpatch --strict is not asked about, and why. Sourced.

# LINE_SPACING: NOKPROBE_SYMBOL() belongs right behind its function.
# VSPRINTF_SPECIFIER_PX: the files show addresses to those who may see them.
# NEW_TYPEDEFS, AVOID_EXTERNS: kprobe_opcode_t and symbols of asm are given.
# CONFIG_DESCRIPTION: hidden options are described to no user.
# SPLIT_STRING: instructions in asm() stand one to a line.
IGNORE=LINE_SPACING,VSPRINTF_SPECIFIER_PX,NEW_TYPEDEFS,AVOID_EXTERNS,CONFIG_DESCRIPTION,SPLIT_STRING

# ignored FILE: what is not asked about this file.
ignored() {
	local ignore=$IGNORE

	case $1 in
	# Tables of assembly, and a target that has a BUG() to refuse.
	lib/*)
		ignore=$ignore,LEADING_SPACE,CAMELCASE,COMPLEX_MACRO,AVOID_BUG
		ignore=$ignore,MULTISTATEMENT_MACRO_USE_DO_WHILE
		ignore=$ignore,TRAILING_SEMICOLON,MACRO_ARG_UNUSED,MACRO_ARG_REUSE
		ignore=$ignore,VOLATILE,EMBEDDED_FUNCTION_NAME,MSLEEP ;;
	# Macros that make many functions.
	lab/modules/kprobe_beside.c)
		ignore=$ignore,COMPLEX_MACRO ;;
	# A list of which each table takes a part, and macros for any kind of probe.
	lab/modules/world_probes.c | lab/modules/kprobe_stubs.c)
		ignore=$ignore,MACRO_ARG_UNUSED,MACRO_ARG_REUSE ;;
	# Attributes of functions by a name, and macros for checks and for code.
	lab/modules/kprobe_abuse.c | lab/modules/races_place.c)
		ignore=$ignore,COMPLEX_MACRO,MACRO_ARG_REUSE
		ignore=$ignore,MACRO_ARG_PRECEDENCE ;;
	# It is there to crash.
	lab/modules/kprobe_panic.c)
		ignore=$ignore,AVOID_BUG ;;
	lab/*)
		ignore=$ignore,MSLEEP ;;
	# Where the way back is lost there is none on.
	*jprobe.c | */kretprobe.c)
		ignore=$ignore,AVOID_BUG ;;
	# The lines behind ours, which are not.
	arch/x86/kernel/unwind_orc.c | arch/powerpc/mm/book3s64/slb.c)
		ignore=$ignore,PARENTHESIS_ALIGNMENT ;;
	# The tracer's own tables, which have our list in them now.
	kernel/trace/trace_probe.*)
		ignore=$ignore,MACRO_ARG_UNUSED,SPACING,STATIC_CONST_CHAR_ARRAY ;;
	# Its lines begin with two spaces.
	arch/arm64/kernel/asm-offsets.c)
		ignore=$ignore,LEADING_SPACE ;;
	# A macro of the assembler.
	arch/x86/kernel/kprobes/common.h)
		ignore=$ignore,SPACING ;;
	# Lists of arguments for a macro that is an argument.
	include/linux/kprobes_reasons.h)
		ignore=$ignore,COMPLEX_MACRO,MACRO_ARG_REUSE,MACRO_ARG_UNUSED ;;
	# The variable of a loop.
	kernel/kprobes/internal.h)
		ignore=$ignore,MACRO_ARG_REUSE ;;
	# Elf_Sym, Elf_Shdr, Elf_Rela
	kernel/kprobes/module.c | kernel/kprobes/livepatch.c)
		ignore=$ignore,CAMELCASE ;;
	# A blank line of the context is a space.
	hooks/*)
		ignore=$ignore,TRAILING_WHITESPACE ;;
	esac
	echo "$ignore"
}

# kernel_style KIND FILE IGNORE: checkpatch's words, if it has any, and failure.
kernel_style() {
	local words

	words=$("$TREE/scripts/checkpatch.pl" --strict --no-tree --terse -q \
		--max-line-length=80 --ignore "$3" "$1" "$2" || true)
	words=$(echo "$words" | grep -v '^total: 0 errors, 0 warnings, 0 checks' || true)
	[ -z "$words" ] || { echo "$words"; return 1; }
}
