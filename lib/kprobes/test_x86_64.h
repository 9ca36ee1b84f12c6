/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Instructions of x86-64 for test_x86_code.c. */

CODE(loop, "lea 1(%rdi), %rcx\n and $7, %ecx\n or $1, %ecx\n xor %eax, %eax\n"
     "1: inc %eax", "loop 1b", "");
CODE(loope, "mov %rdi, %rcx\n and $7, %ecx\n or $1, %ecx\n xor %eax, %eax\n"
     "1: lea 1(%rax), %eax\n cmp $3, %eax", "loope 1b", "");
CODE(loopne, "mov %rdi, %rcx\n and $7, %ecx\n or $1, %ecx\n xor %eax, %eax\n"
     "1: lea 1(%rax), %eax\n cmp $3, %eax", "loopne 1b", "");
CODE(jrcxz, "mov $1, %eax\n mov %rdi, %rcx", "jrcxz 1f", "mov $2, %eax\n1:");
CODE(jecxz, "mov $1, %eax\n mov %rdi, %rcx", "jecxz 1f", "mov $2, %eax\n1:");
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
CODE(ret, "call 1f\n jmp 2f\n1: mov $3, %eax", SAFE "ret", "2:");
CODE(ret_imm, "push $1\n push $2\n call 1f\n jmp 2f\n1: mov $3, %eax",
     SAFE "ret $8", "2: pop %rdx");

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

CODE(push_reg, "", "push %rdi", "pop %rax");
CODE(push_sp, "mov %rsp, %rcx", "push %rsp",
     "pop %rax\n sub %rcx, %rax\n xor %ecx, %ecx");
CODE(pop_reg, "push %rsi", "pop %rax", "");
CODE(pop_r12, "push %r12\n push %rsi", "pop %r12", "mov %r12, %rax\n pop %r12");
CODE(pop_sp, "mov %rsp, %rcx\n push %rcx", "pop %rsp", "xor %ecx, %ecx");
CODE(push_imm8, "", "push $-5", "pop %rax");
CODE(push_imm32, "", "push $0x12345678", "pop %rax");
CODE(push_mem, "push %rdi", "push (%rsp)", "pop %rax\n pop %rcx");
CODE(pop_mem, "push %rdi\n push %rsi", "pop (%rsp)", "pop %rax");
CODE(leave, "push %rbp\n mov %rsp, %rbp\n sub $32, %rsp", "leave", "");
CODE(enter, "", "enter $16, $0", "leave");
CODE(pushf, "", "pushf", "pop %rax\n and $0xfffffffffffffdff, %rax");
CODE(popf, "mov %rdi, %rax\n and $0x8d5, %eax\n or $0x202, %eax\n push %rax",
     "popf", "");
CODE(cli, "pushf", "cli", "pushf\n pop %rax\n popf\n and $0x200, %eax");
CODE(sti, "pushf\n cli", "sti", "pushf\n pop %rax\n popf\n and $0x200, %eax");
CODE(std, "", "std", "pushf\n pop %rax\n cld\n and $0x400, %eax");

CODE(mov_reg, "", "mov %rdi, %rax", "");
CODE(mov_imm, "", "movabs $0x1122334455667788, %rax", "");
CODE(add, "mov %rdi, %rax", "add %rsi, %rax", "");
CODE(sub8, "mov %rdi, %rax", "sub %sil, %al", "");
CODE(adc, "mov %rdi, %rax", "adc %rsi, %rax", "");
CODE(imul, "mov %rdi, %rax", "imul %rsi, %rax", "test %eax, %eax");
CODE(mul, "mov %rdi, %rax", "mul %rsi", "test %eax, %eax");
CODE(div, "mov %rdi, %rax\n xor %edx, %edx\n mov %rsi, %rcx\n or $1, %rcx",
     "div %rcx", "test %eax, %eax");
CODE(shl, "mov %rdi, %rax\n mov %rsi, %rcx", "shl %cl, %rax",
     "test %eax, %eax");
