// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * KUnit suites for kprobes on arm64: what the decoder makes of encodings; that
 * each class of instructions does with a probe on it what it does without, by
 * breakpoint, with a post handler and by a branch; what is refused; what
 * handlers find in registers; and faults.
 */
#include <kunit/test.h>
#include <linux/completion.h>
#include <linux/cpuidle.h>
#include <linux/delay.h>
#include <linux/fs.h>
#include <linux/ftrace.h>
#include <linux/hrtimer.h>
#include <linux/kallsyms.h>
#include <linux/kasan-enabled.h>
#include <linux/kprobes.h>
#include <linux/kprobes_backend.h>
#include <linux/kthread.h>
#include <linux/ktime.h>
#include <linux/mman.h>
#include <linux/prandom.h>
#include <linux/sched.h>
#include <linux/stacktrace.h>
#include <linux/uaccess.h>
#include <uapi/linux/sched/types.h>
#include <asm/asm-extable.h>
#include <asm/cpufeature.h>
#include <asm/debug-monitors.h>
#include <asm/insn.h>
#include <asm/irq_regs.h>
#include <asm/ptrace.h>
#include <asm/sections.h>
#include "../../arch/arm64/kernel/probes/decode-insn.h"
#include "test.h"

/*
 * The decoder: bits in, class out.
 */

static const struct decode_case {
	u32 insn;
	enum a64_how how;
	const char *text;
} decode_cases[] = {
	{ 0x14000002, A64_B, "b .+8" },
	{ 0x17fffc00, A64_B, "b .-4096" },
	{ 0x94000100, A64_BL, "bl .+1024" },
	{ 0x54000040, A64_BCOND, "b.eq .+8" },
	{ 0x54ffffc1, A64_BCOND, "b.ne .-8" },
	{ 0x54000042, A64_BCOND, "b.cs .+8" },
	{ 0x5400020b, A64_BCOND, "b.lt .+64" },
	{ 0x5400004e, A64_BCOND, "b.al .+8" },
	{ 0x54000050, A64_BCOND, "bc.eq .+8" },
	{ 0xb4000040, A64_CBZ, "cbz x0, .+8" },
	{ 0x35ffffc5, A64_CBZ, "cbnz w5, .-8" },
	{ 0x3400005f, A64_CBZ, "cbz wzr, .+8" },
	{ 0xb6f80043, A64_TBZ, "tbz x3, #63, .+8" },
	{ 0x3707ffde, A64_TBZ, "tbnz w30, #0, .-8" },
	{ 0xd61f0000, A64_BR, "br x0" },
	{ 0xd61f0200, A64_BR, "br x16" },
	{ 0xd61f03c0, A64_BR, "br x30" },
	{ 0xd63f0020, A64_BLR, "blr x1" },
	{ 0xd63f03c0, A64_BLR, "blr x30" },
	{ 0xd65f03c0, A64_RET, "ret" },
	{ 0xd65f00a0, A64_RET, "ret x5" },
	{ 0xd65f0bff, A64_RET, "retaa" },
	{ 0xd65f0fff, A64_RET, "retab" },
	{ 0xd71f0822, A64_BR, "braa x1, x2" },
	{ 0xd71f0c3f, A64_BR, "brab x1, sp" },
	{ 0xd61f087f, A64_BR, "braaz x3" },
	{ 0xd61f0c9f, A64_BR, "brabz x4" },
	{ 0xd73f0822, A64_BLR, "blraa x1, x2" },
	{ 0xd73f0d3f, A64_BLR, "blrab x9, sp" },
	{ 0xd63f087f, A64_BLR, "blraaz x3" },
	{ 0xd63f0fdf, A64_BLR, "blrabz x30" },
	{ 0xd69f03e0, A64_ERET, "eret" },
	{ 0xd69f0bff, A64_ERET, "eretaa" },
	{ 0xd69f0fff, A64_ERET, "eretab" },
	{ 0xd6bf03e0, A64_ERET, "drps" },
	{ 0xd4000001, A64_CALLS_UP, "svc #0" },
	{ 0xd41fffe1, A64_CALLS_UP, "svc #0xffff" },
	{ 0xd4000002, A64_CALLS_UP, "hvc #0" },
	{ 0xd4000003, A64_CALLS_UP, "smc #0" },
	{ 0xd4200080, A64_TRAP, "brk #4" },
	{ 0xd4210000, A64_TRAP, "brk #0x800" },
	{ 0xd4400020, A64_TRAP, "hlt #1" },
	{ 0xd4a00001, A64_TRAP, "dcps1" },
	{ 0xd4a00003, A64_TRAP, "dcps3" },
	{ 0x00000000, A64_TRAP, "udf #0" },
	{ 0x0000ffff, A64_TRAP, "udf #0xffff" },
	{ 0x10000020, A64_ADR, "adr x0, .+4" },
	{ 0x70fffffe, A64_ADR, "adr x30, .-1" },
	{ 0x90000001, A64_ADR, "adrp x1, .+4096" },
	{ 0x90000002, A64_ADR, "adrp x2, .-8192" },
	{ 0x58000040, A64_LDR, "ldr x0, .+8" },
	{ 0x18ffffc1, A64_LDR, "ldr w1, .-8" },
	{ 0x98000082, A64_LDR, "ldrsw x2, .+16" },
	{ 0x1c000040, A64_LDR_FP, "ldr s0, .+8" },
	{ 0x5c000041, A64_LDR_FP, "ldr d1, .+8" },
	{ 0x9c000082, A64_LDR_FP, "ldr q2, .+16" },
	{ 0xd8000040, A64_PREFETCH, "prfm pldl1keep, .+8" },
	{ 0xd8ffffd3, A64_PREFETCH, "prfm pstl2strm, .-8" },
	{ 0xd503201f, A64_NOP, "nop" },
	{ 0xd503241f, A64_LANDING, "bti" },
	{ 0xd503245f, A64_LANDING, "bti c" },
	{ 0xd503249f, A64_LANDING, "bti j" },
	{ 0xd50324df, A64_LANDING, "bti jc" },
	{ 0xd503203f, A64_PLAIN, "yield" },
	{ 0xd503205f, A64_PLAIN, "wfe" },
	{ 0xd503207f, A64_PLAIN, "wfi" },
	{ 0xd503209f, A64_PLAIN, "sev" },
	{ 0xd50320bf, A64_PLAIN, "sevl" },
	{ 0xd50320df, A64_PLAIN, "dgh" },
	{ 0xd50320ff, A64_PLAIN, "xpaclri" },
	{ 0xd503211f, A64_PLAIN, "pacia1716" },
	{ 0xd503215f, A64_PLAIN, "pacib1716" },
	{ 0xd503219f, A64_PLAIN, "autia1716" },
	{ 0xd50321df, A64_PLAIN, "autib1716" },
	{ 0xd503221f, A64_PLAIN, "esb" },
	{ 0xd503223f, A64_PLAIN, "psb csync" },
	{ 0xd503225f, A64_PLAIN, "tsb csync" },
	{ 0xd503229f, A64_PLAIN, "csdb" },
	{ 0xd503231f, A64_PLAIN, "paciaz" },
	{ 0xd503233f, A64_PLAIN, "paciasp" },
	{ 0xd503237f, A64_PLAIN, "pacibsp" },
	{ 0xd503239f, A64_PLAIN, "autiaz" },
	{ 0xd50323bf, A64_PLAIN, "autiasp" },
	{ 0xd50323ff, A64_PLAIN, "autibsp" },
	{ 0xd50322df, A64_PLAIN, "hint #22" },
	{ 0xd503251f, A64_PLAIN, "hint #40" },
	{ 0xd50324ff, A64_WHERE, "hint #39" },
	{ 0xd5031000, A64_PLAIN, "wfet x0" },
	{ 0xd5031021, A64_PLAIN, "wfit x1" },
	{ 0xd5033f5f, A64_PLAIN, "clrex" },
	{ 0xd5033f9f, A64_PLAIN, "dsb sy" },
	{ 0xd5033b9f, A64_PLAIN, "dsb ish" },
	{ 0xd50339bf, A64_PLAIN, "dmb ishld" },
	{ 0xd5033fdf, A64_PLAIN, "isb" },
	{ 0xd50330ff, A64_PLAIN, "sb" },
	{ 0xd503309f, A64_PLAIN, "ssbb" },
	{ 0xd503349f, A64_PLAIN, "pssbb" },
	{ 0xd50342df, A64_PLAIN, "msr daifset, #2" },
	{ 0xd50342ff, A64_PLAIN, "msr daifclr, #2" },
	{ 0xd5034fdf, A64_PLAIN, "msr daifset, #0xf" },
	{ 0xd500419f, A64_PLAIN, "msr pan, #1" },
	{ 0xd500417f, A64_PLAIN, "msr uao, #1" },
	{ 0xd503415f, A64_PLAIN, "msr dit, #1" },
	{ 0xd503413f, A64_PLAIN, "msr ssbs, #1" },
	{ 0xd503419f, A64_PLAIN, "msr tco, #1" },
	{ 0xd503477f, A64_PLAIN, "smstart" },
	{ 0xd503447f, A64_PLAIN, "smstop za" },
	{ 0xd500401f, A64_PLAIN, "cfinv" },
	{ 0xd500405f, A64_PLAIN, "axflag" },
	{ 0xd500403f, A64_PLAIN, "xaflag" },
	{ 0xd50040bf, A64_BANKED, "msr spsel, #0" },
	{ 0xd50041bf, A64_BANKED, "msr spsel, #1" },
	{ 0xd53b4220, A64_PLAIN, "mrs x0, daif" },
	{ 0xd51b4221, A64_PLAIN, "msr daif, x1" },
	{ 0xd53b4200, A64_PLAIN, "mrs x0, nzcv" },
	{ 0xd51b4202, A64_PLAIN, "msr nzcv, x2" },
	{ 0xd5384240, A64_PLAIN, "mrs x0, CurrentEL" },
	{ 0xd5384100, A64_PLAIN, "mrs x0, sp_el0" },
	{ 0xd5184103, A64_PLAIN, "msr sp_el0, x3" },
	{ 0xd538d080, A64_PLAIN, "mrs x0, tpidr_el1" },
	{ 0xd53be040, A64_PLAIN, "mrs x0, cntvct_el0" },
	{ 0xd5380000, A64_PLAIN, "mrs x0, midr_el1" },
	{ 0xd5182001, A64_PLAIN, "msr ttbr0_el1, x1" },
	{ 0xd51bd041, A64_PLAIN, "msr tpidr_el0, x1" },
	{ 0xd53d4000, A64_PLAIN, "mrs x0, spsr_el12" },
	{ 0xd53d4020, A64_PLAIN, "mrs x0, elr_el12" },
	{ 0xd53bf2e9, A64_PLAIN, "mrs x9, S3_3_C15_C2_7" },
	{ 0xd5384020, A64_BANKED, "mrs x0, elr_el1" },
	{ 0xd5184020, A64_BANKED, "msr elr_el1, x0" },
	{ 0xd5384001, A64_BANKED, "mrs x1, spsr_el1" },
	{ 0xd5184001, A64_BANKED, "msr spsr_el1, x1" },
	{ 0xd5385202, A64_BANKED, "mrs x2, esr_el1" },
	{ 0xd5386003, A64_BANKED, "mrs x3, far_el1" },
	{ 0xd53c4024, A64_BANKED, "mrs x4, elr_el2" },
	{ 0xd53c4005, A64_BANKED, "mrs x5, spsr_el2" },
	{ 0xd53c5206, A64_BANKED, "mrs x6, esr_el2" },
	{ 0xd53c6007, A64_BANKED, "mrs x7, far_el2" },
	{ 0xd5384208, A64_BANKED, "mrs x8, spsel" },
	{ 0xd5184208, A64_BANKED, "msr spsel, x8" },
	{ 0xd50b7420, A64_PLAIN, "sys #3, c7, c4, #1, x0" },
	{ 0xd52b7420, A64_PLAIN, "sysl x0, #3, c7, c4, #1" },
	{ 0xd50b7420, A64_PLAIN, "dc zva, x0" },
	{ 0xd50b7b21, A64_PLAIN, "dc cvau, x1" },
	{ 0xd50b7521, A64_PLAIN, "ic ivau, x1" },
	{ 0xd508711f, A64_PLAIN, "ic ialluis" },
	{ 0xd5087800, A64_PLAIN, "at s1e1r, x0" },
	{ 0xd508831f, A64_PLAIN, "tlbi vmalle1is" },
	{ 0xd5088322, A64_PLAIN, "tlbi vae1is, x2" },
	{ 0xc85f7c20, A64_LOAD_EX, "ldxr x0, [x1]" },
	{ 0x085f7c20, A64_LOAD_EX, "ldxrb w0, [x1]" },
	{ 0x485f7c20, A64_LOAD_EX, "ldxrh w0, [x1]" },
	{ 0x885ffc20, A64_LOAD_EX, "ldaxr w0, [x1]" },
	{ 0x085ffc20, A64_LOAD_EX, "ldaxrb w0, [x1]" },
	{ 0xc87f0440, A64_LOAD_EX, "ldxp x0, x1, [x2]" },
	{ 0x887f8440, A64_LOAD_EX, "ldaxp w0, w1, [x2]" },
	{ 0xc8007c41, A64_STORE_EX, "stxr w0, x1, [x2]" },
	{ 0x08007c41, A64_STORE_EX, "stxrb w0, w1, [x2]" },
	{ 0xc800fc41, A64_STORE_EX, "stlxr w0, x1, [x2]" },
	{ 0x4800fc41, A64_STORE_EX, "stlxrh w0, w1, [x2]" },
	{ 0xc8200861, A64_STORE_EX, "stxp w0, x1, x2, [x3]" },
	{ 0x88208861, A64_STORE_EX, "stlxp w0, w1, w2, [x3]" },
	{ 0xc8dffc20, A64_PLAIN, "ldar x0, [x1]" },
	{ 0x08dffc20, A64_PLAIN, "ldarb w0, [x1]" },
	{ 0xc89ffc20, A64_PLAIN, "stlr x0, [x1]" },
	{ 0x489ffc20, A64_PLAIN, "stlrh w0, [x1]" },
	{ 0xc8df7c20, A64_PLAIN, "ldlar x0, [x1]" },
	{ 0xc89f7c20, A64_PLAIN, "stllr x0, [x1]" },
	{ 0xf8bfc020, A64_PLAIN, "ldapr x0, [x1]" },
	{ 0xd9408020, A64_PLAIN, "ldapur x0, [x1, #8]" },
	{ 0xd91f8020, A64_PLAIN, "stlur x0, [x1, #-8]" },
	{ 0xc8a07c41, A64_PLAIN, "cas x0, x1, [x2]" },
	{ 0x88e0fc41, A64_PLAIN, "casal w0, w1, [x2]" },
	{ 0x08a07c41, A64_PLAIN, "casb w0, w1, [x2]" },
	{ 0x48207c82, A64_PLAIN, "casp x0, x1, x2, x3, [x4]" },
	{ 0x0860fc82, A64_PLAIN, "caspal w0, w1, w2, w3, [x4]" },
	{ 0xf8200041, A64_PLAIN, "ldadd x0, x1, [x2]" },
	{ 0xb8e01041, A64_PLAIN, "ldclral w0, w1, [x2]" },
	{ 0xf8203041, A64_PLAIN, "ldset x0, x1, [x2]" },
	{ 0xf8202041, A64_PLAIN, "ldeor x0, x1, [x2]" },
	{ 0xf8204041, A64_PLAIN, "ldsmax x0, x1, [x2]" },
	{ 0xf8208041, A64_PLAIN, "swp x0, x1, [x2]" },
	{ 0x38e08041, A64_PLAIN, "swpalb w0, w1, [x2]" },
	{ 0xf83fd100, A64_PLAIN, "ld64b x0, [x8]" },
	{ 0xf83f9100, A64_PLAIN, "st64b x0, [x8]" },
	{ 0xf821b100, A64_PLAIN, "st64bv x1, x0, [x8]" },
	{ 0x1d010440, A64_MOPS, "cpyp [x0]!, [x1]!, x2!" },
	{ 0x1d410440, A64_MOPS, "cpym [x0]!, [x1]!, x2!" },
	{ 0x1d810440, A64_MOPS, "cpye [x0]!, [x1]!, x2!" },
	{ 0x19010440, A64_MOPS, "cpyfp [x0]!, [x1]!, x2!" },
	{ 0x19410440, A64_MOPS, "cpyfm [x0]!, [x1]!, x2!" },
	{ 0x19810440, A64_MOPS, "cpyfe [x0]!, [x1]!, x2!" },
	{ 0x1901a440, A64_MOPS, "cpyfprtrn [x0]!, [x1]!, x2!" },
	{ 0x19c20420, A64_MOPS, "setp [x0]!, x1!, x2" },
	{ 0x19c24420, A64_MOPS, "setm [x0]!, x1!, x2" },
	{ 0x19c28420, A64_MOPS, "sete [x0]!, x1!, x2" },
	{ 0x1dc20420, A64_MOPS, "setgp [x0]!, x1!, x2" },
	{ 0x1dc28420, A64_MOPS, "setge [x0]!, x1!, x2" },
	{ 0xf9400020, A64_PLAIN, "ldr x0, [x1]" },
	{ 0xf8408c20, A64_PLAIN, "ldr x0, [x1, #8]!" },
	{ 0xf8408420, A64_PLAIN, "ldr x0, [x1], #8" },
	{ 0xf8627820, A64_PLAIN, "ldr x0, [x1, x2, lsl #3]" },
	{ 0xb9800420, A64_PLAIN, "ldrsw x0, [x1, #4]" },
	{ 0xf85fd020, A64_PLAIN, "ldur x0, [x1, #-3]" },
	{ 0xf9000be0, A64_PLAIN, "str x0, [sp, #16]" },
	{ 0x38224820, A64_PLAIN, "strb w0, [x1, w2, uxtw]" },
	{ 0xa9bf7bfd, A64_PLAIN, "stp x29, x30, [sp, #-16]!" },
	{ 0xa8c17bfd, A64_PLAIN, "ldp x29, x30, [sp], #16" },
	{ 0xa8400440, A64_PLAIN, "ldnp x0, x1, [x2]" },
	{ 0x69400440, A64_PLAIN, "ldpsw x0, x1, [x2]" },
	{ 0xf8400820, A64_PLAIN, "ldtr x0, [x1]" },
	{ 0xf8000820, A64_PLAIN, "sttr x0, [x1]" },
	{ 0xf8200420, A64_PLAIN, "ldraa x0, [x1]" },
	{ 0xf9800000, A64_PLAIN, "prfm pldl1keep, [x0]" },
	{ 0xd9600020, A64_PLAIN, "ldg x0, [x1]" },
	{ 0xd9200820, A64_PLAIN, "stg x0, [x1]" },
	{ 0xd9200020, A64_PLAIN, "stzgm x0, [x1]" },
	{ 0xd9e00020, A64_PLAIN, "ldgm x0, [x1]" },
	{ 0x9adf1020, A64_PLAIN, "irg x0, x1" },
	{ 0x9ac21420, A64_PLAIN, "gmi x0, x1, x2" },
	{ 0x9ac20020, A64_PLAIN, "subp x0, x1, x2" },
	{ 0x3dc00020, A64_PLAIN, "ldr q0, [x1]" },
	{ 0xfd000420, A64_PLAIN, "str d0, [x1, #8]" },
	{ 0x4c407000, A64_PLAIN, "ld1 {v0.16b}, [x0]" },
	{ 0x4c000800, A64_PLAIN, "st4 {v0.4s-v3.4s}, [x0]" },
	{ 0x91000420, A64_PLAIN, "add x0, x1, #1" },
	{ 0x2b020c20, A64_PLAIN, "adds w0, w1, w2, lsl #3" },
	{ 0xd10103ff, A64_PLAIN, "sub sp, sp, #64" },
	{ 0x92401c20, A64_PLAIN, "and x0, x1, #0xff" },
	{ 0xf240003f, A64_PLAIN, "ands xzr, x1, #1" },
	{ 0xaa0103e0, A64_PLAIN, "orr x0, xzr, x1" },
	{ 0xd2800020, A64_PLAIN, "movz x0, #1" },
	{ 0xf2e00020, A64_PLAIN, "movk x0, #1, lsl #48" },
	{ 0x92800000, A64_PLAIN, "movn x0, #0" },
	{ 0xd3431420, A64_PLAIN, "ubfm x0, x1, #3, #5" },
	{ 0x93c20c20, A64_PLAIN, "extr x0, x1, x2, #3" },
	{ 0x9a820020, A64_PLAIN, "csel x0, x1, x2, eq" },
	{ 0xfa411000, A64_PLAIN, "ccmp x0, x1, #0, ne" },
	{ 0x9b020c20, A64_PLAIN, "madd x0, x1, x2, x3" },
	{ 0x9bc27c20, A64_PLAIN, "umulh x0, x1, x2" },
	{ 0x9ac20820, A64_PLAIN, "udiv x0, x1, x2" },
	{ 0x9ac22020, A64_PLAIN, "lslv x0, x1, x2" },
	{ 0x9ac24c20, A64_PLAIN, "crc32x w0, w1, x2" },
	{ 0xdac00020, A64_PLAIN, "rbit x0, x1" },
	{ 0xdac01020, A64_PLAIN, "clz x0, x1" },
	{ 0xdac10020, A64_PLAIN, "pacia x0, x1" },
	{ 0xdac11420, A64_PLAIN, "autib x0, x1" },
	{ 0xdac143e0, A64_PLAIN, "xpaci x0" },
	{ 0x9ac23020, A64_PLAIN, "pacga x0, x1, x2" },
	{ 0x3a00080d, A64_PLAIN, "setf8 w0" },
	{ 0xba008401, A64_PLAIN, "rmif x0, #1, #1" },
	{ 0x1e622820, A64_PLAIN, "fadd d0, d1, d2" },
	{ 0x9e660000, A64_PLAIN, "fmov x0, d0" },
	{ 0x9e620000, A64_PLAIN, "scvtf d0, x0" },
	{ 0x1e620c20, A64_PLAIN, "fcsel d0, d1, d2, eq" },
	{ 0x4e284820, A64_PLAIN, "aese v0.16b, v1.16b" },
	{ 0x5e024020, A64_PLAIN, "sha256h q0, q1, v2.4s" },
	{ 0x0ee2e020, A64_PLAIN, "pmull v0.1q, v1.1d, v2.1d" },
	{ 0x4e020020, A64_PLAIN, "tbl v0.16b, {v1.16b}, v2.16b" },
	{ 0x6e42fc20, A64_PLAIN, "bfdot v0.4s, v1.8h, v2.8h" },
	{ 0x2518e3e0, A64_PLAIN, "ptrue p0.b" },
	{ 0x25211c00, A64_PLAIN, "whilelo p0.b, x0, x1" },
	{ 0x04220020, A64_PLAIN, "add z0.b, z1.b, z2.b" },
	{ 0xa400a000, A64_PLAIN, "ld1b {z0.b}, p0/z, [x0]" },
	{ 0xe581a000, A64_PLAIN, "st1d {z0.d}, p0, [x0, z1.d]" },
	{ 0xa41f6000, A64_PLAIN, "ldff1b {z0.b}, p0/z, [x0]" },
	{ 0x04bf5020, A64_PLAIN, "rdvl x0, #1" },
	{ 0x0430e3e0, A64_PLAIN, "incb x0" },
	{ 0x043f57ff, A64_PLAIN, "addvl sp, sp, #-1" },
	{ 0x252c9000, A64_PLAIN, "setffr" },
	{ 0x04a2a020, A64_PLAIN, "adr z0.s, [z1.s, z2.s]" },
	{ 0x6462e420, A64_PLAIN, "bfmmla z0.s, z1.h, z2.h" },
	{ 0xc00800ff, A64_PLAIN, "zero {za}" },
	{ 0xe1000000, A64_PLAIN, "ldr za[w12, 0], [x0]" },
	{ 0x80812000, A64_PLAIN, "fmopa za0.s, p0/m, p1/m, z0.s, z1.s" },
	{ 0x04bf5820, A64_PLAIN, "rdsvl x0, #1" },
	{ 0x25244440, A64_PLAIN, "psel p0, p1, p2.b[w12, 0]" },
	{ 0xdac1a1fe, A64_WHERE, "paciasppc" },
	{ 0xdac1a5fe, A64_WHERE, "pacibsppc" },
	{ 0xdac181fe, A64_WHERE, "pacnbiasppc" },
	{ 0xf380001f, A64_WHERE, "autiasppc" },
	{ 0xf3a0001f, A64_WHERE, "autibsppc" },
	{ 0x5500001f, A64_WHERE, "retaasppc" },
	{ 0x5520001f, A64_WHERE, "retabsppc" },
	{ 0xd65f0be3, A64_WHERE, "retaasppcr x3" },
	{ 0x74000000, A64_WHERE, "cbgt w0, w0" },
	{ 0xf4c00000, A64_WHERE, "cbeq x0, x0" },
	{ 0x75000000, A64_WHERE, "cbgt w0, #0" },
	{ 0xc95f7c20, A64_LOAD_EX, "ldtxr x0, [x1]" },
	{ 0xc9007c41, A64_STORE_EX, "sttxr w0, x1, [x2]" },
	{ 0x02000000, A64_NONE, "reserved" },
	{ 0x66000000, A64_NONE, "reserved" },
	{ 0xd6ffffff, A64_NONE, "unallocated branch" },
	{ 0xd4600000, A64_TRAP, "tcancel #0" },
};

