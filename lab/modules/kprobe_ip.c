// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Print the addresses that users of probes see: kprobe::addr after
 * registration, the instruction pointer in each kind of handler, and where
 * execution continues if a handler changes it.  Builds on stock and on ours, so
 * that the output can be compared line by line.
 *
 *	kprobe_ip: <place>: addr +<bytes from the symbol>, errno
 *	kprobe_ip: <hit>: <handler> ip addr<bytes from kprobe::addr>
 */
#define pr_fmt(fmt) "kprobe_ip: " fmt

#include <linux/delay.h>
#include <linux/kprobes.h>
#include <linux/module.h>
#include <linux/namei.h>
#include <linux/notifier.h>
#include <linux/objtool.h>
#include <linux/ptrace.h>
#include <linux/string.h>

int kprobe_ip_function(int x);

noinline int kprobe_ip_function(int x)
{
	barrier();
	return x + 1;
}

/*
 * Places
 */

static void show_place(const char *name, struct kprobe *p, void *symbol)
{
	int ret = register_kprobe(p);

	pr_info("%s: addr %+ld, %d\n", name,
		p->addr ? (long)((void *)p->addr - symbol) : -1L, ret);
	if (!ret)
		unregister_kprobe(p);
}

static void show_places(void)
{
	void *symbol = dereference_function_descriptor(kern_path);
	void *refused =
		dereference_function_descriptor(atomic_notifier_call_chain);

	show_place("symbol", &(struct kprobe) {
		.symbol_name = "kern_path" }, symbol);
	show_place("symbol+4", &(struct kprobe) {
		.symbol_name = "kern_path", .offset = 4 }, symbol);
	show_place("address", &(struct kprobe) { .addr = symbol }, symbol);
	show_place("address+4", &(struct kprobe) { .addr = symbol + 4 },
		   symbol);
	show_place("address, offset 4", &(struct kprobe) {
		.addr = symbol, .offset = 4 }, symbol);
	show_place("refused symbol", &(struct kprobe) {
		.symbol_name = "atomic_notifier_call_chain" }, refused);
	show_place("refused address", &(struct kprobe) {
		.addr = refused }, refused);
	show_place("inside an instruction", &(struct kprobe) {
		.addr = symbol + 1 }, symbol);
}

/*
 * Hits
 */

/* Printed by the caller, because handlers run in any context. */
static char seen[256];

static int note(struct kprobe *p, struct pt_regs *regs, const char *handler)
{
	size_t len = strlen(seen);

	scnprintf(seen + len, sizeof(seen) - len, " %s ip addr%+ld", handler,
		  (long)(instruction_pointer(regs) - (unsigned long)p->addr));
	return 0;
}

static int note_pre(struct kprobe *p, struct pt_regs *regs)
{
	return note(p, regs, "pre");
}

static void note_post(struct kprobe *p, struct pt_regs *regs,
		      unsigned long flags)
{
	note(p, regs, "post");
}

static void show_hit(const char *name, struct kprobe *p, int (*target)(int))
{
	int ret = register_kprobe(p);

	seen[0] = 0;
	if (ret) {
		pr_info("%s: %d\n", name, ret);
		return;
	}
	/* Wait until it is a jump, if it may become one. */
	msleep(300);
	target(1);
	pr_info("%s:%s%s\n", name, seen,
		p->flags & KPROBE_FLAG_ON_FUNC_ENTRY ? ", entry" : "");
	unregister_kprobe(p);
}

static void show_hits(void)
{
	void *f = dereference_function_descriptor(kprobe_ip_function);

	show_hit("function, pre", &(struct kprobe) {
		.addr = f, .pre_handler = note_pre }, kprobe_ip_function);
	show_hit("function, pre and post", &(struct kprobe) {
		.addr = f, .pre_handler = note_pre,
		.post_handler = note_post }, kprobe_ip_function);
}

#ifdef CONFIG_KRETPROBES
static int note_entry(struct kretprobe_instance *ri, struct pt_regs *regs)
{
	return note(&get_kretprobe(ri)->kp, regs, "entry");
}

static int note_return(struct kretprobe_instance *ri, struct pt_regs *regs)
{
	size_t len = strlen(seen);

	scnprintf(seen + len, sizeof(seen) - len, " return ip %s",
		  instruction_pointer(regs) == get_kretprobe_retaddr(ri) ?
		  "return address" : "elsewhere");
	return 0;
}

static void show_return(void)
{
	struct kretprobe rp = {
		.kp.addr = dereference_function_descriptor(kprobe_ip_function),
		.handler = note_return,
		.entry_handler = note_entry,
	};
	int ret = register_kretprobe(&rp);

	seen[0] = 0;
	if (ret) {
		pr_info("function, return: %d\n", ret);
		return;
	}
	msleep(300);
	kprobe_ip_function(1);
	pr_info("function, return:%s\n", seen);
	unregister_kretprobe(&rp);
}
#else
static void show_return(void) { }
#endif

#ifdef CONFIG_X86
/*
 * A function that returns which of its parts was executed.  The result is the
 * same for up to 15 bytes from kprobe_ip_elsewhere, because kernels may add the
 * length of the probed instruction to an address that a handler has set.  An
 * instruction also starts at the second byte of the probed instruction.
 */