CODE(cmov, "mov %rdi, %rax", "cmovc %rsi, %rax", "");
CODE(setcc, "mov %rdi, %rax", "setbe %al", "");
CODE(bswap, "mov %rdi, %rax", "bswap %rax", "");
CODE(xchg, "mov %rdi, %rax\n mov %rsi, %rdx", "xchg %rax, %rdx", "");
CODE(xchg_r8, "mov %rdi, %rax\n mov %rsi, %r8", "xchg %r8, %rax", "");
CODE(op16, "mov %rdi, %rax", "addw $0x1234, %ax", "");
CODE(lock_xadd, "push %rdi\n mov %rsi, %rax", "lock xadd %rax, (%rsp)",
     "pop %rdx");
CODE(lock_cmpxchg, "push %rdi\n mov %rsi, %rax", "lock cmpxchg %rdi, (%rsp)",
     "pop %rdx");
CODE(bts, "mov %rdi, %rax", "bts $5, %rax", "test %eax, %eax");
CODE(longest, "mov %rsp, %rcx\n push %rdi",
     ".byte 0x2e, 0x2e, 0x2e, 0x48, 0x81, 0x84, 0x24\n.long 0, 0x1234",
     "pop %rax\n xor %ecx, %ecx");
CODE(nop1, "mov %rdi, %rax", "nop", "");
CODE(nop5, "mov %rdi, %rax", ".byte 0x0f, 0x1f, 0x44, 0x00, 0x00", "");
CODE(nop9, "mov %rdi, %rax",
     ".byte 0x66, 0x0f, 0x1f, 0x84, 0x00, 0x00, 0x02, 0x00, 0x00", "");
CODE(pause, "mov %rdi, %rax", "pause", "");
CODE(endbr, "mov %rdi, %rax", "endbr64", "");
CODE(cpuid, "push %rbx\n xor %eax, %eax\n xor %ecx, %ecx", "cpuid", "pop %rbx");
CODE(gs_load, "", "mov %gs:0, %rax", "xor %eax, %eax");
CODE(movsb, "push %rdi\n push %rsi\n mov %rsp, %rsi\n lea 8(%rsp), %rdi",
     "movsb", "pop %rcx\n pop %rax");
CODE(rep_movsb, "push %rdi\n push %rsi\n mov %rsp, %rsi\n lea 8(%rsp), %rdi\n"
     "mov $5, %ecx", "rep movsb", "pop %rdx\n pop %rax");
CODE(rep_stosq, "push %rdi\n push %rsi\n mov %rsp, %rdi\n mov $2, %ecx\n"
     "mov $0x55, %eax", "rep stosq", "pop %rdx\n pop %rax");
CODE(lahf, "xor %eax, %eax\n sahf", "lahf", "");

#define ARCH_CODES							\
	ENTRY(loop), ENTRY(loope), ENTRY(loopne), ENTRY(jrcxz),		\
	ENTRY(jecxz), ENTRY(call), ENTRY(call_reg), ENTRY(call_r11),	\
	ENTRY(jmp_reg), ENTRY(jmp_r8), ENTRY(call_mem_sp),		\
	ENTRY(call_mem_disp), ENTRY(call_mem_sib),			\
	ENTRY(jmp_mem_index), ENTRY(ret), ENTRY(ret_imm),		\
	ENTRY(rip_load), ENTRY(rip_lea), ENTRY(rip_cmp_imm),		\
	ENTRY(rip_store_imm), ENTRY(rip_sse), ENTRY(push_reg),		\
	ENTRY(push_sp), ENTRY(pop_reg), ENTRY(pop_r12), ENTRY(pop_sp),	\
	ENTRY(push_imm8), ENTRY(push_imm32), ENTRY(push_mem),		\
	ENTRY(pop_mem), ENTRY(leave), ENTRY(enter), ENTRY(pushf),	\
	ENTRY(popf), ENTRY(cli), ENTRY(sti), ENTRY(std),		\
	ENTRY(mov_reg), ENTRY(mov_imm), ENTRY(add), ENTRY(sub8),	\
	ENTRY(adc), ENTRY(imul), ENTRY(mul), ENTRY(div), ENTRY(shl),	\
	ENTRY(cmov), ENTRY(setcc), ENTRY(bswap), ENTRY(xchg),		\
	ENTRY(xchg_r8), ENTRY(op16), ENTRY(lock_xadd),			\
	ENTRY(lock_cmpxchg), ENTRY(bts), ENTRY(longest), ENTRY(nop1),	\
	ENTRY(nop5), ENTRY(nop9), ENTRY(pause), ENTRY(endbr),		\
	ENTRY(cpuid), ENTRY(gs_load), ENTRY(movsb), ENTRY(rep_movsb),	\
	ENTRY(rep_stosq), ENTRY(lahf)

