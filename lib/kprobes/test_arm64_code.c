// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * KUnit suite for instructions on arm64: each class must have the same results
 * with a probe, on random operands, as without.  The probe is a breakpoint, has
 * a post handler, or is a branch.
 */
#include <asm/cpufeature.h>
#include "test_arm64.h"
#include "test_same.h"

/* x3 shows whether the branch was taken. */
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
/* The called part returns to the instruction after the call, by x30. */
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
/* Signing with the stack pointer gives each caller a different pointer. */
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

/* Instructions executed out of line. */
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
CODE(movk, "", "movk x2, #4711, lsl #32", "");
CODE(movn, "", "movn w2, #4711", "");
CODE(bfi, "", "bfi x0, x1, #5, #17", "");
CODE(sbfx, "", "sbfx x0, x1, #3, #40", "");
CODE(extr, "", "extr x0, x1, x2, #13", "");
CODE(bics, "", "bics x0, x1, x2, ror #5", "");
CODE(orn, "", "orn w0, w1, w2", "");
CODE(mvn_zr, "", "eon xzr, x1, x2", "");
CODE(ngcs, "", "ngcs x0, x1", "");
CODE(cset, "", "cset x0, vs", "");
CODE(lsl, "", "lsl x0, x1, x2", "");
CODE(msub, "", "msub x0, x1, x2, x3", "");
CODE(smaddl, "", "smaddl x0, w1, w2, x3", "");
CODE(umsubl, "", "umsubl x0, w1, w2, x3", "");
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
CODE(clz, "", "clz x0, x1", "");
CODE(crc, "", ".arch_extension crc\n crc32cx w0, w1, x2", "");
CODE(push, "", "stp x0, x1, [sp, #-16]!", "ldp x2, x3, [sp], #16");
CODE(pop, "stp x0, x1, [sp, #-16]!", "ldp x2, x3, [sp], #16", "");
CODE(ldr_sp, "stp x0, x1, [sp, #-16]!", "ldr x2, [sp, #8]", "add sp, sp, #16");
CODE(str_sp, "stp x0, x1, [sp, #-16]!", "str x2, [sp, #8]",
     "ldp x0, x1, [sp], #16");
/* Instructions near the probed one, which is a branch all the same. */
#define NEAR(name, insn)						\
	CODE(name, "", "add x0, x1, x2", "b 1f\n " insn "\n1:")
NEAR(near_pan, ".inst 0xd500409f");
NEAR(near_tco, ".inst 0xd503409f");
NEAR(near_ttbr, "msr ttbr0_el1, x0");
NEAR(near_daif, "msr daifset, #2");
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
CODE(ldar, ON_STACK, "ldar x2, [sp]", OFF_STACK);
CODE(stlr, ON_STACK, "stlr x2, [sp]", OFF_STACK);
/* The load that begins a sequence may be probed; see refused_exclusive. */
CODE(ldxr, ON_STACK "3:", "ldxr x2, [sp]",
     "add x2, x2, #1\n stxr w3, x2, [sp]\n cbnz w3, 3b" OFF_STACK);
CODE(ldaxp, ON_STACK "3:", "ldaxp x2, x4, [sp]",
     "add x2, x2, x4\n stlxp w3, x2, x4, [sp]\n cbnz w3, 3b" OFF_STACK);
CODE(after_stxr, ON_STACK "3: ldxr x2, [sp]\n stxr w3, x2, [sp]\n",
     "cbnz w3, 3b", OFF_STACK);
CODE(after_clrex, ON_STACK "ldxr x2, [sp]\n clrex", "add x2, x2, #1",
     OFF_STACK);
/* No sequence contains wfe, and none is as long as far_after_load. */
CODE(after_wfe, ON_STACK "ldxr x2, [sp]\n eor x2, x2, x1\n cbnz x2, 3f\n"
     " wfe\n3:", "add x2, x2, #1", OFF_STACK);
CODE(far_after_load, ON_STACK "ldxr x2, [sp]" NOPS(32), "add x2, x2, #1",
     OFF_STACK);
/* An earlier function ends with a load that is never executed. */
CODE(after_function, "b 3f\n ldxr x2, [sp]\ncode_after_load:\n3: nop",
     "add x2, x2, #1", "");

/* No jump if the kernel checks landing pads; needs PAC; needs FEAT_HBC. */
#define NO_JUMP_BTI	4
#define NEEDS_PAC	8
#define NEEDS_HBC	16