static void test_decode(struct kunit *test)
{
	struct a64_insn what;
	unsigned int i;

	BUILD_BUG_ON(ARRAY_SIZE(decode_cases) < 200);
	for (i = 0; i < ARRAY_SIZE(decode_cases); i++) {
		const struct decode_case *c = &decode_cases[i];

		a64_decode(c->insn, 0, &what);
		KUNIT_EXPECT_EQ_MSG(test, what.how, c->how, "%08x %s",
				    c->insn, c->text);
	}
	kunit_info(test, "%zu encodings", ARRAY_SIZE(decode_cases));
}

/* Where branches and addresses lead that stand at this one. */
#define HERE	0xffff800080001000UL

static const struct target_case {
	u32 insn;
	unsigned long target;
} target_cases[] = {
	{ 0x14000002, HERE + 8 },		/* b */
	{ 0x15ffffff, HERE + 0x7fffffc },
	{ 0x16000000, HERE - 0x8000000 },
	{ 0x94000100, HERE + 1024 },		/* bl */
	{ 0x54ffffc1, HERE - 8 },		/* b.ne */
	{ 0x547fffe1, HERE + 0xffffc },
	{ 0xb4800000, HERE - 0x100000 },	/* cbz */
	{ 0x3707ffde, HERE - 8 },		/* tbnz */
	{ 0x3603ffe0, HERE + 0x7ffc },		/* tbz */
	{ 0x36040000, HERE - 0x8000 },
	{ 0x70fffffe, HERE - 1 },		/* adr */
	{ 0x10000020, HERE + 4 },
	{ 0x307fffe0, HERE + 0xffffd },
	{ 0xb0000001, HERE + 4096 },		/* adrp */
	{ 0xd0ffffe2, HERE - 8192 },
	{ 0x58000040, HERE + 8 },		/* ldr */
	{ 0x98ffffc0, HERE - 8 },		/* ldrsw */
};

static void test_targets(struct kunit *test)
{
	struct a64_insn what;
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(target_cases); i++) {
		a64_decode(target_cases[i].insn, HERE, &what);
		KUNIT_EXPECT_EQ_MSG(test, what.target, target_cases[i].target,
				    "%08x", target_cases[i].insn);
	}
}

static struct kunit_case decode_tests[] = {
	KUNIT_CASE(test_decode),
	KUNIT_CASE(test_targets),
	{}
};

static struct kunit_suite decode_suite = {
	.name = "kprobes_arm64_decode",
	.test_cases = decode_tests,
};

/*
 * Instructions on random operands, with and without a probe
 */

/*
 * CODE(name, before, probed, after): a function around the probed instruction,
 * which stands where probe_<name> points.  It gets and leaves values in x0 to
 * x5 and flags, keeps x9, where it would return to, and has a frame.
 */
#define CODE(name, before, probed, after)				\
	asm(".pushsection .text\n"					\
	    ".arch_extension pauth\n"					\
	    ".balign 16\n"						\
	    ".type code_" #name ", @function\n"				\
	    "code_" #name ":\n\t"					\
	    "hint #34\n\t"						\
	    "mov x9, x30\n\t"						\
	    before "\n"							\
	    ".Lprobe_" #name ":\n\t" probed "\n\t"			\
	    after "\n\t"						\
	    "ret x9\n"							\
	    ".size code_" #name ", . - code_" #name "\n"		\
	    ".popsection\n"						\
	    ".pushsection .data\n"					\
	    ".balign 8\n"						\
	    "probe_" #name ": .quad .Lprobe_" #name "\n"		\
	    ".popsection\n");						\
	extern char code_##name[], *probe_##name

/* Both ways are told from each other by x3. */
#define BRANCH(name, before, probed)					\
	CODE(name, "mov x3, #1\n" before, probed, "mov x3, #2\n1: hint #38")