/* Length of the probed instruction in mov_reg, and in inside. */
#define MOV_REG_LENGTH	3
#define INSIDE_LENGTH	10
#define MOV_IMM_VALUE	0x1122334455667788

/*
 * Faults: a fix-up works as if the instruction had faulted in place.
 */
CODE(fault_read, "mov $1, %eax", "mov (%rdi), %rcx",
     "jmp 2f\n1: mov $-14, %rax\n xor %ecx, %ecx\n2:\n"
     _ASM_EXTABLE(.Lprobe_fault_read, 1b));
CODE(fault_user, "mov $1, %eax\n stac", "mov (%rdi), %rcx",
     "jmp 2f\n1: mov $-14, %rax\n xor %ecx, %ecx\n2: clac\n"
     _ASM_EXTABLE(.Lprobe_fault_user, 1b));
CODE(fault_div, "mov $1, %eax\n xor %edx, %edx\n xor %ecx, %ecx", "div %ecx",
     "jmp 2f\n1: mov $-33, %rax\n2:\n" _ASM_EXTABLE(.Lprobe_fault_div, 1b));
CODE(fault_rep, "mov $-0xff0, %rsi\n lea -64(%rsp), %rdi\n mov $8, %ecx\n"
     "mov $3, %eax", "rep movsb",
     "jmp 2f\n1: mov %rcx, %rax\n2: xor %ecx, %ecx\n"
     _ASM_EXTABLE(.Lprobe_fault_rep, 1b));

#define ARCH_FAULTS							\
	{ ENTRY(fault_read), -0xff0UL, -EFAULT },			\
	{ ENTRY(fault_read), 0x8000000000000000, -EFAULT }, /* #GP */	\
	{ ENTRY(fault_user), 0x10, -EFAULT },				\
	{ ENTRY(fault_div), 0, -EDOM },					\
	{ ENTRY(fault_rep), 0, 8 }

/*
 * Refusals: none of these is ever executed.
 */
CODE(iret, "", "iretq", "nop");
CODE(lret, "", "lretq", "nop");
CODE(ljmp, "", "ljmp *(%rax)", "nop");
CODE(lcall, "", SAFE "lcall *(%rax)", "nop");
CODE(syscall, "", "syscall", "nop");
CODE(sysret, "", "sysretq", "nop");
CODE(sysenter, "", "sysenter", "nop");
CODE(swapgs, "", "swapgs", "nop");
CODE(xbegin, "", ".byte 0xc7, 0xf8, 0, 0, 0, 0", "nop");
CODE(data16_call, "", ".byte 0x66, 0xe8, 0, 0, 0, 0", "nop");
CODE(call_gs, "", SAFE "call *%gs:(%rax)", "nop");
CODE(call_eax_mem, "", SAFE "call *(%eax)", "nop");
CODE(inside, "nop", "movabs $0x9090909090909090, %rax", "nop");

#define ARCH_REFUSALS							\
	REFUSED(iret, -EOPNOTSUPP),					\
	REFUSED(lret, -EOPNOTSUPP),					\
	REFUSED(ljmp, -EOPNOTSUPP),					\
	REFUSED(lcall, -EOPNOTSUPP),					\
	REFUSED(syscall, -EOPNOTSUPP),					\
	REFUSED(sysret, -EOPNOTSUPP),					\
	REFUSED(sysenter, -EOPNOTSUPP),					\
	REFUSED(swapgs, -EOPNOTSUPP),					\
	REFUSED(xbegin, -EOPNOTSUPP),					\
	REFUSED(data16_call, -EOPNOTSUPP),				\
	REFUSED(call_gs, -EOPNOTSUPP),					\
	REFUSED(call_eax_mem, -EOPNOTSUPP)