static const struct code_case code_cases[] = {
	ENTRY(b_eq), ENTRY(b_ne), ENTRY(b_cs), ENTRY(b_cc), ENTRY(b_mi),
	ENTRY(b_pl), ENTRY(b_vs), ENTRY(b_vc), ENTRY(b_hi), ENTRY(b_ls),
	ENTRY(b_ge), ENTRY(b_lt), ENTRY(b_gt), ENTRY(b_le), ENTRY(b_al),
	ENTRY(b_nv), ENTRY(bc_eq, NEEDS_HBC), ENTRY(b), ENTRY(b_next),
	ENTRY(cbz_x), ENTRY(cbz_w), ENTRY(cbnz_x), ENTRY(cbnz_w), ENTRY(cbz_zr),
	ENTRY(cbnz_zr), ENTRY(tbz_0), ENTRY(tbz_31), ENTRY(tbnz_32),
	ENTRY(tbnz_63), ENTRY(tbz_zr), ENTRY(br), ENTRY(br_x17), ENTRY(ret_x4),
	ENTRY(ret), ENTRY(bl), ENTRY(blr, NO_JUMP_BTI),
	ENTRY(blr_x17, NO_JUMP_BTI), ENTRY(blr_x30, NO_JUMP), ENTRY(adr),
	ENTRY(adr_back), ENTRY(adr_zr), ENTRY(adrp), ENTRY(ldr_x), ENTRY(ldr_w),
	ENTRY(ldrsw), ENTRY(ldr_zr), ENTRY(prfm), ENTRY(nop),
	ENTRY(bti, NO_JUMP_BTI), ENTRY(paciasp, NO_JUMP_BTI), ENTRY(autiasp),
	ENTRY(retaa, NEEDS_PAC), ENTRY(retab, NEEDS_PAC),
	ENTRY(braa, NEEDS_PAC), ENTRY(brab_sp, NEEDS_PAC),
	ENTRY(braaz, NEEDS_PAC), ENTRY(brabz, NEEDS_PAC),
	ENTRY(blraa, NEEDS_PAC | NO_JUMP_BTI),
	ENTRY(blrab_sp, NEEDS_PAC | NO_JUMP_BTI),
	ENTRY(blraaz, NEEDS_PAC | NO_JUMP_BTI),
	ENTRY(blrabz, NEEDS_PAC | NO_JUMP_BTI), ENTRY(add), ENTRY(adds),
	ENTRY(sbcs), ENTRY(csel), ENTRY(ccmp), ENTRY(add_imm), ENTRY(subs_imm),
	ENTRY(cmp_imm), ENTRY(add_same), ENTRY(add_zr), ENTRY(cmp),
	ENTRY(and_imm), ENTRY(tst_imm), ENTRY(movk), ENTRY(movn), ENTRY(bfi),
	ENTRY(sbfx), ENTRY(extr), ENTRY(bics), ENTRY(orn), ENTRY(mvn_zr),
	ENTRY(ngcs), ENTRY(cset), ENTRY(lsl), ENTRY(msub), ENTRY(smaddl),
	ENTRY(umsubl), ENTRY(add_sp), ENTRY(sp_add), ENTRY(subs_ext),
	ENTRY(cmp_sp), ENTRY(fp_sp), ENTRY(ccmp_imm), ENTRY(add_ext),
	ENTRY(clz), ENTRY(crc), ENTRY(umulh), ENTRY(udiv), ENTRY(push),
	ENTRY(pop), ENTRY(ldr_sp), ENTRY(str_sp), ENTRY(near_pan),
	ENTRY(near_tco), ENTRY(near_ttbr), ENTRY(near_daif), ENTRY(mrs_nzcv),
	ENTRY(msr_nzcv), ENTRY(mrs_daif), ENTRY(daifset), ENTRY(daifclr),
	ENTRY(msr_daif), ENTRY(mrs_sp_el0), ENTRY(isb), ENTRY(dmb),
	ENTRY(clrex), ENTRY(ldar), ENTRY(stlr), ENTRY(ldxr, NO_POST),
	ENTRY(ldaxp, NO_POST), ENTRY(after_stxr), ENTRY(after_clrex),
	ENTRY(after_wfe), ENTRY(far_after_load), ENTRY(after_function),
};

KUNIT_ARRAY_PARAM_DESC(code, code_cases, name);

static void random_state(struct rnd_state *rnd, struct state *s, int i)
{
	random_words(rnd, s->x, ARRAY_SIZE(s->x), i);
	/* Use each of the sixteen combinations at least once. */
	s->nzcv = (u64)(i & 15) << 28;
}

static void call_case(const struct code_case *c, struct state *s)
{
	call_code(c->function, s);
}

static void skip_without(struct kunit *test, const struct code_case *c)
{
	if (c->flags & NEEDS_PAC && !system_supports_address_auth())
		kunit_skip(test, "this CPU has no pointer authentication");
	if (c->flags & NEEDS_HBC && !cpu_have_named_feature(HBC))
		kunit_skip(test, "this CPU has no hinted conditional branches");
}

