/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Instructions of x86-64 for test_x86_code.c. */

CODE(jrcxz, "mov $1, %eax\n mov %rdi, %rcx", "jrcxz 1f", "mov $2, %eax\n1:");
CODE(call, "mov $1, %eax", "call 1f", "jmp 2f\n1: lea 5(%rax), %eax\n"
     "mov (%rsp), %rdx\n" SAFE "ret\n2: lea 2b(%rip), %rcx\n sub %rcx, %rdx\n"
     "xor %ecx, %ecx");
CODE(call_reg, "lea 1f(%rip), %rax", SAFE "call *%rax",
     "jmp 2f\n1: mov $7, %eax\n" SAFE "ret\n2:");
CODE(call_r11, "lea 1f(%rip), %r11", SAFE "call *%r11",
     "jmp 2f\n1: mov $7, %eax\n" SAFE "ret\n2:");
CODE(jmp_reg, "lea 1f(%rip), %rcx", SAFE "jmp *%rcx",
     "mov $7, %eax\n1: mov $8, %ecx");
CODE(jmp_r8, "lea 1f(%rip), %r8", SAFE "jmp *%r8", "mov $7, %eax\n1:");
CODE(call_mem_sp, "lea 1f(%rip), %rax\n push %rax", SAFE "call *(%rsp)",
     "jmp 2f\n1: mov $7, %eax\n" SAFE "ret\n2: pop %rcx\n xor %ecx, %ecx");
CODE(call_mem_disp, "lea 1f(%rip), %rax\n push %rax\n push $0\n mov %rsp, %r9",
     SAFE "call *8(%r9)",
     "jmp 2f\n1: mov $7, %eax\n" SAFE "ret\n2: add $16, %rsp");
CODE(call_mem_sib, "lea 1f(%rip), %rax\n push %rax\n push $0\n"
     "lea -8(%rsp), %r10\n mov $2, %r8d",
     SAFE "call *(%r10, %r8, 8)",
     "jmp 2f\n1: mov $7, %eax\n" SAFE "ret\n2: add $16, %rsp");
CODE(jmp_mem_index, "lea 1f(%rip), %rax\n push %rax\n mov %rsp, %rcx\n"
     "sub $0x100, %rcx", SAFE "jmp *0x100(, %rcx, 1)",
     "mov $7, %eax\n1: add $8, %rsp\n xor %eax, %eax\n xor %ecx, %ecx");

asm(".pushsection .rodata\n.balign 8\n"
    "test_rip_target: .quad 1234567, 0x00ff00ff00ff00ff\n"
    ".popsection\n"
    ".pushsection .data\n.balign 8\n"
    "test_rip_data: .quad 5\n"
    ".popsection\n");
CODE(rip_load, "", "mov test_rip_target(%rip), %rax", "");
CODE(rip_lea, "", "lea .Lprobe_rip_lea(%rip), %rax",
     "lea .Lprobe_rip_lea(%rip), %rcx\n sub %rcx, %rax\n xor %ecx, %ecx");
CODE(rip_cmp_imm, "xor %eax, %eax", "cmpl $1234567, test_rip_target(%rip)", "");
CODE(rip_store_imm, "", "movq $77, test_rip_data(%rip)",
     "mov test_rip_data(%rip), %rax\n movq $5, test_rip_data(%rip)");
CODE(rip_sse, "", "prefetcht0 test_rip_target(%rip)", "");

CODE(pop_r12, "push %r12\n push %rsi", "pop %r12", "mov %r12, %rax\n pop %r12");
CODE(mov_imm, "", "movabs $0x1122334455667788, %rax", "");
CODE(sub_sil, "mov %rdi, %rax", "sub %sil, %al", "");
CODE(xchg_r8, "mov %rdi, %rax\n mov %rsi, %r8", "xchg %r8, %rax", "");
CODE(longest, "mov %rsp, %rcx\n push %rdi",
     ".byte 0x2e, 0x2e, 0x2e, 0x48, 0x81, 0x84, 0x24\n.long 0, 0x1234",
     "pop %rax\n xor %ecx, %ecx");
CODE(nop9, "mov %rdi, %rax",
     ".byte 0x66, 0x0f, 0x1f, 0x84, 0x00, 0x00, 0x02, 0x00, 0x00", "");
CODE(endbr, "mov %rdi, %rax", "endbr64", "");
CODE(gs_load, "", "mov %gs:this_cpu_off(%rip), %rax", "xor %eax, %eax");
CODE(rep_stosq, "push %rdi\n push %rsi\n mov %rsp, %rdi\n mov $2, %ecx\n"
     "mov $0x55, %eax", "rep stosq", "pop %rdx\n pop %rax");

#define ARCH_CODES LIST(						\
	ENTRY(jrcxz), ENTRY(call), ENTRY(call_reg), ENTRY(call_r11),	\
	ENTRY(jmp_reg), ENTRY(jmp_r8), ENTRY(call_mem_sp),		\
	ENTRY(call_mem_disp), ENTRY(call_mem_sib),			\
	ENTRY(jmp_mem_index), ENTRY(rip_load), ENTRY(rip_lea),		\
	ENTRY(rip_cmp_imm), ENTRY(rip_store_imm), ENTRY(rip_sse),	\
	ENTRY(pop_r12), ENTRY(mov_imm), ENTRY(sub_sil), ENTRY(xchg_r8),	\
	ENTRY(longest), ENTRY(nop9), ENTRY(endbr), ENTRY(gs_load),	\
	ENTRY(rep_stosq))

/* Length of the probed instruction in mov_reg, and in inside. */
#define MOV_REG_LENGTH	3
#define INSIDE_LENGTH	10
#define MOV_IMM_VALUE	0x1122334455667788

/* A general protection fault. */
#define ARCH_FAULTS	{ ENTRY(fault_read), 1UL << 63, -EFAULT }

/*
 * Refusals: none of these is ever executed.
 */
CODE(iret, "", "iretq", "nop");
CODE(lret, "", "lretq", "nop");
CODE(syscall, "", "syscall", "nop");
CODE(sysret, "", "sysretq", "nop");
CODE(swapgs, "", "swapgs", "nop");
CODE(data16_call, "", ".byte 0x66, 0xe8, 0, 0, 0, 0", "nop");
CODE(call_gs, "", SAFE "call *%gs:(%rax)", "nop");
CODE(call_eax_mem, "", SAFE "call *(%eax)", "nop");
CODE(inside, "nop", "movabs $0x9090909090909090, %rax", "nop");

#define ARCH_REFUSALS LIST(						\
	REFUSED(iret, -EOPNOTSUPP),					\
	REFUSED(lret, -EOPNOTSUPP),					\
	REFUSED(syscall, -EOPNOTSUPP),					\
	REFUSED(sysret, -EOPNOTSUPP),					\
	REFUSED(swapgs, -EOPNOTSUPP),					\
	REFUSED(data16_call, -EOPNOTSUPP),				\
	REFUSED(call_gs, -EOPNOTSUPP),					\
	REFUSED(call_eax_mem, -EOPNOTSUPP))
