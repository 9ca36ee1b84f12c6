// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * KUnit suite for refusals on arm64: instructions and functions that cannot be
 * probed, words of ftrace and of callers, and words between functions.
 */
#include <linux/fs.h>
#include <linux/ftrace.h>
#include <linux/init.h>
#include <linux/kallsyms.h>
#include <asm/sections.h>
#include "test_code.h"
#include "test_arm64.h"

/* X(name, errno, instruction): refused instructions, which are skipped. */
#define REFUSALS(X) LIST(						\
	X(svc, -EOPNOTSUPP, "svc #0")					\
	X(hvc, -EOPNOTSUPP, "hvc #0")					\
	X(smc, -EOPNOTSUPP, "smc #0")					\
	X(eret, -EOPNOTSUPP, "eret")					\
	X(brk, -EINVAL, "brk #0x1234")					\
	X(hlt, -EINVAL, "hlt #1")					\
	X(udf, -EINVAL, ".inst 0x00000001")				\
	X(zero, -EINVAL, ".inst 0x00000000")				\
	X(reserved, -EILSEQ, ".inst 0x02000000")			\
	X(elr, -EOPNOTSUPP, "mrs x0, elr_el1")				\
	X(spsr, -EOPNOTSUPP, "msr spsr_el1, x0")			\
	X(spsel, -EOPNOTSUPP, "msr spsel, #0")				\
	X(vector, -EOPNOTSUPP, "ldr q0, 1f")				\
	X(cpyp, -EOPNOTSUPP, ".inst 0x1d010440")			\
	X(cpym, -EOPNOTSUPP, ".inst 0x1d410440"))
#define DEFINE_REFUSED(name, errno, insn)	CODE(name, "b 1f", insn, "1:");
REFUSALS(DEFINE_REFUSED)

CODE(exclusive, ON_STACK "3: ldxr x2, [sp]", "add x2, x2, #1",
     "stxr w3, x2, [sp]\n cbnz w3, 3b" OFF_STACK);
CODE(stxr, ON_STACK "3: ldaxr x2, [sp]\n add x2, x2, #1",
     "stlxr w3, x2, [sp]", "cbnz w3, 3b" OFF_STACK);
CODE(bcond, ON_STACK "3: ldxr x2, [sp]\n cmp x2, x1", "b.eq 4f",
     "stxr w3, x2, [sp]\n cbnz w3, 3b\n4:" OFF_STACK);

CODE(late, ON_STACK "3: ldxr x2, [sp]" NOPS(31), "add x2, x2, #1",
     "stxr w3, x2, [sp]\n cbnz w3, 3b" OFF_STACK);

/* This instruction may be probed if the address is aligned. */
CODE(add, "", "add x0, x1, x2, lsl #3", "");

static const struct refusal_case refusal_cases[] = {
	REFUSALS(REFUSED_CASE)
	REFUSED(exclusive, -EOPNOTSUPP), REFUSED(stxr, -EOPNOTSUPP),
	REFUSED(bcond, -EOPNOTSUPP), REFUSED(late, -EOPNOTSUPP),
	{ "misaligned by 1", &probe_add, 1, -EINVAL },
	{ "misaligned by 2", &probe_add, 2, -EINVAL },
};

KUNIT_ARRAY_PARAM_DESC(refusal, refusal_cases, name);

/* Alternatives may still patch the instruction this early. */
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

static void test_early_probe_is_refused(struct kunit *test)
{
	KUNIT_EXPECT_EQ(test, refused_early, -EAGAIN);
}

/*
 * Functions that run without the kernel's vectors, that are copied, or that are
 * called to trace handlers.  Some depend on the configuration.
 */
static const char * const blacklisted_names[] = {
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
	"locate_direct_register", "locate_mapped_el2_register",
	"trans_pgd_stub_vectors", "_mcount", "ftrace_caller", "ftrace_stub",
	"ftrace_stub_graph", "ftrace_stub_direct_tramp", "ftrace_graph_caller",
	"return_to_handler",
};

KUNIT_ARRAY_PARAM(blacklisted, blacklisted_names, name_desc);

static void test_idmap_is_refused(struct kunit *test)
{
	unsigned long start = (unsigned long)__hyp_idmap_text_start;
	unsigned long end = (unsigned long)__hyp_idmap_text_end;

	if (start == end)
		kunit_skip(test, "this kernel maps no text for the hypervisor");
	KUNIT_EXPECT_TRUE(test, within_kprobe_blacklist(start));
}

#ifdef CONFIG_KRETPROBES
/* Functions that return twice, or that may never return. */
static const char * const blacklisted_returns[] = {
	"__cpu_suspend_enter", "psci_suspend_finisher", "psci_system_suspend",
	"psci_0_1_cpu_suspend", "psci_0_2_cpu_suspend", "__psci_cpu_suspend",
	"__invoke_psci_fn_hvc", "__invoke_psci_fn_smc", "__arm_smccc_hvc",
	"__arm_smccc_smc",
};

KUNIT_ARRAY_PARAM(blacklisted_return, blacklisted_returns, name_desc);

static void test_return_probe_is_refused(struct kunit *test)
{
	unsigned long addr = named_function(test);
	struct kretprobe rp = KRETPROBE_AT(addr);
	struct counted p = COUNTED(addr);
	int ret = register_kretprobe(&rp);

	KUNIT_EXPECT_EQ(test, ret, -EINVAL);
	if (!ret)
		unregister_kretprobe(&rp);
	if (within_kprobe_blacklist(addr))
		return;
	/* Some functions begin with an instruction that is refused itself. */
	ret = register_kprobe(&p.probe);
	KUNIT_EXPECT_TRUE_MSG(test, !ret || ret == -EOPNOTSUPP, "%d", ret);
	unregister_kprobe(&p.probe);
}
#endif

