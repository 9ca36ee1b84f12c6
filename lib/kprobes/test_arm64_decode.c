// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * KUnit suite for the instruction decoder of kprobes on arm64: it checks the
 * class and the target for given encodings.
 */
#include <linux/string.h>
#include "../../arch/arm64/kernel/probes/decode-insn.h"
#include "test.h"

static const struct decode_case {
	u32 insn;
	enum a64_kprobe_class how;
	const char *text;
} decode_cases[] = {
	{ 0x14000002, A64_B, "b .+8" },
	{ 0x17fffc00, A64_B, "b .-4096" },
	{ 0x94000100, A64_BL, "bl .+1024" },
	{ 0x54000040, A64_BCOND, "b.eq .+8" },
	{ 0x54000042, A64_BCOND, "b.cs .+8" },
	{ 0x5400004e, A64_BCOND, "b.al .+8" },
	{ 0x54000050, A64_BCOND, "bc.eq .+8" },
	{ 0xb4000040, A64_CBZ, "cbz x0, .+8" },
	{ 0x35ffffc5, A64_CBZ, "cbnz w5, .-8" },
	{ 0x3400005f, A64_CBZ, "cbz wzr, .+8" },
	{ 0xb6f80043, A64_TBZ, "tbz x3, #63, .+8" },
	{ 0x3707ffde, A64_TBZ, "tbnz w30, #0, .-8" },
	{ 0xd61f0000, A64_BR, "br x0" },
	{ 0xd61f03c0, A64_BR, "br x30" },
	{ 0xd63f0020, A64_BLR, "blr x1" },
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
	{ 0xd4000002, A64_CALLS_UP, "hvc #0" },
	{ 0xd4000003, A64_CALLS_UP, "smc #0" },
	{ 0xd4200080, A64_TRAP, "brk #4" },
	{ 0xd4400020, A64_TRAP, "hlt #1" },
	{ 0xd4a00001, A64_TRAP, "dcps1" },
	{ 0x00000000, A64_TRAP, "udf #0" },
	{ 0x0000ffff, A64_TRAP, "udf #0xffff" },
	{ 0x10000020, A64_ADR, "adr x0, .+4" },
	{ 0x70fffffe, A64_ADR, "adr x30, .-1" },
	{ 0x90000001, A64_ADR, "adrp x1, .+4096" },
	{ 0x90000002, A64_ADR, "adrp x2, .-8192" },
	{ 0x58000040, A64_LDR, "ldr x0, .+8" },
	{ 0x18ffffc1, A64_LDR, "ldr w1, .-8" },
	{ 0x98000082, A64_LDR, "ldrsw x2, .+16" },
	{ 0x1c000040, A64_REFUSED, "ldr s0, .+8" },
	{ 0x5c000041, A64_REFUSED, "ldr d1, .+8" },
	{ 0x9c000082, A64_REFUSED, "ldr q2, .+16" },
	{ 0xd8000040, A64_NOP, "prfm pldl1keep, .+8" },
	{ 0xd8ffffd3, A64_NOP, "prfm pstl2strm, .-8" },
	{ 0xd503201f, A64_NOP, "nop" },
	{ 0xd503241f, A64_NOP, "bti" },
	{ 0xd503245f, A64_NOP, "bti c" },
	{ 0xd50324df, A64_NOP, "bti jc" },
	{ 0xd503203f, A64_PLAIN, "yield" },
	{ 0xd503205f, A64_PLAIN, "wfe" },
	{ 0xd503211f, A64_PLAIN, "pacia1716" },
	{ 0xd503221f, A64_PLAIN, "esb" },
	{ 0xd503233f, A64_PLAIN, "paciasp" },
	{ 0xd50322df, A64_PLAIN, "hint #22" },
	{ 0xd503251f, A64_PLAIN, "hint #40" },
	{ 0xd50324ff, A64_REFUSED, "hint #39" },
	{ 0xd5031000, A64_PLAIN, "wfet x0" },
	{ 0xd5033f5f, A64_PLAIN, "clrex" },
	{ 0xd50339bf, A64_PLAIN, "dmb ishld" },
	{ 0xd5033fdf, A64_PLAIN, "isb" },
	{ 0xd50330ff, A64_PLAIN, "sb" },
	{ 0xd50342df, A64_PLAIN, "msr daifset, #2" },
	{ 0xd500419f, A64_PLAIN, "msr pan, #1" },
	{ 0xd500417f, A64_PLAIN, "msr uao, #1" },
	{ 0xd503419f, A64_PLAIN, "msr tco, #1" },
	{ 0xd503477f, A64_PLAIN, "smstart" },
	{ 0xd500401f, A64_PLAIN, "cfinv" },
	{ 0xd50040bf, A64_REFUSED, "msr spsel, #0" },
	{ 0xd50041bf, A64_REFUSED, "msr spsel, #1" },
	{ 0xd53b4220, A64_PLAIN, "mrs x0, daif" },
	{ 0xd51b4221, A64_PLAIN, "msr daif, x1" },
	{ 0xd5384240, A64_PLAIN, "mrs x0, CurrentEL" },
	{ 0xd5384100, A64_PLAIN, "mrs x0, sp_el0" },
	{ 0xd5184103, A64_PLAIN, "msr sp_el0, x3" },
	{ 0xd5380000, A64_PLAIN, "mrs x0, midr_el1" },
	{ 0xd5182001, A64_PLAIN, "msr ttbr0_el1, x1" },
	{ 0xd53d4000, A64_PLAIN, "mrs x0, spsr_el12" },
	{ 0xd53d4020, A64_PLAIN, "mrs x0, elr_el12" },
	{ 0xd5384020, A64_REFUSED, "mrs x0, elr_el1" },
	{ 0xd5184020, A64_REFUSED, "msr elr_el1, x0" },
	{ 0xd5384001, A64_REFUSED, "mrs x1, spsr_el1" },
	{ 0xd5184001, A64_REFUSED, "msr spsr_el1, x1" },
	{ 0xd5385202, A64_REFUSED, "mrs x2, esr_el1" },
	{ 0xd5386003, A64_REFUSED, "mrs x3, far_el1" },
	{ 0xd53c4024, A64_REFUSED, "mrs x4, elr_el2" },
	{ 0xd53c4005, A64_REFUSED, "mrs x5, spsr_el2" },
	{ 0xd53c5206, A64_REFUSED, "mrs x6, esr_el2" },
	{ 0xd53c6007, A64_REFUSED, "mrs x7, far_el2" },
	{ 0xd5384208, A64_REFUSED, "mrs x8, spsel" },
	{ 0xd5184208, A64_REFUSED, "msr spsel, x8" },
	{ 0xd50b7420, A64_PLAIN, "sys #3, c7, c4, #1, x0" },
	{ 0xd5087800, A64_PLAIN, "at s1e1r, x0" },
	{ 0xc85f7c20, A64_LOAD_EX, "ldxr x0, [x1]" },
	{ 0x485f7c20, A64_LOAD_EX, "ldxrh w0, [x1]" },
	{ 0x885ffc20, A64_LOAD_EX, "ldaxr w0, [x1]" },
	{ 0xc87f0440, A64_LOAD_EX, "ldxp x0, x1, [x2]" },
	{ 0x887f8440, A64_LOAD_EX, "ldaxp w0, w1, [x2]" },
	{ 0xc8007c41, A64_STORE_EX, "stxr w0, x1, [x2]" },
	{ 0xc800fc41, A64_STORE_EX, "stlxr w0, x1, [x2]" },
	{ 0x4800fc41, A64_STORE_EX, "stlxrh w0, w1, [x2]" },
	{ 0xc8200861, A64_STORE_EX, "stxp w0, x1, x2, [x3]" },
	{ 0x88208861, A64_STORE_EX, "stlxp w0, w1, w2, [x3]" },
	{ 0xc8dffc20, A64_PLAIN, "ldar x0, [x1]" },
	{ 0xc89ffc20, A64_PLAIN, "stlr x0, [x1]" },
	{ 0xf8bfc020, A64_PLAIN, "ldapr x0, [x1]" },
	{ 0xd9408020, A64_PLAIN, "ldapur x0, [x1, #8]" },
	{ 0xd91f8020, A64_PLAIN, "stlur x0, [x1, #-8]" },
	{ 0xc8a07c41, A64_PLAIN, "cas x0, x1, [x2]" },
	{ 0x48207c82, A64_PLAIN, "casp x0, x1, x2, x3, [x4]" },
	{ 0xf8200041, A64_PLAIN, "ldadd x0, x1, [x2]" },
	{ 0xf8208041, A64_PLAIN, "swp x0, x1, [x2]" },
	{ 0xf83fd100, A64_PLAIN, "ld64b x0, [x8]" },
	{ 0x1d010440, A64_REFUSED, "cpyp [x0]!, [x1]!, x2!" },
	{ 0x1d410440, A64_REFUSED, "cpym [x0]!, [x1]!, x2!" },
	{ 0x1d810440, A64_REFUSED, "cpye [x0]!, [x1]!, x2!" },
	{ 0x1ddf0020, A64_REFUSED, "setgop [x0]!, x1!" },
	{ 0x1ddf4020, A64_REFUSED, "setgom [x0]!, x1!" },
	{ 0x1ddf8020, A64_REFUSED, "setgoe [x0]!, x1!" },
	{ 0x19010440, A64_REFUSED, "cpyfp [x0]!, [x1]!, x2!" },
	{ 0x19410440, A64_REFUSED, "cpyfm [x0]!, [x1]!, x2!" },
	{ 0x19810440, A64_REFUSED, "cpyfe [x0]!, [x1]!, x2!" },
	{ 0x1901a440, A64_REFUSED, "cpyfprtrn [x0]!, [x1]!, x2!" },
	{ 0x19c20420, A64_REFUSED, "setp [x0]!, x1!, x2" },
	{ 0x19c24420, A64_REFUSED, "setm [x0]!, x1!, x2" },
	{ 0x19c28420, A64_REFUSED, "sete [x0]!, x1!, x2" },
	{ 0x1dc20420, A64_REFUSED, "setgp [x0]!, x1!, x2" },
	{ 0x1dc28420, A64_REFUSED, "setge [x0]!, x1!, x2" },
	{ 0xf9400020, A64_PLAIN, "ldr x0, [x1]" },
	{ 0xf8627820, A64_PLAIN, "ldr x0, [x1, x2, lsl #3]" },
	{ 0xf9000be0, A64_PLAIN, "str x0, [sp, #16]" },
	{ 0xa9bf7bfd, A64_PLAIN, "stp x29, x30, [sp, #-16]!" },
	{ 0xa8c17bfd, A64_PLAIN, "ldp x29, x30, [sp], #16" },
	{ 0xf8400820, A64_PLAIN, "ldtr x0, [x1]" },
	{ 0xf8200420, A64_PLAIN, "ldraa x0, [x1]" },
	{ 0xf9800000, A64_PLAIN, "prfm pldl1keep, [x0]" },
	{ 0xd9600020, A64_PLAIN, "ldg x0, [x1]" },
	{ 0xd9200820, A64_PLAIN, "stg x0, [x1]" },
	{ 0x3dc00020, A64_PLAIN, "ldr q0, [x1]" },
	{ 0x4c407000, A64_PLAIN, "ld1 {v0.16b}, [x0]" },
	{ 0x91000420, A64_PLAIN, "add x0, x1, #1" },
	{ 0xd10103ff, A64_PLAIN, "sub sp, sp, #64" },
	{ 0x92401c20, A64_PLAIN, "and x0, x1, #0xff" },
	{ 0xd2800020, A64_PLAIN, "movz x0, #1" },
	{ 0xf2e00020, A64_PLAIN, "movk x0, #1, lsl #48" },
	{ 0x9b020c20, A64_PLAIN, "madd x0, x1, x2, x3" },
	{ 0xdac01020, A64_PLAIN, "clz x0, x1" },
	{ 0xdac10020, A64_PLAIN, "pacia x0, x1" },
	{ 0xdac143e0, A64_PLAIN, "xpaci x0" },
	{ 0x1e622820, A64_PLAIN, "fadd d0, d1, d2" },
	{ 0x6e42fc20, A64_PLAIN, "bfdot v0.4s, v1.8h, v2.8h" },
	{ 0x2518e3e0, A64_PLAIN, "ptrue p0.b" },
	{ 0x04220020, A64_PLAIN, "add z0.b, z1.b, z2.b" },
	{ 0xa400a000, A64_PLAIN, "ld1b {z0.b}, p0/z, [x0]" },
	{ 0x04a2a020, A64_PLAIN, "adr z0.s, [z1.s, z2.s]" },
	{ 0x80812000, A64_PLAIN, "fmopa za0.s, p0/m, p1/m, z0.s, z1.s" },
	{ 0xdac1a3fe, A64_REFUSED, "paciasppc" },
	{ 0xdac1a7fe, A64_REFUSED, "pacibsppc" },
	{ 0xdac183fe, A64_REFUSED, "pacnbiasppc" },
	{ 0xdac187fe, A64_REFUSED, "pacnbibsppc" },
	{ 0xf380001f, A64_REFUSED, "autiasppc" },
	{ 0xf3a0001f, A64_REFUSED, "autibsppc" },
	{ 0x5500001f, A64_REFUSED, "retaasppc" },
	{ 0x5520001f, A64_REFUSED, "retabsppc" },
	{ 0xd65f0be3, A64_REFUSED, "retaasppcr x3" },
	{ 0x74000000, A64_REFUSED, "cbgt w0, w0" },
	{ 0xf4c00000, A64_REFUSED, "cbeq x0, x0" },
	{ 0x75000000, A64_REFUSED, "cbgt w0, #0" },
	{ 0xc95f7c20, A64_LOAD_EX, "ldtxr x0, [x1]" },
	{ 0xc9007c41, A64_STORE_EX, "sttxr w0, x1, [x2]" },
	{ 0x02000000, A64_NONE, "reserved" },
	{ 0x66000000, A64_NONE, "reserved" },
	{ 0xd6ffffff, A64_NONE, "unallocated branch" },
	{ 0xd4600000, A64_TRAP, "tcancel #0" },
};