#define IP_CODE(name, probed)						\
	int kprobe_ip_##name(int x);					\
	extern char kprobe_ip_##name##_probe[];				\
	asm(".pushsection .text\n"					\
	    ".balign 16\n"						\
	    ".type kprobe_ip_" #name ", @function\n"			\
	    "kprobe_ip_" #name ":\n"					\
	    "	mov $1, %eax\n"						\
	    ".globl kprobe_ip_" #name "_probe\n"			\
	    "kprobe_ip_" #name "_probe:\n"				\
	    "	" probed "\n"						\
	    "	add $10, %eax\n"					\
	    ASM_RET							\
	    ".size kprobe_ip_" #name ", . - kprobe_ip_" #name "\n"	\
	    ".popsection\n");						\
	STACK_FRAME_NON_STANDARD(kprobe_ip_##name)

/* mov $0x90909090, %eax: out of line; after its first byte, nops. */
IP_CODE(mov, ".byte 0xb8, 0x90, 0x90, 0x90, 0x90");
/* One byte, out of line. */
IP_CODE(short, "cmc");
IP_CODE(nop, ".byte 0x0f, 0x1f, 0x40, 0x00");
IP_CODE(jmp, ".byte 0xeb, 0x00");
IP_CODE(jcc, ".byte 0x75, 0x00");

int kprobe_ip_elsewhere(int x);
asm(".pushsection .text\n"
	".balign 16\n"
	"	.fill 16, 1, 0x90\n"
	".type kprobe_ip_elsewhere, @function\n"
	".globl kprobe_ip_elsewhere\n"
	"kprobe_ip_elsewhere:\n"
	"	.fill 16, 1, 0x90\n"
	"	mov $2, %eax\n"
	ASM_RET
	".size kprobe_ip_elsewhere, . - kprobe_ip_elsewhere\n"
	".popsection\n");
STACK_FRAME_NON_STANDARD(kprobe_ip_elsewhere);

static int move_to(struct pt_regs *regs, int ret)
{
	/* At the start of the instruction that loads 2. */
	regs->ip = (unsigned long)kprobe_ip_elsewhere + (ret ? 16 : 0);
	return ret;
}

static int move_and_return_0(struct kprobe *p, struct pt_regs *regs)
{
	return move_to(regs, 0);
}

static int move_and_return_1(struct kprobe *p, struct pt_regs *regs)
{
	return move_to(regs, 1);
}

static int stay_and_return_1(struct kprobe *p, struct pt_regs *regs)
{
	return 1;
}

static void show_move(const char *name, const char *how, void *place,
		      kprobe_pre_handler_t pre, kprobe_post_handler_t post,
		      int (*target)(int))
{
	struct kprobe p = {
		.addr = place, .pre_handler = pre, .post_handler = post,
	};
	int ret = register_kprobe(&p), result;

	if (ret) {
		pr_info("%s, %s%s: %d\n", name, how, post ? ", post" : "", ret);
		return;
	}
	msleep(300);
	result = target(1);
	pr_info("%s, %s%s: result %d\n", name, how, post ? ", post" : "",
		result);
	unregister_kprobe(&p);
}

static void ignore_post(struct kprobe *p, struct pt_regs *regs,
			unsigned long flags)
{
}

static void show_moves(const char *name, void *place, int (*target)(int),
		       bool stay)
{
	show_hit(name, &(struct kprobe) {
		.addr = place, .pre_handler = note_pre }, target);
	show_hit(name, &(struct kprobe) {
		.addr = place, .pre_handler = note_pre,
		.post_handler = note_post }, target);
	show_move(name, "moved, 0", place, move_and_return_0, NULL, target);
	show_move(name, "moved, 0", place, move_and_return_0, ignore_post,
		  target);
	show_move(name, "moved, 1", place, move_and_return_1, ignore_post,
		  target);
	if (stay)
		show_move(name, "stays, 1", place, stay_and_return_1,
			  ignore_post, target);
}

static void show_all_moves(void)
{
	show_moves("mov", kprobe_ip_mov_probe, kprobe_ip_mov, true);
	show_moves("short", kprobe_ip_short_probe, kprobe_ip_short, true);
	show_moves("nop", kprobe_ip_nop_probe, kprobe_ip_nop, false);
	show_moves("jmp", kprobe_ip_jmp_probe, kprobe_ip_jmp, false);
	show_moves("jcc", kprobe_ip_jcc_probe, kprobe_ip_jcc, false);
	show_moves("function", kprobe_ip_function, kprobe_ip_function, false);
}
#else
static void show_all_moves(void) { }
#endif

static int __init kprobe_ip_init(void)
{
	show_places();
	show_hits();
	show_return();
	show_all_moves();
	return 0;
}

static void __exit kprobe_ip_exit(void)
{
}

module_init(kprobe_ip_init);
module_exit(kprobe_ip_exit);
MODULE_DESCRIPTION("Addresses that users of probes see");
MODULE_LICENSE("GPL");
