/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Instructions of x86-64 for test_x86_code.c, and names in other ones. */

/* Registers whose numbers need a REX prefix; the callee preserves SAVED. */
#define BASE		"%r10"
#define INDEX		"%r8"
#define SAVED		"%r12"
#define MOV_IMM_VALUE	0x1122334455667788
/* One of the prefixes of the longest instruction: REX.W. */
#define LAST_PREFIX	"0x48"

CODE(jrcxz, "mov $1, %eax\n mov %rdi, %rcx", "jrcxz 1f", "mov $2, %eax\n1:");
CODE(rip_lea, "", "lea .Lprobe_rip_lea(%rip), %rax",
     "lea .Lprobe_rip_lea(%rip), %rcx\n sub %rcx, %rax\n xor %ecx, %ecx");
CODE(rip_sse, "", "prefetcht0 test_target(%rip)", "");
CODE(sub_sil, "mov %rdi, %rax", "sub %sil, %al", "");
CODE(xchg_r8, "mov %rdi, %rax\n mov %rsi, %r8", "xchg %r8, %rax", "");
CODE(nop9, "mov %rdi, %rax",
     ".byte 0x66, 0x0f, 0x1f, 0x84, 0x00, 0x00, 0x02, 0x00, 0x00", "");
CODE(endbr, "mov %rdi, %rax", "endbr64", "");
/* A general protection fault. */
CODE(fault_form, "mov $1, %eax\n mov $1 << 63, %rdi", "mov (%rdi), %rcx",
     FIXED_UP(fault_form, "mov $-14, %eax\n xor %ecx, %ecx"));

#define CODES_OF_WIDTH LIST(						\
	ENTRY(jrcxz), ENTRY(rip_lea), ENTRY(rip_sse), ENTRY(sub_sil),	\
	ENTRY(xchg_r8), ENTRY(nop9), ENTRY(endbr), ENTRY(fault_form, FAULTS))

#define REFUSALS_OF_WIDTH(X) LIST(					\
	X(iret, -EOPNOTSUPP, "iretq")					\
	X(lret, -EOPNOTSUPP, "lretq")					\
	X(syscall, -EOPNOTSUPP, "syscall")				\
	X(sysret, -EOPNOTSUPP, "sysretq")				\
	X(swapgs, -EOPNOTSUPP, "swapgs")				\
	X(data16_call, -EOPNOTSUPP, ".byte 0x66, 0xe8, 0, 0, 0, 0")	\
	X(call_gs, -EOPNOTSUPP, SAFE "call *%gs:(%rax)")		\
	X(call_eax_mem, -EOPNOTSUPP, SAFE "call *(%eax)"))