/*
 * Functions that run before recursion of breakpoints is detected, or with the
 * vectors for guests.  They must not be traced: a tracer may hit a probe.
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

KUNIT_ARRAY_PARAM(untraced, untraced_names, name_desc);

static void test_hit_path_is_untraced(struct kunit *test)
{
	if (!IS_ENABLED(CONFIG_DYNAMIC_FTRACE))
		kunit_skip(test, "this kernel has no function tracer");
	KUNIT_EXPECT_EQ(test, ftrace_location(named_function(test)), 0);
}

/* The call of ftrace is refused; the entry of a function precedes it. */
static void test_ftrace_call_is_refused(struct kunit *test)
{
	unsigned long call = ftrace_location((unsigned long)vfs_read);
	struct counted p = COUNTED(call);
	struct counted *entry;

	if (!call)
		kunit_skip(test, "this kernel has no function tracer");

	expect_refused(test, &p, -EINVAL, "the call of ftrace");
	entry = PROBED(test, 0, .probe.symbol_name = "vfs_read");
	KUNIT_EXPECT_EQ(test, probed_at(&entry->probe),
			call - AARCH64_INSN_SIZE);
	KUNIT_EXPECT_TRUE(test, entry->probe.flags & KPROBE_FLAG_ON_FUNC_ENTRY);
	expect_jump(test, &entry->probe, true);
}

CODE(ldxr, ON_STACK "3:", "ldxr x2, [sp]",
     "add x2, x2, #1\n stxr w3, x2, [sp]\n cbnz w3, 3b" OFF_STACK);

/* A breakpoint must not hide the exclusive load that begins a sequence. */
static void test_probed_load_hides_no_sequence(struct kunit *test)
{
	struct counted q = COUNTED(probe_ldxr + 4);

	PROBED(test, probe_ldxr);
	KUNIT_EXPECT_EQ(test, register_kprobe(&q.probe), -EOPNOTSUPP);
	wait_for_kprobe_optimizer();
	KUNIT_EXPECT_EQ(test, register_kprobe(&q.probe), -EOPNOTSUPP);
}

/*
 * Words between functions, and the end of a function that continues in the next
 * symbol.
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
	{ "padding after a return", code_padded, 8, -EINVAL },
	{ "padding before a function", code_padded, 12, -EINVAL },
	{ "last instruction", code_going_on, 8, 0 },
	{ "last no-op", code_going_on, 12, 0 },
	{ "first no-op", code_gone_on, 0, 0 },
	{ "jumped over", code_gone_on, 8, 0 },
	{ "last return", code_gone_on, 12, 0 },
};

KUNIT_ARRAY_PARAM_DESC(between, between_cases, name);

static void test_only_functions_are_probed(struct kunit *test)
{
	const struct between_case *c = test->param_value;
	struct counted p = COUNTED(c->function + c->offset);

	expect_refused(test, &p, c->errno, c->name);
}

/* Callers or ftrace read words in front of these functions. */
static const char * const read_before[] = {
	"vfs_read", "vfs_write", "kernel_read", "schedule_timeout",
	"wait_for_completion", "kthread_stop", "kmem_cache_alloc_noprof",
};

static void test_words_before_are_refused(struct kunit *test)
{
	bool hashes = IS_ENABLED(CONFIG_CFI);
	bool ops = IS_ENABLED(CONFIG_DYNAMIC_FTRACE_WITH_CALL_OPS);
	unsigned int i, offset, checked = 0;

	if (!hashes && !ops)
		kunit_skip(test, "this kernel reads nothing there");

	for (i = 0; i < ARRAY_SIZE(read_before); i++) {
		unsigned long addr = kallsyms_lookup_name(read_before[i]);

		if (!addr || (!hashes && !ftrace_location(addr)))
			continue;
		for (offset = 4; offset <= (ops ? 8 : 4); offset += 4) {
			struct counted p = COUNTED(addr - offset);

			expect_refused(test, &p, -EINVAL, read_before[i]);
			checked++;
		}
	}
	KUNIT_EXPECT_GE(test, checked, 4);
}

static struct kunit_case refusal_tests[] = {
	KUNIT_CASE_PARAM(test_refused_with_errno, refusal_gen_params),
	KUNIT_CASE(test_early_probe_is_refused),
	KUNIT_CASE_PARAM(test_blacklisted_is_refused, blacklisted_gen_params),
	KUNIT_CASE(test_idmap_is_refused),
#ifdef CONFIG_KRETPROBES
	KUNIT_CASE_PARAM(test_return_probe_is_refused,
			 blacklisted_return_gen_params),
#endif
	KUNIT_CASE_PARAM(test_hit_path_is_untraced, untraced_gen_params),
	KUNIT_CASE(test_ftrace_call_is_refused),
	KUNIT_CASE(test_probed_load_hides_no_sequence),
	KUNIT_CASE_PARAM(test_only_functions_are_probed, between_gen_params),
	KUNIT_CASE(test_words_before_are_refused),
	{}
};

static struct kunit_suite refusal_suite = {
	.name = "kprobes_arm64_refusal",
	.test_cases = refusal_tests,
};

kunit_test_suite(refusal_suite);