#define BCOND(cond)	BRANCH(b_##cond, "", "b." #cond " 1f")
BCOND(eq);
BCOND(ne);
BCOND(cs);
BCOND(cc);
BCOND(mi);
BCOND(pl);
BCOND(vs);
BCOND(vc);
BCOND(hi);
BCOND(ls);
BCOND(ge);
BCOND(lt);
BCOND(gt);
BCOND(le);
BCOND(al);
BRANCH(b_nv, "", ".inst 0x5400004f");
BRANCH(bc_eq, "", ".inst 0x54000050");
BRANCH(b, "", "b 1f");
BRANCH(b_next, "", "b 2f\n2:");
BRANCH(cbz_x, "and x0, x0, #0x100000000", "cbz x0, 1f");
BRANCH(cbz_w, "and x0, x0, #0x100000001", "cbz w0, 1f");
BRANCH(cbnz_x, "and x0, x0, #0x8000000000000000", "cbnz x0, 1f");
BRANCH(cbnz_w, "and x0, x0, #0xffffffff00000001", "cbnz w0, 1f");
BRANCH(cbz_zr, "", "cbz xzr, 1f");
BRANCH(cbnz_zr, "", "cbnz wzr, 1f");
BRANCH(tbz_0, "", "tbz x0, #0, 1f");
BRANCH(tbz_31, "", "tbz w0, #31, 1f");
BRANCH(tbnz_32, "", "tbnz x0, #32, 1f");
BRANCH(tbnz_63, "", "tbnz x1, #63, 1f");
BRANCH(tbz_zr, "", "tbz wzr, #3, 1f");
BRANCH(br, "adr x4, 1f", "br x4");
BRANCH(br_x17, "adr x17, 1f", "br x17");
BRANCH(ret_x4, "adr x4, 1f", "ret x4");
BRANCH(ret, "adr x30, 1f", "ret");
/* The called part comes back behind the call, where x30 has to point. */
#define CALLED	"mov x3, #2\n b 2f\n1: hint #34\n mov x4, x30\n mov x3, #5\n" \
		"ret\n2: adr x5, 2b\n sub x5, x5, x4\n mov x4, xzr"
CODE(bl, "mov x3, #1", "bl 1f", CALLED);
CODE(blr, "mov x3, #1\n adr x4, 1f", "blr x4", CALLED);
CODE(blr_x17, "mov x3, #1\n adr x17, 1f", "blr x17", CALLED);
CODE(blr_x30, "mov x3, #1\n adr x30, 1f", "blr x30", CALLED);
CODE(adr, "", "adr x0, .", "");
CODE(adr_back, "", "adr x1, . - 5", "");
CODE(adr_zr, "", "adr xzr, .", "");
CODE(adrp, "", "adrp x0, linux_banner", "");
CODE(ldr_x, "", "ldr x0, 1f", "b 2f\n1: .quad 0x8123456789abcdef\n2:");
CODE(ldr_w, "", "ldr w1, 1f", "b 2f\n1: .quad 0x8123456789abcdef\n2:");
CODE(ldrsw, "", "ldrsw x2, 1f", "b 2f\n1: .quad 0x8123456789abcdef\n2:");
CODE(ldr_zr, "", "ldr xzr, 1f", "b 2f\n1: .quad 1\n2:");
CODE(prfm, "", "prfm pldl1keep, 1f", "1:");
CODE(nop, "", "nop", "");
CODE(bti, "", "hint #36", "");
CODE(paciasp, "", "paciasp", "autiasp");
CODE(autiasp, "paciasp", "autiasp", "");
/* What is signed with the stack pointer is not the same for all callers. */
#define SIGN(op)	"adr x4, 1f\n " op "\n"
#define SIGNED(name, before, probed)					\
	CODE(name, "mov x3, #1\n" before, probed,			\
	     "mov x3, #2\n1: hint #38\n mov x4, xzr")
CODE(retaa, "adr x30, 1f\n paciasp", "retaa", "mov x3, #2\n1:");
CODE(retab, "adr x30, 1f\n pacibsp", "retab", "mov x3, #2\n1:");
SIGNED(braa, SIGN("pacia x4, x1"), "braa x4, x1");
SIGNED(brab_sp, SIGN("pacib x4, sp"), "brab x4, sp");
SIGNED(braaz, SIGN("paciza x4"), "braaz x4");
SIGNED(brabz, SIGN("pacizb x4"), "brabz x4");
CODE(blraa, "mov x3, #1\n" SIGN("pacia x4, x1"), "blraa x4, x1", CALLED);
CODE(blrab_sp, "mov x3, #1\n" SIGN("pacib x4, sp"), "blrab x4, sp", CALLED);
CODE(blraaz, "mov x3, #1\n" SIGN("paciza x4"), "blraaz x4", CALLED);
CODE(blrabz, "mov x3, #1\n" SIGN("pacizb x4"), "blrabz x4", CALLED);

/* Displaced ones. */
CODE(add, "", "add x0, x1, x2, lsl #3", "");
CODE(adds, "", "adds x0, x1, x2", "");
CODE(sbcs, "", "sbcs x0, x1, x2", "");
CODE(csel, "", "csel x0, x1, x2, hi", "");
CODE(ccmp, "", "ccmp x1, x2, #5, lt", "");
CODE(umulh, "", "umulh x0, x1, x2", "");
CODE(udiv, "", "udiv x0, x1, x2", "");
CODE(add_imm, "", "add x0, x1, #5, lsl #12", "");
CODE(subs_imm, "", "subs w3, w1, #77", "");
CODE(cmp_imm, "", "cmp x1, #0", "");
CODE(add_same, "", "add x0, x0, x0", "");
CODE(add_zr, "", "add x4, xzr, x5, asr #3", "");
CODE(cmp, "", "cmp x1, x2, lsr #7", "");
CODE(and_imm, "", "and x0, x1, #0xff00ff00ff00ff", "");
CODE(tst_imm, "", "tst w1, #0x80000000", "");
CODE(orr_imm, "", "orr x0, xzr, #0x3333333333333333", "");
CODE(movk, "", "movk x2, #4711, lsl #32", "");
CODE(movn, "", "movn w2, #4711", "");
CODE(movz, "", "movz x5, #4711, lsl #48", "");
CODE(bfi, "", "bfi x0, x1, #5, #17", "");
CODE(sbfx, "", "sbfx x0, x1, #3, #40", "");
CODE(ubfiz, "", "ubfiz w0, w1, #3, #11", "");
CODE(extr, "", "extr x0, x1, x2, #13", "");
CODE(bics, "", "bics x0, x1, x2, ror #5", "");
CODE(orn, "", "orn w0, w1, w2", "");
CODE(mvn_zr, "", "eon xzr, x1, x2", "");
CODE(adc, "", "adc x0, x1, x2", "");
CODE(ngcs, "", "ngcs x0, x1", "");
CODE(csneg, "", "csneg w0, w1, w2, le", "");
CODE(cset, "", "cset x0, vs", "");
CODE(sdiv, "", "sdiv x0, x1, x2", "");
CODE(lsl, "", "lsl x0, x1, x2", "");
CODE(ror, "", "ror w0, w1, w2", "");
CODE(msub, "", "msub x0, x1, x2, x3", "");
CODE(mul, "", "mul w5, w4, w3", "");
CODE(smaddl, "", "smaddl x0, w1, w2, x3", "");
CODE(umsubl, "", "umsubl x0, w1, w2, x3", "");
CODE(smulh, "", "smulh x0, x1, x2", "");
CODE(add_sp, "mov x4, sp", "add x0, sp, #16", "sub x0, x0, x4\n"
     "mov x4, xzr");
CODE(sp_add, "mov x4, sp", "add sp, sp, #-32", "mov x0, sp\n sub x0, x4, x0\n"
     "mov sp, x4\n mov x4, xzr");
CODE(add_ext, "", "add x0, x1, w2, sxth #2", "");
CODE(subs_ext, "mov x4, sp\n sub x2, x4, w0, uxtb", "subs x0, sp, w0, uxtb",
     "sub x0, x0, x2\n mov x2, xzr\n mov x4, xzr");
CODE(cmp_sp, "mov x4, sp\n sub x4, x4, #16", "cmp sp, x4", "mov x4, xzr");
CODE(fp_sp, "mov x4, x29", "mov x29, sp", "mov x5, sp\n sub x5, x5, x29\n"
     "mov x29, x4\n mov x4, xzr");
CODE(ccmp_imm, "", "ccmp w1, #7, #10, ge", "");
CODE(ccmn, "", "ccmn x3, x4, #0, eq", "");
CODE(rev16, "", "rev16 w1, w0", "");
CODE(clz, "", "clz x0, x1", "");
CODE(rbit, "", "rbit x0, x1", "");
CODE(crc, "", ".arch_extension crc\n crc32cx w0, w1, x2", "");
CODE(push, "", "stp x0, x1, [sp, #-16]!", "ldp x2, x3, [sp], #16");
CODE(pop, "stp x0, x1, [sp, #-16]!", "ldp x2, x3, [sp], #16", "");
CODE(sub_sp, "mov x4, sp", "sub sp, sp, #32", "mov x0, sp\n sub x0, x4, x0\n"
     "mov sp, x4\n mov x4, xzr");
CODE(ldr_sp, "stp x0, x1, [sp, #-16]!", "ldr x2, [sp, #8]", "add sp, sp, #16");
CODE(str_sp, "stp x0, x1, [sp, #-16]!", "str x2, [sp, #8]",
     "ldp x0, x1, [sp], #16");
CODE(mrs_nzcv, "", "mrs x0, nzcv", "");
CODE(msr_nzcv, "and x0, x0, #0xf0000000", "msr nzcv, x0", "");
CODE(mrs_daif, "", "mrs x0, daif", "");
CODE(daifset, "mrs x4, daif", "msr daifset, #2", "mrs x0, daif\n msr daif, x4\n"
     "mov x4, xzr");
CODE(daifclr, "mrs x4, daif\n msr daifset, #2", "msr daifclr, #2",
     "mrs x0, daif\n msr daif, x4\n mov x4, xzr");
CODE(msr_daif, "mrs x4, daif\n mov x5, #0x80\n orr x5, x4, x5", "msr daif, x5",
     "mrs x0, daif\n msr daif, x4\n mov x4, xzr\n mov x5, xzr");
CODE(mrs_sp_el0, "", "mrs x0, sp_el0", "");
CODE(isb, "", "isb", "");
CODE(dmb, "", "dmb ish", "");
CODE(clrex, "", "clrex", "");
#define ON_STACK "stp x0, x1, [sp, #-16]!\n"
#define OFF_STACK "\n ldp x0, x1, [sp], #16"
CODE(ldar, ON_STACK, "ldar x2, [sp]", OFF_STACK);
CODE(stlr, ON_STACK, "stlr x2, [sp]", OFF_STACK);
/* It begins a sequence, and may; see refused_exclusive for the others. */
CODE(ldxr, ON_STACK "3:", "ldxr x2, [sp]",
     "add x2, x2, #1\n stxr w3, x2, [sp]\n cbnz w3, 3b" OFF_STACK);
CODE(ldaxp, ON_STACK "3:", "ldaxp x2, x4, [sp]",
     "add x2, x2, x4\n stlxp w3, x2, x4, [sp]\n cbnz w3, 3b" OFF_STACK);
CODE(behind_stxr, ON_STACK "3: ldxr x2, [sp]\n stxr w3, x2, [sp]\n",
     "cbnz w3, 3b", OFF_STACK);
CODE(behind_clrex, ON_STACK "ldxr x2, [sp]\n clrex", "add x2, x2, #1",
     OFF_STACK);
/* What waits for a change stores nothing; and no sequence is that long. */
CODE(behind_wfe, ON_STACK "ldxr x2, [sp]\n eor x2, x2, x1\n cbnz x2, 3f\n"
     " wfe\n3:", "add x2, x2, #1", OFF_STACK);
#define NOPS(nr) "\n .rept " #nr "\n nop\n .endr\n"
CODE(far_behind_load, ON_STACK "ldxr x2, [sp]" NOPS(32), "add x2, x2, #1",
     OFF_STACK);
/* Another function ends with a load; what stands there is never executed. */
CODE(behind_function, "b 3f\n ldxr x2, [sp]\ncode_behind_load:\n3: nop",
     "add x2, x2, #1", "");

/* What a branch in its place makes of it, on kernels that check landings. */
#define NO_JUMP_BTI	1
#define NO_JUMP		2
/* Only where pointers can be signed; no post handler; only with FEAT_HBC. */
#define NEEDS_PAC	4
#define NO_POST		8
#define NEEDS_HBC	16