/* KTAP does not treat text after a # as part of the name. */
static void decode_desc(const struct decode_case *c, char *desc)
{
	snprintf(desc, KUNIT_PARAM_DESC_SIZE, "%08x %s", c->insn, c->text);
	strreplace(desc, '#', '$');
}

KUNIT_ARRAY_PARAM(decode, decode_cases, decode_desc);

static void test_class_is_right(struct kunit *test)
{
	const struct decode_case *c = test->param_value;
	struct a64_kprobe_insn decoded;

	a64_kprobe_decode(c->insn, 0, &decoded);
	KUNIT_EXPECT_EQ(test, decoded.class, c->how);
}

/* The address of the decoded instruction. */
#define HERE	0xffff800080001000UL

static const struct target_case {
	u32 insn;
	const char *mnemonic;
	unsigned long target;
} target_cases[] = {
	{ 0x14000002, "b", HERE + 8 },
	{ 0x15ffffff, "b", HERE + 0x7fffffc },
	{ 0x16000000, "b", HERE - 0x8000000 },
	{ 0x94000100, "bl", HERE + 1024 },
	{ 0x54ffffc1, "b.ne", HERE - 8 },
	{ 0x547fffe1, "b.ne", HERE + 0xffffc },
	{ 0xb4800000, "cbz", HERE - 0x100000 },
	{ 0x3707ffde, "tbnz", HERE - 8 },
	{ 0x3603ffe0, "tbz", HERE + 0x7ffc },
	{ 0x36040000, "tbz", HERE - 0x8000 },
	{ 0x70fffffe, "adr", HERE - 1 },
	{ 0x10000020, "adr", HERE + 4 },
	{ 0x307fffe0, "adr", HERE + 0xffffd },
	{ 0xb0000001, "adrp", HERE + 4096 },
	{ 0xd0ffffe2, "adrp", HERE - 8192 },
	{ 0x58000040, "ldr", HERE + 8 },
	{ 0x98ffffc0, "ldrsw", HERE - 8 },
};

static void target_desc(const struct target_case *c, char *desc)
{
	snprintf(desc, KUNIT_PARAM_DESC_SIZE, "%s %+ld", c->mnemonic,
		 (long)(c->target - HERE));
}

KUNIT_ARRAY_PARAM(target, target_cases, target_desc);

static void test_target_is_right(struct kunit *test)
{
	const struct target_case *c = test->param_value;
	struct a64_kprobe_insn decoded;

	a64_kprobe_decode(c->insn, HERE, &decoded);
	KUNIT_EXPECT_EQ(test, decoded.target, c->target);
}

static struct kunit_case decode_tests[] = {
	KUNIT_CASE_PARAM(test_class_is_right, decode_gen_params),
	KUNIT_CASE_PARAM(test_target_is_right, target_gen_params),
	{}
};

static struct kunit_suite decode_suite = {
	.name = "kprobes_arm64_decode",
	.test_cases = decode_tests,
};

kunit_test_suite(decode_suite);