static bool jumps(const struct code_case *c)
{
	if (c->flags & NO_JUMP)
		return false;
	return !(c->flags & NO_JUMP_BTI && system_supports_bti_kernel());
}

/* CPUs must be interrupted once for a batch, not once for each slot. */
static void test_batch_interrupts_cpus_once(struct kunit *test)
{
	struct counted *probes, *rounds;
	struct kprobe **array;
	unsigned int i, nr = ARRAY_SIZE(code_cases);

	if (!IS_ENABLED(CONFIG_SMP))
		kunit_skip(test, "this kernel has one CPU");

	probes = kunit_kcalloc(test, nr, sizeof(*probes), GFP_KERNEL);
	array = kunit_kcalloc(test, nr, sizeof(*array), GFP_KERNEL);
	KUNIT_ASSERT_NOT_NULL(test, probes);
	KUNIT_ASSERT_NOT_NULL(test, array);
	for (i = 0; i < nr; i++) {
		probes[i] = COUNTED(*code_cases[i].probe);
		array[i] = &probes[i].probe;
	}
	switch_jumps(false);
	rounds = PROBED(test, 0, .probe.symbol_name = "on_each_cpu_cond_mask");
	KUNIT_ASSERT_EQ(test, register_kprobes(array, nr), 0);
	/* CPUs may be interrupted for other reasons, too. */
	KUNIT_EXPECT_LE(test, rounds->pre, 8);
	kunit_info(test, "%u probes, %u rounds", nr, rounds->pre);

	rounds->pre = 0;
	switch_jumps(true);
	expect_jump(test, array[0], true);
	KUNIT_EXPECT_GE(test, rounds->pre, 1);
	KUNIT_EXPECT_LE(test, rounds->pre, 8);
	kunit_info(test, "jumps: %u rounds", rounds->pre);
	unregister_kprobes(array, nr);
}

/* No 64-bit multiply-accumulate may follow a load or store in a slot. */
static void expect_no_pair(struct kunit *test, const __le32 *text)
{
	unsigned int i;
	u32 before, insn;

	for (i = 1; i < KPROBE_DETOUR_SIZE / sizeof(u32); i++) {
		before = le32_to_cpu(text[i - 1]);
		insn = le32_to_cpu(text[i]);
		if ((insn & 0xff000000) == 0x9b000000 &&
		    (insn & GENMASK(14, 10)) != GENMASK(14, 10) &&
		    (before & 0x0a000000) == 0x08000000)
			KUNIT_FAIL(test, "word %u: %08x, %08x", i, before,
				   insn);
	}
}

/* Erratum 835769 of Cortex-A53. */
static void test_accumulate_in_copy_follows_no_load(struct kunit *test)
{
	char * const at[] = { probe_msub, probe_smaddl, probe_umsubl };
	const struct kprobe_site *site;
	unsigned int i;

	switch_jumps(true);
	for (i = 0; i < ARRAY_SIZE(at); i++) {
		struct counted *jump = PROBED(test, at[i]), *post;

		expect_jump(test, &jump->probe, true);
		site = jump->probe.site;
		expect_no_pair(test, site->detour);
		post = PROBED(test, at[i], .probe.post_handler = counted_post);
		KUNIT_EXPECT_TRUE(test, site->insn.computes);
		expect_no_pair(test, site->post_slot);
		unregister_kprobe(&post->probe);
		unregister_kprobe(&jump->probe);
	}
}

/* A branch covers one instruction: a probe on the next does not prevent it. */
static void test_neighbours_both_jump(struct kunit *test)
{
	struct counted *p = PROBED(test, probe_push);
	struct counted *q = PROBED(test, probe_push + AARCH64_INSN_SIZE);
	struct state s = { .x = { 1, 2 } };

	expect_jump(test, &p->probe, true);
	expect_jump(test, &q->probe, true);
	call_code(code_push, &s);
	KUNIT_EXPECT_EQ(test, s.x[2], 1);
	KUNIT_EXPECT_EQ(test, s.x[3], 2);
	KUNIT_EXPECT_EQ(test, p->pre, 1);
	KUNIT_EXPECT_EQ(test, q->pre, 1);
}

static struct kunit_case code_tests[] = {
	KUNIT_CASE_PARAM(test_probe_changes_no_result, code_gen_params),
	KUNIT_CASE(test_neighbours_both_jump),
	KUNIT_CASE(test_batch_interrupts_cpus_once),
	KUNIT_CASE(test_accumulate_in_copy_follows_no_load),
	{}
};

static struct kunit_suite code_suite = {
	.name = "kprobes_arm64",
	.test_cases = code_tests,
	.exit = code_exit,
};

kunit_test_suite(code_suite);