#define ENTRY(name, ...)						\
	{ #name, code_##name, &probe_##name, ##__VA_ARGS__ }

static const struct code_case {
	const char *name;
	void *function;
	char **probe;
	unsigned int flags;
} code_cases[] = {
	ENTRY(b_eq), ENTRY(b_ne), ENTRY(b_cs), ENTRY(b_cc), ENTRY(b_mi),
	ENTRY(b_pl), ENTRY(b_vs), ENTRY(b_vc), ENTRY(b_hi), ENTRY(b_ls),
	ENTRY(b_ge), ENTRY(b_lt), ENTRY(b_gt), ENTRY(b_le), ENTRY(b_al),
	ENTRY(b_nv), ENTRY(bc_eq, NEEDS_HBC), ENTRY(b), ENTRY(b_next),
	ENTRY(cbz_x), ENTRY(cbz_w), ENTRY(cbnz_x), ENTRY(cbnz_w),
	ENTRY(cbz_zr), ENTRY(cbnz_zr),
	ENTRY(tbz_0), ENTRY(tbz_31), ENTRY(tbnz_32), ENTRY(tbnz_63),
	ENTRY(tbz_zr),
	ENTRY(br), ENTRY(br_x17), ENTRY(ret_x4), ENTRY(ret),
	ENTRY(bl), ENTRY(blr, NO_JUMP_BTI), ENTRY(blr_x17, NO_JUMP_BTI),
	ENTRY(blr_x30, NO_JUMP),
	ENTRY(adr), ENTRY(adr_back), ENTRY(adr_zr), ENTRY(adrp),
	ENTRY(ldr_x), ENTRY(ldr_w), ENTRY(ldrsw), ENTRY(ldr_zr), ENTRY(prfm),
	ENTRY(nop), ENTRY(bti, NO_JUMP_BTI),
	ENTRY(paciasp, NO_JUMP_BTI), ENTRY(autiasp),
	ENTRY(retaa, NEEDS_PAC), ENTRY(retab, NEEDS_PAC),
	ENTRY(braa, NEEDS_PAC), ENTRY(brab_sp, NEEDS_PAC),
	ENTRY(braaz, NEEDS_PAC), ENTRY(brabz, NEEDS_PAC),
	ENTRY(blraa, NEEDS_PAC | NO_JUMP_BTI),
	ENTRY(blrab_sp, NEEDS_PAC | NO_JUMP_BTI),
	ENTRY(blraaz, NEEDS_PAC | NO_JUMP_BTI),
	ENTRY(blrabz, NEEDS_PAC | NO_JUMP_BTI),
	ENTRY(add), ENTRY(adds), ENTRY(sbcs), ENTRY(csel), ENTRY(ccmp),
	ENTRY(add_imm), ENTRY(subs_imm), ENTRY(cmp_imm), ENTRY(add_same),
	ENTRY(add_zr), ENTRY(cmp), ENTRY(and_imm), ENTRY(tst_imm),
	ENTRY(orr_imm), ENTRY(movk), ENTRY(movn), ENTRY(movz), ENTRY(bfi),
	ENTRY(sbfx), ENTRY(ubfiz), ENTRY(extr), ENTRY(bics), ENTRY(orn),
	ENTRY(mvn_zr), ENTRY(adc), ENTRY(ngcs), ENTRY(csneg), ENTRY(cset),
	ENTRY(sdiv), ENTRY(lsl), ENTRY(ror), ENTRY(msub), ENTRY(mul),
	ENTRY(smaddl), ENTRY(umsubl), ENTRY(smulh), ENTRY(add_sp),
	ENTRY(sp_add), ENTRY(subs_ext), ENTRY(cmp_sp), ENTRY(fp_sp),
	ENTRY(ccmp_imm), ENTRY(ccmn), ENTRY(rev16), ENTRY(add_ext), ENTRY(clz),
	ENTRY(rbit), ENTRY(crc),
	ENTRY(umulh), ENTRY(udiv), ENTRY(push), ENTRY(pop), ENTRY(sub_sp),
	ENTRY(ldr_sp), ENTRY(str_sp),
	ENTRY(mrs_nzcv), ENTRY(msr_nzcv), ENTRY(mrs_daif), ENTRY(daifset),
	ENTRY(daifclr), ENTRY(msr_daif), ENTRY(mrs_sp_el0), ENTRY(isb),
	ENTRY(dmb), ENTRY(clrex), ENTRY(ldar), ENTRY(stlr),
	ENTRY(ldxr, NO_POST), ENTRY(ldaxp, NO_POST), ENTRY(behind_stxr),
	ENTRY(behind_clrex), ENTRY(behind_wfe), ENTRY(far_behind_load),
	ENTRY(behind_function),
};

KUNIT_ARRAY_PARAM_DESC(code, code_cases, name);

struct state {
	u64 x[6];
	u64 nzcv;
};

/* What is called changes more than a compiler sees. */
#ifdef CONFIG_CC_IS_CLANG
#define CALLER	noinline __used
#else
#define CALLER	__attribute__((noipa))
#endif

static CALLER void call_code(void *function, struct state *s)
{
	register void *fn asm("x10") = function;
	register struct state *state asm("x11") = s;

	asm volatile("stp	x29, x30, [sp, #-32]!\n\t"
		     "mov	x29, sp\n\t"
		     "str	x11, [sp, #16]\n\t"
		     "ldr	x12, [x11, #48]\n\t"
		     "msr	nzcv, x12\n\t"
		     "ldp	x0, x1, [x11]\n\t"
		     "ldp	x2, x3, [x11, #16]\n\t"
		     "ldp	x4, x5, [x11, #32]\n\t"
		     "blr	x10\n\t"
		     "ldr	x11, [sp, #16]\n\t"
		     "stp	x0, x1, [x11]\n\t"
		     "stp	x2, x3, [x11, #16]\n\t"
		     "stp	x4, x5, [x11, #32]\n\t"
		     "mrs	x12, nzcv\n\t"
		     "str	x12, [x11, #48]\n\t"
		     "ldp	x29, x30, [sp], #32\n\t"
		     : "+r" (fn), "+r" (state)
		     :
		     : "x0", "x1", "x2", "x3", "x4", "x5", "x6", "x7", "x8",
		       "x9", "x12", "x13", "x14", "x15", "x16", "x17", "x30",
		       "memory", "cc");
}

static void checked_post(struct kprobe *p, struct pt_regs *regs,
			 unsigned long flags)
{
	struct counted *c = container_of(p, struct counted, probe);

	c->post++;
	if (!irqs_disabled() || preemptible())
		c->astray++;
}

#define INPUTS	24

static void random_state(struct rnd_state *rnd, struct state *s, int i)
{
	unsigned int k;

	for (k = 0; k < ARRAY_SIZE(s->x); k++)
		s->x[k] = (u64)prandom_u32_state(rnd) << 32 |
			  prandom_u32_state(rnd);
	if (i % 4 == 0)
		s->x[0] = 0;
	/* All sixteen of them at least once. */
	s->nzcv = (u64)(i & 15) << 28;
}

static void expect_same(struct kunit *test, const struct code_case *c,
			const struct state *plain, const char *how)
{
	struct rnd_state rnd;
	struct state s;
	int i;

	prandom_seed_state(&rnd, 4711);
	for (i = 0; i < INPUTS; i++) {
		random_state(&rnd, &s, i);
		call_code(c->function, &s);
		KUNIT_EXPECT_TRUE_MSG(test, !memcmp(&s, &plain[i], sizeof(s)),
				      "%s, input %d: x0 %llx x1 %llx x2 %llx x3 %llx x4 %llx x5 %llx nzcv %llx; plain %llx %llx %llx %llx %llx %llx %llx",
				      how, i, s.x[0], s.x[1], s.x[2], s.x[3],
				      s.x[4], s.x[5], s.nzcv, plain[i].x[0],
				      plain[i].x[1], plain[i].x[2],
				      plain[i].x[3], plain[i].x[4],
				      plain[i].x[5], plain[i].nzcv);
	}
}

static bool is_trap(const void *where)
{
	return *(__le32 *)where == cpu_to_le32(BRK64_OPCODE_KPROBES);
}

static bool jumps(const struct code_case *c)
{
#ifdef CONFIG_OPTPROBES
	if (c->flags & NO_JUMP)
		return false;
	return !(c->flags & NO_JUMP_BTI && system_supports_bti_kernel());
#else
	return false;
#endif
}

static void test_code(struct kunit *test)
{
	const struct code_case *c = test->param_value;
	struct counted p = COUNTED(*c->probe);
	struct counted q = COUNTED(*c->probe,
				   .probe.post_handler = checked_post);
	struct state *plain;
	struct rnd_state rnd;
	u32 before = *(u32 *)*c->probe;
	int i, hits = INPUTS;

	if (c->flags & NEEDS_PAC && !system_supports_address_auth())
		kunit_skip(test, "no pointer authentication");
	if (c->flags & NEEDS_HBC && !cpu_have_named_feature(HBC))
		kunit_skip(test, "no hinted conditional branches");

	plain = kunit_kcalloc(test, INPUTS, sizeof(*plain), GFP_KERNEL);
	KUNIT_ASSERT_NOT_NULL(test, plain);
	prandom_seed_state(&rnd, 4711);
	for (i = 0; i < INPUTS; i++) {
		random_state(&rnd, &plain[i], i);
		call_code(c->function, &plain[i]);
	}

#ifdef CONFIG_OPTPROBES
	kprobe_optimizer_switch(false);
#endif
	KUNIT_ASSERT_EQ(test, register_kprobe(&p.probe), 0);
	KUNIT_EXPECT_TRUE(test, is_trap(*c->probe));
	expect_same(test, c, plain, "trap");
	KUNIT_EXPECT_GE(test, p.pre, hits);

	if (c->flags & NO_POST) {
		KUNIT_EXPECT_EQ(test, register_kprobe(&q.probe), -EOPNOTSUPP);
	} else {
		KUNIT_ASSERT_EQ(test, register_kprobe(&q.probe), 0);
		expect_same(test, c, plain, "post");
		hits += INPUTS;
		unregister_kprobe(&q.probe);
		KUNIT_EXPECT_GE(test, q.pre, INPUTS);
		KUNIT_EXPECT_EQ(test, q.post, q.pre);
	}
#ifdef CONFIG_OPTPROBES
	kprobe_optimizer_switch(true);
	wait_for_kprobe_optimizer();
#endif
	KUNIT_EXPECT_EQ(test, is_trap(*c->probe), !jumps(c));
	KUNIT_EXPECT_EQ(test, kprobe_optimized(&p.probe), jumps(c));
	expect_same(test, c, plain, "jump");
	hits += INPUTS;
	KUNIT_EXPECT_GE(test, p.pre, hits);
	unregister_kprobe(&p.probe);
	KUNIT_EXPECT_EQ(test, *(u32 *)*c->probe, before);
	KUNIT_EXPECT_EQ(test, p.astray + q.astray, 0);
	KUNIT_EXPECT_EQ(test, p.probe.nmissed + q.probe.nmissed, 0);
}

/*
 * Refusals
 */

CODE(refused_svc, "b 1f", "svc #0", "1:");
CODE(refused_hvc, "b 1f", "hvc #0", "1:");
CODE(refused_smc, "b 1f", "smc #0", "1:");
CODE(refused_eret, "b 1f", "eret", "1:");
CODE(refused_brk, "b 1f", "brk #0x1234", "1:");
CODE(refused_hlt, "b 1f", "hlt #1", "1:");
CODE(refused_udf, "b 1f", ".inst 0x00000001", "1:");
CODE(refused_zero, "b 1f", ".inst 0x00000000", "1:");
CODE(refused_reserved, "b 1f", ".inst 0x02000000", "1:");
CODE(refused_elr, "b 1f", "mrs x0, elr_el1", "1:");
CODE(refused_spsr, "b 1f", "msr spsr_el1, x0", "1:");
CODE(refused_spsel, "b 1f", "msr spsel, #0", "1:");
CODE(refused_vector, "b 1f", "ldr q0, 1f", "1:");
CODE(refused_cpyp, "b 1f", ".inst 0x1d010440", "1:");
CODE(refused_cpym, "b 1f", ".inst 0x1d410440", "1:");
CODE(refused_exclusive, ON_STACK "3: ldxr x2, [sp]", "add x2, x2, #1",
     "stxr w3, x2, [sp]\n cbnz w3, 3b" OFF_STACK);
CODE(refused_stxr, ON_STACK "3: ldaxr x2, [sp]\n add x2, x2, #1",
     "stlxr w3, x2, [sp]", "cbnz w3, 3b" OFF_STACK);
CODE(refused_bcond, ON_STACK "3: ldxr x2, [sp]\n cmp x2, x1", "b.eq 4f",
     "stxr w3, x2, [sp]\n cbnz w3, 3b\n4:" OFF_STACK);

CODE(refused_late, ON_STACK "3: ldxr x2, [sp]" NOPS(31), "add x2, x2, #1",
     "stxr w3, x2, [sp]\n cbnz w3, 3b" OFF_STACK);

#define REFUSED(name, errno) { #name, &probe_refused_##name, 0, errno }

static const struct refusal_case {
	const char *name;
	char **probe;
	unsigned int offset;
	int errno;
} refusal_cases[] = {
	REFUSED(svc, -EOPNOTSUPP), REFUSED(hvc, -EOPNOTSUPP),
	REFUSED(smc, -EOPNOTSUPP), REFUSED(eret, -EOPNOTSUPP),
	REFUSED(brk, -EINVAL), REFUSED(hlt, -EINVAL), REFUSED(udf, -EINVAL),
	REFUSED(zero, -EINVAL), REFUSED(reserved, -EILSEQ),
	REFUSED(elr, -EOPNOTSUPP), REFUSED(spsr, -EOPNOTSUPP),
	REFUSED(spsel, -EOPNOTSUPP), REFUSED(vector, -EOPNOTSUPP),
	REFUSED(cpyp, -EOPNOTSUPP), REFUSED(cpym, -EOPNOTSUPP),
	REFUSED(exclusive, -EOPNOTSUPP), REFUSED(stxr, -EOPNOTSUPP),
	REFUSED(bcond, -EOPNOTSUPP), REFUSED(late, -EOPNOTSUPP),
	{ "misaligned by 1", &probe_add, 1, -EINVAL },
	{ "misaligned by 2", &probe_add, 2, -EINVAL },
};

KUNIT_ARRAY_PARAM_DESC(refusal, refusal_cases, name);

static void test_refusal(struct kunit *test)
{
	const struct refusal_case *c = test->param_value;
	struct counted p = COUNTED(*c->probe + c->offset);
	unsigned int sites = kprobe_sites_in_use();
	u32 before = *(u32 *)*c->probe;

	KUNIT_EXPECT_EQ(test, register_kprobe(&p.probe), c->errno);
	KUNIT_EXPECT_EQ(test, kprobe_sites_in_use(), sites);
	KUNIT_EXPECT_EQ(test, *(u32 *)*c->probe, before);
}

/* As long as alternatives may change it, no instruction is what it will be. */
static int refused_early;

static int __init register_early(void)
{
	struct counted p = COUNTED(probe_add);

	refused_early = register_kprobe(&p.probe);
	if (!refused_early)
		unregister_kprobe(&p.probe);
	return 0;
}
early_initcall(register_early);

static void test_refusal_early(struct kunit *test)
{
	KUNIT_EXPECT_EQ(test, refused_early, -EAGAIN);
}

/*
 * Text that runs without the kernel's vectors, or that tracing of handlers
 * comes through, or that is copied; some has a configuration.
 */
static const char * const forbidden_names[] = {
	"__secondary_switched", "__secondary_too_slow",
	"set_cpu_boot_mode_flag", "finalise_el2", "_cpu_resume",
	"cpu_do_resume", "__hyp_stub_vectors",
	"__guest_enter", "__guest_exit", "abort_guest_exit_end", "el1_trap",
	"el2h_fiq_invalid", "__kvm_hyp_vector", "__bp_harden_hyp_vecs",
	"__sve_restore_state", "__kvm_vcpu_run_vhe", "__debug_switch_to_guest",
	"__debug_switch_to_host", "__kvm_adjust_pc", "__timer_enable_traps",
	"__vgic_v3_perform_cpuif_access", "__vgic_v3_save_state",
	"kvm_hyp_handle_fpsimd", "kvm_unexpected_el2_exception",
	"get_timer_map", "kvm_auth_eretax", "kvm_vcpu_sanitise_vncr_reg",
	"vcpu_read_sys_reg", "vcpu_write_sys_reg",
	"trans_pgd_stub_vectors", "_mcount", "ftrace_caller", "ftrace_stub",
	"ftrace_stub_graph", "ftrace_stub_direct_tramp", "ftrace_graph_caller",
	"return_to_handler",
};

static void test_forbidden(struct kunit *test)
{
	unsigned long idmap = (unsigned long)__hyp_idmap_text_start;
	unsigned long idmap_end = (unsigned long)__hyp_idmap_text_end;
	unsigned int i, known = 0;

	for (i = 0; i < ARRAY_SIZE(forbidden_names); i++) {
		unsigned long addr = kallsyms_lookup_name(forbidden_names[i]);
		struct counted p = COUNTED(addr);

		if (!addr)
			continue;
		known++;
		KUNIT_EXPECT_EQ_MSG(test, register_kprobe(&p.probe), -EINVAL,
				    "%s", forbidden_names[i]);
		KUNIT_EXPECT_TRUE_MSG(test, within_kprobe_blacklist(addr),
				      "%s", forbidden_names[i]);
	}
	KUNIT_EXPECT_GE(test, known, 5);
	if (idmap < idmap_end)
		KUNIT_EXPECT_TRUE(test, within_kprobe_blacklist(idmap));
}

#ifdef CONFIG_KRETPROBES
/* They return twice, or may not; some has a configuration, some is inline. */
static const char * const forbidden_returns[] = {
	"__cpu_suspend_enter", "psci_suspend_finisher", "psci_system_suspend",
	"psci_0_1_cpu_suspend", "psci_0_2_cpu_suspend", "__psci_cpu_suspend",
	"__invoke_psci_fn_hvc", "__invoke_psci_fn_smc", "__arm_smccc_hvc",
	"__arm_smccc_smc",
};

static void test_forbidden_return(struct kunit *test)
{
	unsigned int i, known = 0;
	int ret;

	for (i = 0; i < ARRAY_SIZE(forbidden_returns); i++) {
		const char *name = forbidden_returns[i];
		struct kretprobe rp = { .kp.symbol_name = name };
		struct counted p = {
			.probe.symbol_name = name,
			.probe.pre_handler = counted_pre,
		};
		unsigned long addr = kallsyms_lookup_name(name);

		if (!addr)
			continue;
		known++;
		KUNIT_EXPECT_EQ_MSG(test, register_kretprobe(&rp), -EINVAL,
				    "%s", name);
		/* Some is noinstr, and some begins with the call itself. */
		if (within_kprobe_blacklist(addr))
			continue;
		ret = register_kprobe(&p.probe);
		KUNIT_EXPECT_TRUE_MSG(test, !ret || ret == -EOPNOTSUPP, "%s",
				      name);
		if (!ret)
			unregister_kprobe(&p.probe);
	}
	KUNIT_EXPECT_GE(test, known, 2);
}
#endif

/*
 * Between a breakpoint and where recursion is noticed nothing may be traced,
 * since what a tracer does first may be probed, nor with the vectors for
 * guests; some is inline.
 */
static const char * const untraced_names[] = {
	"el1h_64_sync_handler", "el1_brk64", "debug_exception_enter",
	"debug_exception_exit", "do_el1_brk64", "call_el1_break_hook",
	"kprobe_brk_handler", "kprobe_ss_brk_handler", "preempt_count_add",
	"preempt_count_sub", "__kvm_vcpu_run_vhe", "__activate_traps",
	"__debug_switch_to_guest", "sysreg_restore_guest_state_vhe",
	"__vgic_v3_perform_cpuif_access", "__kvm_adjust_pc",
	"get_timer_map", "kvm_auth_eretax", "kvm_vcpu_sanitise_vncr_reg",
	"vcpu_read_sys_reg", "vcpu_write_sys_reg",
};

static void test_untraced(struct kunit *test)
{
	unsigned long addr, size, offset;
	unsigned int i;

	if (!IS_ENABLED(CONFIG_DYNAMIC_FTRACE))
		kunit_skip(test, "no function tracer");
	for (i = 0; i < ARRAY_SIZE(untraced_names); i++) {
		addr = kallsyms_lookup_name(untraced_names[i]);
		if (!addr || !kallsyms_lookup_size_offset(addr, &size, &offset))
			continue;
		KUNIT_EXPECT_EQ_MSG(test, ftrace_location(addr), 0, "%s",
				    untraced_names[i]);
	}
}

/* Nobody can have the call of ftrace, and a function's entry is before it. */
static void test_ftrace_call(struct kunit *test)
{
	unsigned long call = ftrace_location((unsigned long)vfs_read);
	struct counted p = COUNTED(call);
	struct counted entry = {
		.probe.symbol_name = "vfs_read",
		.probe.pre_handler = counted_pre,
	};

	if (!call)
		kunit_skip(test, "no function tracer");

	KUNIT_EXPECT_EQ(test, register_kprobe(&p.probe), -EINVAL);
	KUNIT_ASSERT_EQ(test, register_kprobe(&entry.probe), 0);
	KUNIT_EXPECT_EQ(test, probed_at(&entry.probe),
			call - AARCH64_INSN_SIZE);
	KUNIT_EXPECT_TRUE(test, entry.probe.flags & KPROBE_FLAG_ON_FUNC_ENTRY);
#ifdef CONFIG_OPTPROBES
	wait_for_kprobe_optimizer();
	KUNIT_EXPECT_TRUE(test, kprobe_optimized(&entry.probe));
#endif
	unregister_kprobe(&entry.probe);
}

/* A probed load does not hide that a sequence has begun there. */
static void test_exclusive_probed(struct kunit *test)
{
	struct counted p = COUNTED(probe_ldxr);
	struct counted q = COUNTED(probe_ldxr + 4);

	KUNIT_ASSERT_EQ(test, register_kprobe(&p.probe), 0);
	KUNIT_EXPECT_EQ(test, register_kprobe(&q.probe), -EOPNOTSUPP);
#ifdef CONFIG_OPTPROBES
	wait_for_kprobe_optimizer();
	KUNIT_EXPECT_EQ(test, register_kprobe(&q.probe), -EOPNOTSUPP);
#endif
	unregister_kprobe(&p.probe);
}

/* However many slots a batch has, CPUs are interrupted for the batch only. */
static void test_rounds(struct kunit *test)
{
	struct counted rounds = {
		.probe.symbol_name = "on_each_cpu_cond_mask",
		.probe.pre_handler = counted_pre,
	};
	struct counted *probes;
	struct kprobe **array;
	unsigned int i, nr = ARRAY_SIZE(code_cases);

	if (!IS_ENABLED(CONFIG_SMP))
		kunit_skip(test, "nobody to interrupt");

	probes = kunit_kcalloc(test, nr, sizeof(*probes), GFP_KERNEL);
	array = kunit_kcalloc(test, nr, sizeof(*array), GFP_KERNEL);
	KUNIT_ASSERT_NOT_NULL(test, probes);
	KUNIT_ASSERT_NOT_NULL(test, array);
	for (i = 0; i < nr; i++) {
		probes[i] = COUNTED(*code_cases[i].probe);
		array[i] = &probes[i].probe;
	}
	KUNIT_ASSERT_EQ(test, register_kprobe(&rounds.probe), 0);
	KUNIT_ASSERT_EQ(test, register_kprobes(array, nr), 0);
	/* Others may have their own reasons. */
	KUNIT_EXPECT_LE(test, rounds.pre, 8);
	kunit_info(test, "%u probes, %u rounds", nr, rounds.pre);
#ifdef CONFIG_OPTPROBES
	rounds.pre = 0;
	wait_for_kprobe_optimizer();
	KUNIT_EXPECT_TRUE(test, kprobe_optimized(array[0]));
	KUNIT_EXPECT_GE(test, rounds.pre, 1);
	KUNIT_EXPECT_LE(test, rounds.pre, 8);
	kunit_info(test, "jumps: %u rounds", rounds.pre);
#endif
	unregister_kprobes(array, nr);
	unregister_kprobe(&rounds.probe);
}

/*
 * What stands between functions; and what stands at the end of one that goes on
 * into the next symbol.
 */
asm(".pushsection .text\n"
    ".balign 16\n"
    ".type code_padded, @function\n"
    "code_padded:\n"
    "	hint	#34\n"
    "	ret\n"
    "	nop\n"
    "	nop\n"
    ".size code_padded, . - code_padded\n"
    ".type code_going_on, @function\n"
    "code_going_on:\n"
    "	hint	#34\n"
    "	b	1f\n"
    "1:	mov	x0, #1\n"
    "	nop\n"
    ".size code_going_on, . - code_going_on\n"
    ".type code_gone_on, @function\n"
    "code_gone_on:\n"
    "	nop\n"
    "	b	1f\n"
    "	nop\n"
    "1:	ret\n"
    ".size code_gone_on, . - code_gone_on\n"
    ".popsection\n");
extern char code_padded[], code_going_on[], code_gone_on[];

static const struct between_case {
	const char *name;
	char *function;
	int offset;
	int errno;
} between_cases[] = {
	{ "return", code_padded, 4, 0 },
	{ "behind it", code_padded, 8, -EINVAL },
	{ "before the next", code_padded, 12, -EINVAL },
	{ "last instruction", code_going_on, 8, 0 },
	{ "last no-op", code_going_on, 12, 0 },
	{ "first no-op", code_gone_on, 0, 0 },
	{ "jumped over", code_gone_on, 8, 0 },
	{ "last return", code_gone_on, 12, 0 },
};

KUNIT_ARRAY_PARAM_DESC(between, between_cases, name);

static void test_between(struct kunit *test)
{
	const struct between_case *c = test->param_value;
	struct counted p = COUNTED(c->function + c->offset);
	int ret = register_kprobe(&p.probe);

	KUNIT_EXPECT_EQ(test, ret, c->errno);
	if (!ret)
		unregister_kprobe(&p.probe);
}

/* What callers and ftrace read before functions. */
static const char * const read_before[] = {
	"vfs_read", "vfs_write", "kernel_read", "schedule_timeout",
	"wait_for_completion", "kthread_stop", "kmem_cache_alloc_noprof",
};

static void test_before_function(struct kunit *test)
{
	bool hashes = IS_ENABLED(CONFIG_CFI_CLANG);
	bool ops = IS_ENABLED(CONFIG_DYNAMIC_FTRACE_WITH_CALL_OPS);
	unsigned int i, offset, checked = 0;

	if (!hashes && !ops)
		kunit_skip(test, "nothing is read before functions");

	for (i = 0; i < ARRAY_SIZE(read_before); i++) {
		unsigned long addr = kallsyms_lookup_name(read_before[i]);

		if (!addr || (!hashes && !ftrace_location(addr)))
			continue;
		for (offset = 4; offset <= (ops ? 8 : 4); offset += 4) {
			struct counted p = COUNTED(addr - offset);
			u32 before = *(u32 *)(addr - offset);

			KUNIT_EXPECT_EQ_MSG(test, register_kprobe(&p.probe),
					    -EINVAL, "%s-%u: %08x",
					    read_before[i], offset, before);
			checked++;
		}
	}
	KUNIT_EXPECT_GE(test, checked, 4);
}

static struct kunit_case code_tests[] = {
	KUNIT_CASE_PARAM(test_code, code_gen_params),
	KUNIT_CASE_PARAM(test_refusal, refusal_gen_params),
	KUNIT_CASE(test_refusal_early),
	KUNIT_CASE(test_forbidden),
#ifdef CONFIG_KRETPROBES
	KUNIT_CASE(test_forbidden_return),
#endif
	KUNIT_CASE(test_untraced),
	KUNIT_CASE(test_ftrace_call),
	KUNIT_CASE(test_exclusive_probed),
	KUNIT_CASE(test_rounds),
	KUNIT_CASE_PARAM(test_between, between_gen_params),
	KUNIT_CASE(test_before_function),
	{}
};

static struct kunit_suite code_suite = {
	.name = "kprobes_arm64",
	.test_cases = code_tests,
};

/*
 * The hit: what handlers find in registers, and what becomes of what they
 * change
 */

struct captured {
	struct kprobe probe;
	struct pt_regs regs;
	unsigned int hits;
};

static int capture_pre(struct kprobe *p, struct pt_regs *regs)
{
	struct captured *c = container_of(p, struct captured, probe);

	c->regs = *regs;
	c->hits++;
	return 0;
}

/* Fills all registers it may, and calls the code. */
static CALLER unsigned long call_filled(void *function)
{
	register void *fn asm("x10") = function;
	unsigned long sp;

	asm volatile("mov %[sp], sp\n\t"
		     "mov x0, #100\n\t"
		     "mov x1, #101\n\t"
		     "mov x2, #102\n\t"
		     "mov x3, #103\n\t"
		     "mov x4, #104\n\t"
		     "mov x5, #105\n\t"
		     "mov x6, #106\n\t"
		     "mov x7, #107\n\t"
		     "mov x8, #108\n\t"
		     "mov x11, #111\n\t"
		     "mov x12, #112\n\t"
		     "mov x13, #113\n\t"
		     "mov x14, #114\n\t"
		     "mov x15, #115\n\t"
		     "mov x16, #116\n\t"
		     "mov x17, #117\n\t"
		     "cmp x0, x0\n\t"
		     "blr %[fn]"
		     : [sp] "=&r" (sp), [fn] "+r" (fn)
		     :
		     : "x0", "x1", "x2", "x3", "x4", "x5", "x6", "x7", "x8",
		       "x9", "x11", "x12", "x13", "x14", "x15", "x16", "x17",
		       "x30", "memory", "cc");
	return sp;
}

static void test_registers(struct kunit *test)
{
	struct captured c = {
		.probe.addr = (kprobe_opcode_t *)probe_adds,
		.probe.pre_handler = capture_pre,
	};
	const u64 flags = PSR_N_BIT | PSR_Z_BIT | PSR_C_BIT | PSR_V_BIT |
			  PSR_D_BIT | PSR_A_BIT | PSR_I_BIT | PSR_F_BIT |
			  PSR_PAN_BIT | PSR_MODE_MASK;
	struct pt_regs trap;
	unsigned long sp = 0;
	int i;

#ifdef CONFIG_OPTPROBES
	kprobe_optimizer_switch(false);
#endif
	KUNIT_ASSERT_EQ(test, register_kprobe(&c.probe), 0);
	for (i = 0; i < 2; i++) {
		sp = call_filled(code_adds);
		if (!i)
			trap = c.regs;
#ifdef CONFIG_OPTPROBES
		kprobe_optimizer_switch(true);
		wait_for_kprobe_optimizer();
#endif
	}
#ifdef CONFIG_OPTPROBES
	KUNIT_EXPECT_TRUE(test, kprobe_optimized(&c.probe));
#endif
	unregister_kprobe(&c.probe);
	KUNIT_EXPECT_EQ(test, c.hits, 2);

	KUNIT_EXPECT_EQ(test, c.regs.pc, (unsigned long)probe_adds);
	KUNIT_EXPECT_EQ(test, c.regs.sp, sp);
	for (i = 0; i < 18; i++)
		if (i < 9 || i > 10)
			KUNIT_EXPECT_EQ(test, c.regs.regs[i], 100 + i);
	KUNIT_EXPECT_EQ(test, c.regs.pstate & (PSR_Z_BIT | PSR_C_BIT),
			PSR_Z_BIT | PSR_C_BIT);
	KUNIT_EXPECT_FALSE(test, c.regs.pstate & PSR_I_BIT);

	/* As a breakpoint shows them, but for what the loop has in x19 on. */
	for (i = 0; i < 31; i++)
		if (i < 19 || i > 28)
			KUNIT_EXPECT_EQ_MSG(test, c.regs.regs[i], trap.regs[i],
					    "x%d", i);
	KUNIT_EXPECT_EQ(test, c.regs.sp, trap.sp);
	KUNIT_EXPECT_EQ(test, c.regs.pc, trap.pc);
	KUNIT_EXPECT_EQ(test, c.regs.pstate & flags, trap.pstate & flags);
}

static int change_pre(struct kprobe *p, struct pt_regs *regs)
{
	regs->regs[1] = 1000;
	regs->regs[2] = 34;
	/* Tells nothing, with this return value. */
	regs->pc = 0;
	return 0;
}

static void change_post(struct kprobe *p, struct pt_regs *regs,
			unsigned long flags)
{
	regs->regs[0]++;
	regs->pstate ^= PSR_V_BIT;
}

/* Over the rest of the function. */
static void leave_post(struct kprobe *p, struct pt_regs *regs,
		       unsigned long flags)
{
	regs->regs[0] = 4712;
	regs->pc = regs->regs[9];
}

static int leave_pre(struct kprobe *p, struct pt_regs *regs)
{
	regs->regs[0] = 4711;
	regs->pc = regs->regs[9];
	return 1;
}

static void test_change(struct kunit *test)
{
	struct kprobe p = {
		.addr = (kprobe_opcode_t *)probe_adds,
		.pre_handler = change_pre,
	};
	struct kprobe q = {
		.addr = (kprobe_opcode_t *)probe_adds,
		.post_handler = change_post,
	};
	struct state s = {};

	KUNIT_ASSERT_EQ(test, register_kprobe(&p), 0);
	call_code(code_adds, &s);
	KUNIT_EXPECT_EQ(test, s.x[0], 1034);
#ifdef CONFIG_OPTPROBES
	wait_for_kprobe_optimizer();
	KUNIT_EXPECT_FALSE(test, is_trap(probe_adds));
	s = (struct state) {};
	call_code(code_adds, &s);
	KUNIT_EXPECT_EQ(test, s.x[0], 1034);
#endif
	KUNIT_ASSERT_EQ(test, register_kprobe(&q), 0);
	s = (struct state) {};
	call_code(code_adds, &s);
	KUNIT_EXPECT_EQ(test, s.x[0], 1035);
	KUNIT_EXPECT_EQ(test, s.nzcv, PSR_V_BIT);
	unregister_kprobe(&q);
	unregister_kprobe(&p);
}

/* Elsewhere: from a trap, from a detour, from behind an instruction. */
static void test_divert(struct kunit *test)
{
	struct counted q = COUNTED(probe_daifset);
	struct kprobe p = {
		.addr = (kprobe_opcode_t *)probe_daifset,
		.pre_handler = leave_pre,
	};
	static const struct {
		void *function;
		char **probe;
	} behind[] = {
		/* One that runs in a slot, and one that does not. */
		{ code_isb, &probe_isb }, { code_adds, &probe_adds },
		{ code_b_next, &probe_b_next },
	};
	struct state s = {};
	int i;

	KUNIT_ASSERT_EQ(test, register_kprobe(&p), 0);
	KUNIT_ASSERT_EQ(test, register_kprobe(&q.probe), 0);
	for (i = 0; i < 6; i++) {
		s.x[0] = 0;
		s.nzcv = PSR_C_BIT;
		s.x[3] = 77;
		call_code(code_daifset, &s);
		KUNIT_EXPECT_EQ(test, s.x[0], 4711);
		KUNIT_EXPECT_EQ(test, s.x[3], 77);
		KUNIT_EXPECT_EQ(test, s.nzcv, PSR_C_BIT);
		KUNIT_EXPECT_FALSE(test, irqs_disabled());
#ifdef CONFIG_OPTPROBES
		wait_for_kprobe_optimizer();
		KUNIT_EXPECT_FALSE(test, is_trap(probe_daifset));
#endif
	}
	unregister_kprobe(&p);
	unregister_kprobe(&q.probe);
	KUNIT_EXPECT_EQ(test, q.pre, 0);

	for (i = 0; i < ARRAY_SIZE(behind); i++) {
		struct kprobe post = {
			.addr = (kprobe_opcode_t *)*behind[i].probe,
			.post_handler = leave_post,
		};

		KUNIT_ASSERT_EQ(test, register_kprobe(&post), 0);
		s.x[0] = 0;
		s.x[5] = 55;
		call_code(behind[i].function, &s);
		KUNIT_EXPECT_EQ(test, s.x[0], 4712);
		KUNIT_EXPECT_EQ(test, s.x[5], 55);
		KUNIT_EXPECT_FALSE(test, irqs_disabled());
		unregister_kprobe(&post);
	}
}

/* The last page, at which nothing ever is. */
#define BAD_PAGE	0xfffffffffffff000UL

/*
 * Handlers may move on to anywhere: to each instruction behind the probed one,
 * which may be probed as well, and in each state of the text.  Each instruction
 * leaves a bit in x4.
 */
#define MOVED	"add x4, x4, #1\n add x4, x4, #2\n add x4, x4, #4\n" \
		"add x4, x4, #8"
CODE(move_compute, "mov x4, #0", "add x0, x0, #16", MOVED);
CODE(move_displaced, "mov x4, #0", "isb", MOVED);
CODE(move_emulated, "mov x4, #0", "cbz xzr, 1f\n1:", MOVED);
/* From where nothing is. */
CODE(move_fault, "mov x4, #0", "ldr x1, [x0]", MOVED);

enum mover { MOVES_PRE, MOVES_POST, MOVES_FAULT };

static const struct move_case {
	const char *name;
	void *function;
	char **probe;
	enum mover by;
} move_cases[] = {
	{ "pre, computes", code_move_compute, &probe_move_compute, MOVES_PRE },
	{ "pre, displaced", code_move_displaced, &probe_move_displaced,
	  MOVES_PRE },
	{ "pre, emulated", code_move_emulated, &probe_move_emulated,
	  MOVES_PRE },
	{ "post, computes", code_move_compute, &probe_move_compute,
	  MOVES_POST },
	{ "post, displaced", code_move_displaced, &probe_move_displaced,
	  MOVES_POST },
	{ "post, emulated", code_move_emulated, &probe_move_emulated,
	  MOVES_POST },
	{ "fault", code_move_fault, &probe_move_fault, MOVES_FAULT },
};

KUNIT_ARRAY_PARAM_DESC(move, move_cases, name);

#define BEHIND	4

struct moving {
	struct kprobe probe;
	struct counted behind[BEHIND];
	unsigned long to;
	unsigned int moved;
};

static int move_pre(struct kprobe *p, struct pt_regs *regs)
{
	struct moving *m = container_of(p, struct moving, probe);

	regs->pc = m->to;
	m->moved++;
	return 1;
}

static void move_post(struct kprobe *p, struct pt_regs *regs,
		      unsigned long flags)
{
	move_pre(p, regs);
}

static int move_fault(struct kprobe *p, struct pt_regs *regs, int trap)
{
	return move_pre(p, regs);
}

enum move_state { MOVE_TRAP, MOVE_QUEUED, MOVE_JUMP };

static void expect_moves(struct kunit *test, const struct move_case *c,
			 enum move_state state, bool probed)
{
	struct moving m = {
		.probe.addr = (kprobe_opcode_t *)*c->probe,
		.probe.pre_handler = c->by == MOVES_PRE ? move_pre : NULL,
		.probe.post_handler = c->by == MOVES_POST ? move_post : NULL,
		.probe.fault_handler = c->by == MOVES_FAULT ? move_fault : NULL,
	};
	unsigned int i, k;

#ifdef CONFIG_OPTPROBES
	kprobe_optimizer_switch(state != MOVE_TRAP);
#endif
	for (i = 0; probed && i < BEHIND; i++) {
		m.behind[i] = COUNTED(*c->probe + 4 + 4 * i);
		KUNIT_ASSERT_EQ(test, register_kprobe(&m.behind[i].probe), 0);
	}
	KUNIT_ASSERT_EQ(test, register_kprobe(&m.probe), 0);
#ifdef CONFIG_OPTPROBES
	if (state == MOVE_JUMP) {
		wait_for_kprobe_optimizer();
		KUNIT_EXPECT_EQ(test, kprobe_optimized(&m.probe),
				c->by != MOVES_POST);
	}
#endif
	for (i = 0; i < BEHIND; i++) {
		struct state s = { .x = { BAD_PAGE } };

		m.to = (unsigned long)*c->probe + 4 + 4 * i;
		call_code(c->function, &s);
		KUNIT_EXPECT_EQ(test, s.x[4], 15 & ~(BIT(i) - 1));
		KUNIT_EXPECT_EQ(test, m.moved, i + 1);
		for (k = 0; probed && k < BEHIND; k++)
			KUNIT_EXPECT_EQ(test, m.behind[k].pre,
					k < i ? k + 1 : i + 1);
	}
	unregister_kprobe(&m.probe);
	for (i = 0; probed && i < BEHIND; i++) {
		unregister_kprobe(&m.behind[i].probe);
		KUNIT_EXPECT_EQ(test, m.behind[i].astray, 0);
	}
}

static void test_move(struct kunit *test)
{
	const struct move_case *c = test->param_value;

	expect_moves(test, c, MOVE_TRAP, false);
	expect_moves(test, c, MOVE_TRAP, true);
#ifdef CONFIG_OPTPROBES
	expect_moves(test, c, MOVE_QUEUED, false);
	expect_moves(test, c, MOVE_QUEUED, true);
	expect_moves(test, c, MOVE_JUMP, false);
	expect_moves(test, c, MOVE_JUMP, true);
#endif
}

/*
 * Unwinders see a displaced instruction where it is from, and what is no task's
 * way where it is.
 */
static void expect_place(struct kunit *test, const void *slot,
			 unsigned int word, unsigned long place)
{
	unsigned long addr = (unsigned long)slot + word * AARCH64_INSN_SIZE;

	KUNIT_EXPECT_EQ_MSG(test, kprobe_displaced_from(addr), place ?: addr,
			    "word %u", word);
}

static void test_places(struct kunit *test)
{
	struct counted p = COUNTED(probe_isb,
				   .probe.post_handler = counted_post);
	struct counted q = COUNTED(probe_add,
				   .probe.post_handler = counted_post);
	unsigned long isb = (unsigned long)probe_isb;
	const struct arch_kprobe_insn *insn;
	unsigned int i;

	KUNIT_ASSERT_EQ(test, register_kprobe(&p.probe), 0);
	insn = &p.probe.site->insn;
	expect_place(test, insn->slot, 0, isb);
	expect_place(test, insn->slot, 1, isb + 4);
	KUNIT_EXPECT_FALSE(test, insn->computes);
	/* Behind the site: the instruction, the call, the way back. */
	expect_place(test, insn->post_slot, 2, isb);
	for (i = 3; i < 10; i++)
		expect_place(test, insn->post_slot, i, isb + 4);
	unregister_kprobe(&p.probe);

	KUNIT_ASSERT_EQ(test, register_kprobe(&q.probe), 0);
	insn = &q.probe.site->insn;
	KUNIT_EXPECT_TRUE(test, insn->computes);
	for (i = 0; i < 8; i++)
		expect_place(test, insn->post_slot, i, 0);
	unregister_kprobe(&q.probe);
}

/* An interrupt finds a task in a slot: it is in the probed function. */
CODE(wfi, "", "wfi", "");

static struct {
	struct hrtimer timer;
	unsigned long entries[16];
	unsigned int nr;
} unwound;

static enum hrtimer_restart unwind_interrupted(struct hrtimer *timer)
{
	struct pt_regs *regs = get_irq_regs();

	if (regs && !user_mode(regs) && is_kprobe_insn_slot(regs->pc))
		unwound.nr = stack_trace_save(unwound.entries,
					      ARRAY_SIZE(unwound.entries), 0);
	return HRTIMER_NORESTART;
}

static void expect_unwound(struct kunit *test)
{
	struct state s = {};
	bool found = false;
	unsigned int i;

	unwound.nr = 0;
	/* Another interrupt may come first. */
	for (i = 0; i < 100 && !unwound.nr; i++) {
		migrate_disable();
		hrtimer_start(&unwound.timer, ms_to_ktime(2),
			      HRTIMER_MODE_REL_PINNED_HARD);
		call_code(code_wfi, &s);
		hrtimer_cancel(&unwound.timer);
		migrate_enable();
	}
	KUNIT_EXPECT_GT(test, unwound.nr, 0);
	for (i = 0; i < unwound.nr; i++) {
		KUNIT_EXPECT_FALSE(test,
				   is_kprobe_insn_slot(unwound.entries[i]));
		if (unwound.entries[i] >= (unsigned long)code_wfi &&
		    unwound.entries[i] <= (unsigned long)probe_wfi + 4)
			found = true;
	}
	KUNIT_EXPECT_TRUE(test, found);
}

static void test_interrupted(struct kunit *test)
{
	struct counted p = COUNTED(probe_wfi);

	if (!IS_ENABLED(CONFIG_STACKTRACE))
		kunit_skip(test, "nothing unwinds");

	hrtimer_init(&unwound.timer, CLOCK_MONOTONIC,
		     HRTIMER_MODE_REL_PINNED_HARD);
	unwound.timer.function = unwind_interrupted;
#ifdef CONFIG_OPTPROBES
	kprobe_optimizer_switch(false);
#endif
	KUNIT_ASSERT_EQ(test, register_kprobe(&p.probe), 0);
	expect_unwound(test);
#ifdef CONFIG_OPTPROBES
	kprobe_optimizer_switch(true);
	wait_for_kprobe_optimizer();
	KUNIT_EXPECT_TRUE(test, kprobe_optimized(&p.probe));
	expect_unwound(test);
#endif
	unregister_kprobe(&p.probe);
}

#ifdef CONFIG_PERF_EVENTS
/* A decoder of traces is told what is written into slots and detours. */
static int told_pre(struct kprobe *p, struct pt_regs *regs)
{
	if (is_kprobe_insn_slot(regs->regs[0]))
		container_of(p, struct counted, probe)->pre++;
	return 0;
}

static void test_told(struct kunit *test)
{
	struct counted told = {
		.probe.symbol_name = "perf_event_text_poke",
		.probe.pre_handler = told_pre,
	};
	struct counted p = COUNTED(probe_isb);
	struct counted q = COUNTED(probe_isb,
				   .probe.post_handler = counted_post);

	KUNIT_ASSERT_EQ(test, register_kprobe(&told.probe), 0);
#ifdef CONFIG_OPTPROBES
	wait_for_kprobe_optimizer();
#endif
	told.pre = 0;
	KUNIT_ASSERT_EQ(test, register_kprobe(&p.probe), 0);
	KUNIT_EXPECT_EQ(test, told.pre, 1);
#ifdef CONFIG_OPTPROBES
	wait_for_kprobe_optimizer();
	KUNIT_EXPECT_EQ(test, told.pre, 2);
#endif
	told.pre = 0;
	KUNIT_ASSERT_EQ(test, register_kprobe(&q.probe), 0);
	KUNIT_EXPECT_EQ(test, told.pre, 1);
	unregister_kprobe(&q.probe);
	unregister_kprobe(&p.probe);
	unregister_kprobe(&told.probe);
}
#endif

#ifdef CONFIG_CONTEXT_TRACKING_IDLE
/*
 * As the idle loop does while it waits: RCU is not watching, and lockdep holds
 * interrupts for on.  It is lockdep that complains of tracepoints then.
 */
static void call_as_idle(void *function)
{
	struct state s = {};

	local_irq_disable();
	ct_cpuidle_enter();
	call_code(function, &s);
	ct_cpuidle_exit();
	local_irq_enable();
}

static int watched_pre(struct kprobe *p, struct pt_regs *regs)
{
	struct counted *c = container_of(p, struct counted, probe);

	if (!rcu_is_watching())
		c->astray++;
	return counted_pre(p, regs);
}

static void watched_post(struct kprobe *p, struct pt_regs *regs,
			 unsigned long flags)
{
	struct counted *c = container_of(p, struct counted, probe);

	if (!rcu_is_watching())
		c->astray++;
	c->post++;
}

static void test_unwatched(struct kunit *test)
{
	struct counted p = COUNTED(probe_isb,
				   .probe.pre_handler = watched_pre);
	struct counted q = COUNTED(probe_isb,
				   .probe.post_handler = watched_post);
	struct state s = {};

	if (IS_ENABLED(CONFIG_RCU_EQS_DEBUG))
		kunit_skip(test, "only the idle task may be idle");

	KUNIT_ASSERT_EQ(test, register_kprobe(&p.probe), 0);
	call_as_idle(code_isb);
#ifdef CONFIG_OPTPROBES
	wait_for_kprobe_optimizer();
	KUNIT_EXPECT_TRUE(test, kprobe_optimized(&p.probe));
	call_as_idle(code_isb);
#else
	call_code(code_isb, &s);
#endif
	KUNIT_ASSERT_EQ(test, register_kprobe(&q.probe), 0);
	call_as_idle(code_isb);
	unregister_kprobe(&q.probe);
	unregister_kprobe(&p.probe);
	KUNIT_EXPECT_EQ(test, p.pre, 3);
	KUNIT_EXPECT_EQ(test, q.post, 1);
	KUNIT_EXPECT_EQ(test, p.astray + q.astray, 0);
#ifdef CONFIG_KRETPROBES
	struct kretprobe rp = { .kp.addr = (kprobe_opcode_t *)code_isb };

	KUNIT_ASSERT_EQ(test, register_kretprobe(&rp), 0);
	call_as_idle(code_isb);
	unregister_kretprobe(&rp);
	KUNIT_EXPECT_EQ(test, rp.nmissed, 0);
#endif
	call_code(code_isb, &s);
}
#endif

/*
 * Access to user memory: it is as the interrupted code has it, but never on
 * while a handler runs, whatever has brought the hit.
 */
#define ACCESS_USER	1
#define ACCESS_UNTAGGED	2

#define SYS_TCO		sys_reg(3, 3, 4, 2, 7)

static unsigned int access_now(void)
{
	unsigned int access = 0;

	if (system_uses_hw_pan()) {
		if (!(read_sysreg_s(SYS_PSTATE_PAN) & PSR_PAN_BIT))
			access |= ACCESS_USER;
	} else if (read_sysreg(ttbr0_el1) & TTBR_ASID_MASK) {
		access |= ACCESS_USER;
	}
	if (kasan_hw_tags_enabled() && system_supports_mte() &&
	    read_sysreg_s(SYS_TCO) & PSR_TCO_BIT)
		access |= ACCESS_UNTAGGED;
	return access;
}

static CALLER unsigned int call_with_access(void *function, struct state *s,
					    unsigned int *before)
{
	unsigned int after;

	uaccess_enable_privileged();
	*before = access_now();
	call_code(function, s);
	after = access_now();
	uaccess_disable_privileged();
	return after;
}

static struct {
	u32 __user *word;
	unsigned int hits;
	unsigned int access;
	unsigned int wrong;
} access_seen;

/* As one that unwinds a user's stack does. */
static void look_at_access(void)
{
	u32 word;

	access_seen.hits++;
	access_seen.access |= access_now();
	if (copy_from_user_nofault(&word, access_seen.word, sizeof(word)) ||
	    word != 4711)
		access_seen.wrong++;
	access_seen.access |= access_now();
}

static int access_pre(struct kprobe *p, struct pt_regs *regs)
{
	look_at_access();
	return 0;
}

static int access_leave_pre(struct kprobe *p, struct pt_regs *regs)
{
	look_at_access();
	regs->pc = regs->regs[9];
	return 1;
}

static void access_post(struct kprobe *p, struct pt_regs *regs,
			unsigned long flags)
{
	look_at_access();
}

static void access_leave_post(struct kprobe *p, struct pt_regs *regs,
			      unsigned long flags)
{
	look_at_access();
	regs->pc = regs->regs[9];
}

static const struct access_case {
	const char *name;
	kprobe_pre_handler_t pre;
	kprobe_post_handler_t post;
	bool jump;
} access_cases[] = {
	{ "trap", access_pre },
	{ "trap, diverted", access_leave_pre },
	{ "post", NULL, access_post },
	{ "post, diverted", NULL, access_leave_post },
	{ "jump", access_pre, NULL, true },
	{ "jump, diverted", access_leave_pre, NULL, true },
	{ "return" },
};

KUNIT_ARRAY_PARAM_DESC(access, access_cases, name);

static void expect_access(struct kunit *test)
{
	unsigned int before, after;
	struct state s = {};

	memset(&access_seen.hits, 0, sizeof(access_seen) -
	       offsetof(typeof(access_seen), hits));
	after = call_with_access(code_isb, &s, &before);
	KUNIT_EXPECT_TRUE(test, before & ACCESS_USER);
	KUNIT_EXPECT_EQ(test, after, before);
	KUNIT_EXPECT_EQ(test, access_seen.hits, 1);
	KUNIT_EXPECT_EQ(test, access_seen.access, 0);
	KUNIT_EXPECT_EQ(test, access_seen.wrong, 0);

	/* And off if it was. */
	call_code(code_isb, &s);
	KUNIT_EXPECT_EQ(test, access_now(), 0);
	KUNIT_EXPECT_EQ(test, access_seen.hits, 2);
	KUNIT_EXPECT_EQ(test, access_seen.wrong, 0);
}

#ifdef CONFIG_KRETPROBES
static int access_return(struct kretprobe_instance *ri, struct pt_regs *regs)
{
	look_at_access();
	return 0;
}

static void expect_access_return(struct kunit *test)
{
	struct kretprobe rp = {
		.kp.addr = (kprobe_opcode_t *)code_isb,
		.handler = access_return,
		.maxactive = 1,
	};

	KUNIT_ASSERT_EQ(test, register_kretprobe(&rp), 0);
	expect_access(test);
	unregister_kretprobe(&rp);
	KUNIT_EXPECT_EQ(test, rp.nmissed, 0);
}
#else
static void expect_access_return(struct kunit *test)
{
	kunit_skip(test, "no return probes");
}
#endif

static void test_access(struct kunit *test)
{
	const struct access_case *c = test->param_value;
	struct kprobe p = {
		.addr = (kprobe_opcode_t *)probe_isb,
		.pre_handler = c->pre,
		.post_handler = c->post,
	};
	unsigned long user;

	if (!system_uses_hw_pan() && !system_uses_ttbr0_pan())
		kunit_skip(test, "user memory is always accessible");

	user = kunit_vm_mmap(test, NULL, 0, PAGE_SIZE, PROT_READ | PROT_WRITE,
			     MAP_ANONYMOUS | MAP_PRIVATE, 0);
	KUNIT_ASSERT_NE(test, user, 0);
	KUNIT_ASSERT_FALSE(test, IS_ERR_VALUE(user));
	access_seen.word = (u32 __user *)user;
	KUNIT_ASSERT_EQ(test, put_user(4711, access_seen.word), 0);

	if (!c->pre && !c->post) {
		expect_access_return(test);
		return;
	}
#ifdef CONFIG_OPTPROBES
	kprobe_optimizer_switch(c->jump);
#else
	if (c->jump)
		kunit_skip(test, "no jumps");
#endif
	KUNIT_ASSERT_EQ(test, register_kprobe(&p), 0);
#ifdef CONFIG_OPTPROBES
	wait_for_kprobe_optimizer();
	KUNIT_EXPECT_EQ(test, kprobe_optimized(&p), c->jump);
#endif
	expect_access(test);
	unregister_kprobe(&p);
	KUNIT_EXPECT_EQ(test, p.nmissed, 0);
}

#ifdef CONFIG_OPTPROBES
/* What is in the way of a branch, and what is not. */
CODE(pan, "", "add x0, x1, x2", "b 1f\n .inst 0xd500409f\n1:");
CODE(tco, "", "add x0, x1, x2", "b 1f\n .inst 0xd503409f\n1:");
CODE(ttbr, "", "add x0, x1, x2", "b 1f\n msr ttbr0_el1, x0\n1:");
CODE(daif, "", "add x0, x1, x2", "b 1f\n msr daifset, #2\n1:");

static const struct obstacle_case {
	const char *name;
	char **probe;
	enum kprobe_obstacle expected;
} obstacle_cases[] = {
	{ "nothing", &probe_add, KPROBE_NO_OBSTACLE },
	{ "user access", &probe_pan, KPROBE_NO_OBSTACLE },
	{ "tag check override", &probe_tco, KPROBE_NO_OBSTACLE },
	{ "page tables", &probe_ttbr, KPROBE_NO_OBSTACLE },
	{ "interrupts", &probe_daif, KPROBE_NO_OBSTACLE },
	{ "call by the link register", &probe_blr_x30, KPROBE_BOUND_INSIDE },
};

KUNIT_ARRAY_PARAM_DESC(obstacle, obstacle_cases, name);

static void test_obstacle(struct kunit *test)
{
	const struct obstacle_case *c = test->param_value;
	struct counted p = COUNTED(*c->probe);
	enum kprobe_obstacle found;

	KUNIT_ASSERT_EQ(test, register_kprobe(&p.probe), 0);
	wait_for_kprobe_optimizer();
	found = kprobe_obstacle_at((void *)probed_at(&p.probe));
	KUNIT_EXPECT_STREQ(test, kprobe_obstacle_name(found),
			   kprobe_obstacle_name(c->expected));
	KUNIT_EXPECT_EQ(test, kprobe_optimized(&p.probe), !c->expected);
	unregister_kprobe(&p.probe);
}

/* Neighbours are in nobody's way: a branch covers one instruction. */
static void test_neighbours(struct kunit *test)
{
	struct counted p = COUNTED(probe_push);
	struct counted q = COUNTED(probe_push + 4);
	struct state s = { .x = { 1, 2 } };

	KUNIT_ASSERT_EQ(test, register_kprobe(&p.probe), 0);
	KUNIT_ASSERT_EQ(test, register_kprobe(&q.probe), 0);
	wait_for_kprobe_optimizer();
	KUNIT_EXPECT_TRUE(test, kprobe_optimized(&p.probe));
	KUNIT_EXPECT_TRUE(test, kprobe_optimized(&q.probe));
	call_code(code_push, &s);
	KUNIT_EXPECT_EQ(test, s.x[2], 1);
	KUNIT_EXPECT_EQ(test, s.x[3], 2);
	unregister_kprobe(&p.probe);
	unregister_kprobe(&q.probe);
	KUNIT_EXPECT_EQ(test, p.pre, 1);
	KUNIT_EXPECT_EQ(test, q.pre, 1);
}

/* Back and forth, whatever forces it. */
static void test_states(struct kunit *test)
{
	struct counted p = COUNTED(probe_add);
	struct counted q = COUNTED(probe_add,
				   .probe.post_handler = checked_post);
	u32 before = *(u32 *)probe_add;
	struct state s = {};
	int i;

	KUNIT_ASSERT_EQ(test, register_kprobe(&p.probe), 0);
	for (i = 0; i < 3; i++) {
		wait_for_kprobe_optimizer();
		KUNIT_EXPECT_TRUE(test, kprobe_optimized(&p.probe));
		call_code(code_add, &s);
		KUNIT_ASSERT_EQ(test, register_kprobe(&q.probe), 0);
		KUNIT_EXPECT_TRUE(test, is_trap(probe_add));
		call_code(code_add, &s);
		unregister_kprobe(&q.probe);
		q.probe.addr = (kprobe_opcode_t *)probe_add;
		wait_for_kprobe_optimizer();
		KUNIT_EXPECT_TRUE(test, kprobe_optimized(&p.probe));
		KUNIT_EXPECT_EQ(test, disable_kprobe(&p.probe), 0);
		call_code(code_add, &s);
		wait_for_kprobe_optimizer();
		KUNIT_EXPECT_EQ(test, *(u32 *)probe_add, before);
		KUNIT_EXPECT_EQ(test, enable_kprobe(&p.probe), 0);
		KUNIT_EXPECT_TRUE(test, is_trap(probe_add));
	}
	unregister_kprobe(&p.probe);
	KUNIT_EXPECT_EQ(test, *(u32 *)probe_add, before);
	KUNIT_EXPECT_EQ(test, p.pre, 6);
	KUNIT_EXPECT_EQ(test, q.post, 3);
}

/* A task that is kept from running while it stands in a detour. */
struct kept {
	struct kprobe probe;
	struct completion go;
	struct completion kept;
	atomic_t woken;
	bool release;
};

static int kept_pre(struct kprobe *p, struct pt_regs *regs)
{
	struct kept *k = container_of(p, struct kept, probe);

	if (!atomic_xchg(&k->woken, 1))
		complete(&k->go);
	return 0;
}

static int keeper(void *data)
{
	struct kept *k = data;

	wait_for_completion(&k->go);
	complete(&k->kept);
	while (!READ_ONCE(k->release))
		cpu_relax();
	while (!kthread_should_stop())
		schedule_timeout_interruptible(1);
	return 0;
}

static int caller(void *data)
{
	call_code(code_add, data);
	while (!kthread_should_stop())
		schedule_timeout_interruptible(1);
	return 0;
}

/* Return: whether the caller has been kept for as long as it had to be. */
static bool keep_in_detour(struct kunit *test)
{
	struct kept k = {
		.probe.addr = (kprobe_opcode_t *)probe_add,
		.probe.pre_handler = kept_pre,
	};
	struct state s = { .x = { 0, 1, 2 } };
	struct task_struct *keeping, *calling;
	unsigned int in_use, slots;
	ktime_t start;
	bool kept;
	u64 early;

	kprobe_flush_retired();
	slots = kprobe_slots_in_use();
	init_completion(&k.go);
	init_completion(&k.kept);
	keeping = kthread_create_on_cpu(keeper, &k, 1, "kprobes-keeper");
	KUNIT_ASSERT_FALSE(test, IS_ERR(keeping));
	sched_set_fifo(keeping);
	wake_up_process(keeping);

	KUNIT_ASSERT_EQ(test, register_kprobe(&k.probe), 0);
	wait_for_kprobe_optimizer();
	KUNIT_EXPECT_TRUE(test, kprobe_optimized(&k.probe));
	start = ktime_get();
	calling = kthread_create_on_cpu(caller, &s, 1, "kprobes-caller");
	KUNIT_ASSERT_FALSE(test, IS_ERR(calling));
	wake_up_process(calling);
	wait_for_completion(&k.kept);

	/* Somewhere in the hit: nothing it stands on may go. */
	unregister_kprobe(&k.probe);
	msleep(300);
	in_use = kprobe_slots_in_use();
	early = READ_ONCE(s.x[0]);
	kept = ktime_ms_delta(ktime_get(), start) < KEPT_MS;
	if (kept) {
		KUNIT_EXPECT_GT(test, in_use, slots);
		KUNIT_EXPECT_EQ(test, early, 0);
	}
	WRITE_ONCE(k.release, true);
	kthread_stop(keeping);
	kthread_stop(calling);
	KUNIT_EXPECT_EQ(test, s.x[0], 17);
	kprobe_flush_retired();
	KUNIT_EXPECT_EQ(test, kprobe_slots_in_use(), slots);
	return kept;
}

static void test_preempted(struct kunit *test)
{
	try_to_keep(test, keep_in_detour);
}

/* Callers on all CPUs while probes come and go. */
static unsigned int load_wrong;

static int load_thread(void *unused)
{
	unsigned int n = 0;

	while (!kthread_should_stop()) {
		struct state s = { .x = { 1, 2, 3, 4 } };

		call_code(code_add, &s);
		call_code(code_push, &s);
		call_code(code_bl, &s);
		call_code(code_b_eq, &s);
		if (s.x[0] != 26 || s.x[1] != 2 || s.x[2] != 26)
			WRITE_ONCE(load_wrong, load_wrong + 1);
		if (++n % 64 == 0)
			cond_resched_tasks_rcu_qs();
	}
	return 0;
}

static void test_load(struct kunit *test)
{
	static char **where[] = {
		&probe_add, &probe_push, &probe_bl, &probe_b_eq,
	};
	struct task_struct *tasks[4];
	struct counted p[ARRAY_SIZE(where)];
	struct kprobe *ps[ARRAY_SIZE(where)];
	unsigned int i, k, slots, hits = 0;
	unsigned long missed = 0;

	kprobe_flush_retired();
	slots = kprobe_slots_in_use();
	load_wrong = 0;
	for (i = 0; i < ARRAY_SIZE(tasks); i++)
		tasks[i] = kthread_run(load_thread, NULL, "kprobes-load%u", i);
	for (i = 0; i < 60; i++) {
		struct counted q = COUNTED(probe_add,
					   .probe.post_handler = checked_post);

		for (k = 0; k < ARRAY_SIZE(where); k++) {
			p[k] = COUNTED(*where[k]);
			ps[k] = &p[k].probe;
		}
		KUNIT_ASSERT_EQ(test, register_kprobes(ps, ARRAY_SIZE(ps)), 0);
		if (i % 3 == 0)
			wait_for_kprobe_optimizer();
		else
			msleep(i);
		if (i % 2) {
			KUNIT_EXPECT_EQ(test, register_kprobe(&q.probe), 0);
			msleep(2);
			unregister_kprobe(&q.probe);
		}
		if (i % 5 == 0) {
			kprobe_optimizer_switch(false);
			msleep(1);
			kprobe_optimizer_switch(true);
		}
		unregister_kprobes(ps, ARRAY_SIZE(ps));
		for (k = 0; k < ARRAY_SIZE(where); k++) {
			missed += p[k].probe.nmissed;
			hits += p[k].pre;
			KUNIT_EXPECT_EQ(test, p[k].astray, 0);
		}
	}
	for (i = 0; i < ARRAY_SIZE(tasks); i++)
		kthread_stop(tasks[i]);
	KUNIT_EXPECT_EQ(test, load_wrong, 0);
	KUNIT_EXPECT_EQ(test, missed, 0);
	KUNIT_EXPECT_GT(test, hits, 1000);
	wait_for_kprobe_optimizer();
	kprobe_flush_retired();
	KUNIT_EXPECT_EQ(test, kprobe_slots_in_use(), slots);
}
#endif

static void hit_exit(struct kunit *test)
{
#ifdef CONFIG_OPTPROBES
	kprobe_optimizer_switch(true);
#endif
}

static struct kunit_case hit_tests[] = {
	KUNIT_CASE(test_registers),
	KUNIT_CASE(test_change),
	KUNIT_CASE(test_divert),
	KUNIT_CASE_PARAM(test_move, move_gen_params),
	KUNIT_CASE(test_places),
	KUNIT_CASE(test_interrupted),
#ifdef CONFIG_PERF_EVENTS
	KUNIT_CASE(test_told),
#endif
#ifdef CONFIG_CONTEXT_TRACKING_IDLE
	KUNIT_CASE(test_unwatched),
#endif
	KUNIT_CASE_PARAM(test_access, access_gen_params),
#ifdef CONFIG_OPTPROBES
	KUNIT_CASE_PARAM(test_obstacle, obstacle_gen_params),
	KUNIT_CASE(test_neighbours),
	KUNIT_CASE(test_states),
	KUNIT_CASE(test_preempted),
	KUNIT_CASE_SLOW(test_load),
#endif
	{}
};

static struct kunit_suite hit_suite = {
	.name = "kprobes_arm64_hit",
	.test_cases = hit_tests,
	.exit = hit_exit,
};

/*
 * Faults: of displaced instructions, and of handlers
 */

/* x0 is what to load from; a fix-up leads to where x3 becomes 2. */
CODE(load, "mov x3, #1", "ldr x1, [x0]",
     "b 2f\n1: mov x3, #2\n2:\n"
     _ASM_EXTABLE_UACCESS(.Lprobe_load, 1b));
CODE(undefined, "mov x3, #1", ".inst 0xd5380c00 | 0x1f", "mov x3, #5");

struct fault_seen {
	struct kprobe probe;
	unsigned int faults;
	unsigned int pre;
	unsigned long pc;
	unsigned long x0;
	bool handle;
};

static int fault_pre(struct kprobe *p, struct pt_regs *regs)
{
	container_of(p, struct fault_seen, probe)->pre++;
	return 0;
}

static int fault_handler(struct kprobe *p, struct pt_regs *regs, int trap)
{
	struct fault_seen *s = container_of(p, struct fault_seen, probe);

	s->faults++;
	s->pc = regs->pc;
	s->x0 = regs->regs[0];
	if (!s->handle)
		return 0;
	regs->regs[1] = 99;
	regs->pc += AARCH64_INSN_SIZE;
	return 1;
}

/* By a breakpoint, with a post handler, by a branch. */
static void test_displaced_fault(struct kunit *test)
{
	struct fault_seen s = {
		.probe.addr = (kprobe_opcode_t *)probe_load,
		.probe.pre_handler = fault_pre,
		.probe.fault_handler = fault_handler,
	};
	struct counted q = COUNTED(probe_load,
				   .probe.post_handler = checked_post);
	unsigned int i, faults = 0;

	for (i = 0; i < 3; i++) {
		struct state state = { .x = { BAD_PAGE } };
		u64 word = 4711;

		s.probe.addr = (kprobe_opcode_t *)probe_load;
		KUNIT_ASSERT_EQ(test, register_kprobe(&s.probe), 0);
		q.probe.addr = (kprobe_opcode_t *)probe_load;
		if (i == 1)
			KUNIT_ASSERT_EQ(test, register_kprobe(&q.probe), 0);
#ifdef CONFIG_OPTPROBES
		if (i == 2) {
			wait_for_kprobe_optimizer();
			KUNIT_EXPECT_TRUE(test, kprobe_optimized(&s.probe));
		}
#endif
		/* The kernel's own fix-up. */
		s.handle = false;
		call_code(code_load, &state);
		KUNIT_EXPECT_EQ(test, state.x[3], 2);
		KUNIT_EXPECT_EQ(test, s.faults, ++faults);
		KUNIT_EXPECT_EQ(test, s.pc, (unsigned long)probe_load);
		KUNIT_EXPECT_EQ(test, s.x0, BAD_PAGE);

		/* The handler's. */
		s.handle = true;
		state.x[0] = BAD_PAGE;
		call_code(code_load, &state);
		KUNIT_EXPECT_EQ(test, state.x[3], 1);
		KUNIT_EXPECT_EQ(test, state.x[1], 99);
		KUNIT_EXPECT_EQ(test, s.faults, ++faults);

		/* Nothing to fix. */
		state.x[0] = (unsigned long)&word;
		call_code(code_load, &state);
		KUNIT_EXPECT_EQ(test, state.x[3], 1);
		KUNIT_EXPECT_EQ(test, state.x[1], 4711);
		KUNIT_EXPECT_EQ(test, s.faults, faults);
		if (i == 1)
			unregister_kprobe(&q.probe);
		unregister_kprobe(&s.probe);
	}
	KUNIT_EXPECT_EQ(test, s.pre, 9);
	KUNIT_EXPECT_EQ(test, q.post, 1);
	KUNIT_EXPECT_EQ(test, s.probe.nmissed, 0);
}

static void test_undefined(struct kunit *test)
{
	struct fault_seen s = {
		.probe.addr = (kprobe_opcode_t *)probe_undefined,
		.probe.pre_handler = fault_pre,
		.probe.fault_handler = fault_handler,
		.handle = true,
	};
	struct state state = {};

	KUNIT_ASSERT_EQ(test, register_kprobe(&s.probe), 0);
	call_code(code_undefined, &state);
	KUNIT_EXPECT_EQ(test, state.x[3], 5);
	KUNIT_EXPECT_EQ(test, s.faults, 1);
	KUNIT_EXPECT_EQ(test, s.pc, (unsigned long)probe_undefined);
	unregister_kprobe(&s.probe);
}

/* Loads from x0; where a fault handler resumes. */
unsigned long load_or_resume(unsigned long addr);
extern char load_resume[];
asm(".pushsection .text\n"
    ".type load_or_resume, @function\n"
    "load_or_resume:\n"
    "	hint	#34\n"
    "	ldr	x0, [x0]\n"
    "	ret\n"
    "load_resume:\n"
    "	mov	x0, #77\n"
    "	ret\n"
    ".size load_or_resume, . - load_or_resume\n"
    ".popsection\n");

static unsigned long handler_got;

static int faulting_pre(struct kprobe *p, struct pt_regs *regs)
{
	handler_got = load_or_resume(BAD_PAGE);
	return 0;
}

static int resume_fault(struct kprobe *p, struct pt_regs *regs, int trap)
{
	regs->pc = (unsigned long)load_resume;
	return 1;
}

static void test_handler_fault(struct kunit *test)
{
	struct kprobe p = {
		.addr = (kprobe_opcode_t *)probe_add,
		.pre_handler = faulting_pre,
		.fault_handler = resume_fault,
	};
	struct state s = { .x = { 0, 1, 2 } };
	int i;

	KUNIT_ASSERT_EQ(test, register_kprobe(&p), 0);
	for (i = 0; i < 2; i++) {
		handler_got = 0;
		call_code(code_add, &s);
		KUNIT_EXPECT_EQ(test, handler_got, 77);
		KUNIT_EXPECT_EQ(test, s.x[0], 17);
#ifdef CONFIG_OPTPROBES
		wait_for_kprobe_optimizer();
#endif
	}
	unregister_kprobe(&p);
}

/* What handlers read carefully is nobody's fault. */
static long nofault_ret;

static int nofault_pre(struct kprobe *p, struct pt_regs *regs)
{
	u64 word;

	nofault_ret = copy_from_kernel_nofault(&word, (void *)BAD_PAGE,
					       sizeof(word));
	return 0;
}

static void test_nofault(struct kunit *test)
{
	struct kprobe p = {
		.addr = (kprobe_opcode_t *)probe_add,
		.pre_handler = nofault_pre,
	};
	struct state s = { .x = { 0, 1, 2 } };
	int i;

	KUNIT_ASSERT_EQ(test, register_kprobe(&p), 0);
	for (i = 0; i < 2; i++) {
		nofault_ret = 0;
		call_code(code_add, &s);
		KUNIT_EXPECT_NE(test, nofault_ret, 0);
		KUNIT_EXPECT_EQ(test, s.x[0], 17);
#ifdef CONFIG_OPTPROBES
		wait_for_kprobe_optimizer();
#endif
	}
	unregister_kprobe(&p);
}

static struct kunit_case fault_tests[] = {
	KUNIT_CASE(test_displaced_fault),
	KUNIT_CASE(test_undefined),
	KUNIT_CASE(test_handler_fault),
	KUNIT_CASE(test_nofault),
	{}
};

static struct kunit_suite fault_suite = {
	.name = "kprobes_arm64_fault",
	.test_cases = fault_tests,
};

kunit_test_suites(&decode_suite, &code_suite, &hit_suite, &fault_suite);

MODULE_DESCRIPTION("KUnit suites for kprobes on arm64");
MODULE_LICENSE("GPL");
