/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Instructions of i386 for test_x86_code.c. */

CODE(loop, "lea 1(%edi), %ecx\n and $7, %ecx\n or $1, %ecx\n xor %eax, %eax\n"
     "1: inc %eax", "loop 1b", "");
CODE(loope, "mov %edi, %ecx\n and $7, %ecx\n or $1, %ecx\n xor %eax, %eax\n"
     "1: lea 1(%eax), %eax\n cmp $3, %eax", "loope 1b", "");
CODE(loopne, "mov %edi, %ecx\n and $7, %ecx\n or $1, %ecx\n xor %eax, %eax\n"
     "1: lea 1(%eax), %eax\n cmp $3, %eax", "loopne 1b", "");
CODE(jecxz, "mov $1, %eax\n mov %edi, %ecx", "jecxz 1f", "mov $2, %eax\n1:");
CODE(call, "mov $1, %eax", "call 1f", "jmp 2f\n1: lea 5(%eax), %eax\n"
     "mov (%esp), %edx\n" SAFE "ret\n2: sub $2b, %edx");
CODE(call_reg, "mov $1f, %eax", SAFE "call *%eax",
     "jmp 2f\n1: mov $7, %eax\n" SAFE "ret\n2:");
CODE(call_edx, "mov $1f, %edx", SAFE "call *%edx",
     "jmp 2f\n1: mov $7, %eax\n" SAFE "ret\n2: xor %edx, %edx");
CODE(jmp_reg, "mov $1f, %ecx", SAFE "jmp *%ecx",
     "mov $7, %eax\n1: mov $8, %ecx");
CODE(jmp_esi, "mov $1f, %esi", SAFE "jmp *%esi", "mov $7, %eax\n1:");
CODE(jmp_mem, "", SAFE "jmp *.Lprobe_jmp_mem_target", "mov $7, %eax\n1:");
CODE(call_mem_sp, "push $1f", SAFE "call *(%esp)",
     "jmp 2f\n1: mov $7, %eax\n" SAFE "ret\n2: pop %ecx\n xor %ecx, %ecx");
CODE(call_mem_disp, "push $1f\n push $0\n mov %esp, %ecx",
     SAFE "call *4(%ecx)",
     "jmp 2f\n1: mov $7, %eax\n" SAFE "ret\n2: add $8, %esp\n"
     "xor %ecx, %ecx");
CODE(call_mem_sib, "push $1f\n push $0\n lea -4(%esp), %ecx\n mov $2, %edx",
     SAFE "call *(%ecx, %edx, 4)",
     "jmp 2f\n1: mov $7, %eax\n" SAFE "ret\n2: add $8, %esp\n"
     "xor %ecx, %ecx");
CODE(jmp_mem_index, "push $1f\n mov %esp, %ecx\n sub $0x100, %ecx",
     SAFE "jmp *0x100(, %ecx, 1)",
     "mov $7, %eax\n1: add $4, %esp\n xor %eax, %eax\n xor %ecx, %ecx");
CODE(ret, "call 1f\n jmp 2f\n1: mov $3, %eax", SAFE "ret", "2:");
CODE(ret_imm, "push $1\n push $2\n call 1f\n jmp 2f\n1: mov $3, %eax",
     SAFE "ret $4", "2: pop %edx");

asm(".pushsection .rodata\n.balign 8\n"
    ".Lprobe_jmp_mem_target: .long 1f\n"
    "test_target: .long 1234567, 0x00ff00ff\n"
    ".popsection\n"
    ".pushsection .text\n.balign 16\n"
    "1: mov $9, %eax\n" SAFE "ret\n"
    ".popsection\n"
    ".pushsection .data\n.balign 8\n"
    "test_data: .long 5\n"
    ".popsection\n");
CODE(abs_load, "", "mov test_target, %eax", "");
CODE(abs_load_cx, "", "mov test_target, %ecx", "");
CODE(abs_cmp_imm, "xor %eax, %eax", "cmpl $1234567, test_target", "");
CODE(abs_store_imm, "", "movl $77, test_data",
     "mov test_data, %eax\n movl $5, test_data");

CODE(push_reg, "", "push %edi", "pop %eax");
CODE(push_sp, "mov %esp, %ecx", "push %esp",
     "pop %eax\n sub %ecx, %eax\n xor %ecx, %ecx");
CODE(pop_reg, "push %esi", "pop %eax", "");
CODE(pop_bx, "push %ebx\n push %esi", "pop %ebx", "mov %ebx, %eax\n pop %ebx");
CODE(pop_sp, "mov %esp, %ecx\n push %ecx", "pop %esp", "xor %ecx, %ecx");
CODE(push_imm8, "", "push $-5", "pop %eax");
CODE(push_imm32, "", "push $0x12345678", "pop %eax");
CODE(push_mem, "push %edi", "push (%esp)", "pop %eax\n pop %ecx");
CODE(pop_mem, "push %edi\n push %esi", "pop (%esp)", "pop %eax");
CODE(pusha, "", "pusha", "mov (%esp), %eax\n add $32, %esp");
CODE(popa, "pusha\n mov %esi, 28(%esp)\n movl $0, 24(%esp)\n"
     "movl $0, 20(%esp)", "popa", "");
CODE(push_ds, "", "push %ds", "pop %eax\n movzwl %ax, %eax");
CODE(pop_es, "push %es", "pop %es", "mov %es, %eax\n movzwl %ax, %eax");
CODE(mov_ds, "mov %ds, %edx", "mov %edx, %ds", "xor %edx, %edx");
CODE(leave, "push %ebp\n mov %esp, %ebp\n sub $16, %esp", "leave", "");
CODE(enter, "", "enter $16, $0", "leave");
CODE(pushf, "", "pushf", "pop %eax\n and $0xfffffdff, %eax");
CODE(popf, "mov %edi, %eax\n and $0x8d5, %eax\n or $0x202, %eax\n push %eax",
     "popf", "");
CODE(cli, "pushf", "cli", "pushf\n pop %eax\n popf\n and $0x200, %eax");
CODE(sti, "pushf\n cli", "sti", "pushf\n pop %eax\n popf\n and $0x200, %eax");
CODE(std, "", "std", "pushf\n pop %eax\n cld\n and $0x400, %eax");

CODE(inc, "mov %edi, %eax", "inc %eax", "");
CODE(dec, "mov %edi, %eax", "dec %eax", "");
CODE(mov_reg, "", "mov %edi, %eax", "");
CODE(mov_imm, "", "mov $0x11223344, %eax", "");
CODE(add, "mov %edi, %eax", "add %esi, %eax", "");
CODE(sub8, "mov %edi, %eax\n mov %esi, %ecx", "sub %cl, %al", "");
CODE(adc, "mov %edi, %eax", "adc %esi, %eax", "");
CODE(imul, "mov %edi, %eax", "imul %esi, %eax", "test %eax, %eax");
CODE(mul, "mov %edi, %eax", "mul %esi", "test %eax, %eax");
CODE(div, "mov %edi, %eax\n xor %edx, %edx\n mov %esi, %ecx\n or $1, %ecx",
     "div %ecx", "test %eax, %eax");
CODE(daa, "mov %edi, %eax", "daa", "test %eax, %eax");
CODE(shl, "mov %edi, %eax\n mov %esi, %ecx", "shl %cl, %eax",
     "test %eax, %eax");
CODE(cmov, "mov %edi, %eax", "cmovc %esi, %eax", "");
CODE(setcc, "mov %edi, %eax", "setbe %al", "");
CODE(bswap, "mov %edi, %eax", "bswap %eax", "");
CODE(xchg, "mov %edi, %eax\n mov %esi, %edx", "xchg %eax, %edx", "");
CODE(op16, "mov %edi, %eax", "addw $0x1234, %ax", "");
CODE(addr16, "mov $0x10010, %ecx", "addr16 lea 1(%bx), %ax",
     "xor %eax, %eax\n xor %ecx, %ecx");
CODE(lock_xadd, "push %edi\n mov %esi, %eax", "lock xadd %eax, (%esp)",
     "pop %edx");
CODE(lock_cmpxchg, "push %edi\n mov %esi, %eax", "lock cmpxchg %edi, (%esp)",
     "pop %edx");
CODE(bts, "mov %edi, %eax", "bts $5, %eax", "test %eax, %eax");
CODE(longest, "mov %esp, %ecx\n push %edi",
     ".byte 0x2e, 0x2e, 0x2e, 0x2e, 0x81, 0x84, 0x24\n.long 0, 0x1234",
     "pop %eax\n xor %ecx, %ecx");
CODE(nop1, "mov %edi, %eax", "nop", "");
CODE(nop5, "mov %edi, %eax", ".byte 0x0f, 0x1f, 0x44, 0x00, 0x00", "");
CODE(nop_mov, "mov %edi, %eax", ".byte 0x89, 0xf6", "");
CODE(nop_lea, "mov %edi, %eax", ".byte 0x8d, 0x76, 0x00", "");
CODE(nop_lea_long, "mov %edi, %eax",
     ".byte 0x8d, 0xb4, 0x26, 0x00, 0x00, 0x00, 0x00", "");
CODE(lea_no_nop, "mov %edi, %eax", ".byte 0x8d, 0x40, 0x01", "");
CODE(mov_no_nop, "mov %edi, %eax", ".byte 0x89, 0xf0", "");
CODE(pause, "mov %edi, %eax", "pause", "");
CODE(cpuid, "push %ebx\n xor %eax, %eax\n xor %ecx, %ecx", "cpuid", "pop %ebx");
CODE(fs_load, "", "mov %fs:this_cpu_off, %eax", "xor %eax, %eax");
CODE(movsb, "push %edi\n push %esi\n mov %esp, %esi\n lea 4(%esp), %edi",
     "movsb", "pop %ecx\n pop %eax");
CODE(rep_movsb, "push %edi\n push %esi\n mov %esp, %esi\n lea 4(%esp), %edi\n"
     "mov $3, %ecx", "rep movsb", "pop %edx\n pop %eax");
CODE(rep_stosl, "push %edi\n push %esi\n mov %esp, %edi\n mov $2, %ecx\n"
     "mov $0x55, %eax", "rep stosl", "pop %edx\n pop %eax");
CODE(lahf, "xor %eax, %eax\n sahf", "lahf", "");

#define ARCH_CODES							\
	ENTRY(loop), ENTRY(loope), ENTRY(loopne), ENTRY(jecxz),		\
	ENTRY(call), ENTRY(call_reg), ENTRY(call_edx), ENTRY(jmp_reg),	\
	ENTRY(jmp_esi), ENTRY(jmp_mem), ENTRY(call_mem_sp),		\
	ENTRY(call_mem_disp), ENTRY(call_mem_sib),			\
	ENTRY(jmp_mem_index), ENTRY(ret), ENTRY(ret_imm),		\
	ENTRY(abs_load), ENTRY(abs_load_cx), ENTRY(abs_cmp_imm),	\
	ENTRY(abs_store_imm), ENTRY(push_reg), ENTRY(push_sp),		\
	ENTRY(pop_reg), ENTRY(pop_bx), ENTRY(pop_sp),			\
	ENTRY(push_imm8), ENTRY(push_imm32), ENTRY(push_mem),		\
	ENTRY(pop_mem), ENTRY(pusha), ENTRY(popa), ENTRY(push_ds),	\
	ENTRY(pop_es), ENTRY(mov_ds), ENTRY(leave), ENTRY(enter),	\
	ENTRY(pushf), ENTRY(popf), ENTRY(cli), ENTRY(sti), ENTRY(std),	\
	ENTRY(inc), ENTRY(dec), ENTRY(mov_reg), ENTRY(mov_imm),		\
	ENTRY(add), ENTRY(sub8), ENTRY(adc), ENTRY(imul), ENTRY(mul),	\
	ENTRY(div), ENTRY(daa), ENTRY(shl), ENTRY(cmov), ENTRY(setcc),	\
	ENTRY(bswap), ENTRY(xchg), ENTRY(op16), ENTRY(addr16),		\
	ENTRY(lock_xadd), ENTRY(lock_cmpxchg), ENTRY(bts),		\
	ENTRY(longest), ENTRY(nop1), ENTRY(nop5), ENTRY(nop_mov),	\
	ENTRY(nop_lea), ENTRY(nop_lea_long), ENTRY(lea_no_nop),		\
	ENTRY(mov_no_nop), ENTRY(pause), ENTRY(cpuid), ENTRY(fs_load),	\
	ENTRY(movsb), ENTRY(rep_movsb), ENTRY(rep_stosl), ENTRY(lahf)

/* Length of the probed instruction in mov_reg, and in inside. */
#define MOV_REG_LENGTH	2
#define INSIDE_LENGTH	5
#define MOV_IMM_VALUE	0x11223344

/*
 * Faults: a fix-up works as if the instruction had faulted in place.
 */
CODE(fault_read, "mov $1, %eax", "mov (%edi), %ecx",
     "jmp 2f\n1: mov $-14, %eax\n xor %ecx, %ecx\n2:\n"
     _ASM_EXTABLE(.Lprobe_fault_read, 1b));
CODE(fault_user, "mov $1, %eax\n stac", "mov (%edi), %ecx",
     "jmp 2f\n1: mov $-14, %eax\n xor %ecx, %ecx\n2: clac\n"
     _ASM_EXTABLE(.Lprobe_fault_user, 1b));
CODE(fault_segment, "mov $1, %eax", "mov %edi, %gs",
     "jmp 2f\n1: mov $-14, %eax\n2:\n"
     _ASM_EXTABLE(.Lprobe_fault_segment, 1b));
CODE(fault_div, "mov $1, %eax\n xor %edx, %edx\n xor %ecx, %ecx", "div %ecx",
     "jmp 2f\n1: mov $-33, %eax\n2:\n" _ASM_EXTABLE(.Lprobe_fault_div, 1b));
CODE(fault_rep, "mov $-0xff0, %esi\n lea -64(%esp), %edi\n mov $8, %ecx\n"
     "mov $3, %eax", "rep movsb",
     "jmp 2f\n1: mov %ecx, %eax\n2: xor %ecx, %ecx\n"
     _ASM_EXTABLE(.Lprobe_fault_rep, 1b));

#define ARCH_FAULTS							\
	{ ENTRY(fault_read), -0xff0UL, -EFAULT },			\
	{ ENTRY(fault_user), 0x10, -EFAULT },				\
	{ ENTRY(fault_segment), 0xfff8, -EFAULT },			\
	{ ENTRY(fault_div), 0, -EDOM },					\
	{ ENTRY(fault_rep), 0, 8 }

/*
 * Refusals: none of these is ever executed.
 */
CODE(iret, "", "iret", "nop");
CODE(lret, "", "lret", "nop");
CODE(lret_imm, "", "lret $8", "nop");
CODE(ljmp, "", "ljmp *(%eax)", "nop");
CODE(lcall, "", SAFE "lcall *(%eax)", "nop");
CODE(ljmp_direct, "", "ljmp $0x60, $0", "nop");
CODE(lcall_direct, "", "lcall $0x60, $0", "nop");
CODE(into, "", "into", "nop");
CODE(sysenter, "", "sysenter", "nop");
CODE(sysexit, "", "sysexit", "nop");
CODE(xbegin, "", ".byte 0xc7, 0xf8, 0, 0, 0, 0", "nop");
CODE(data16_call, "", ".byte 0x66, 0xe8, 0, 0", "nop");
CODE(jcxz, "", ".byte 0x67, 0xe3, 0", "nop");
CODE(loopw, "", ".byte 0x67, 0xe2, 0", "nop");
CODE(call_fs, "", SAFE "call *%fs:(%eax)", "nop");
CODE(call_bx_mem, "", SAFE ".byte 0x67, 0xff, 0x17", "nop");
CODE(inside, "nop", "mov $0x90909090, %eax", "nop");

#define ARCH_REFUSALS							\
	REFUSED(iret, -EOPNOTSUPP),					\
	REFUSED(lret, -EOPNOTSUPP),					\
	REFUSED(lret_imm, -EOPNOTSUPP),					\
	REFUSED(ljmp, -EOPNOTSUPP),					\
	REFUSED(lcall, -EOPNOTSUPP),					\
	REFUSED(ljmp_direct, -EOPNOTSUPP),				\
	REFUSED(lcall_direct, -EOPNOTSUPP),				\
	REFUSED(into, -EINVAL),						\
	REFUSED(sysenter, -EOPNOTSUPP),					\
	REFUSED(sysexit, -EOPNOTSUPP),					\
	REFUSED(xbegin, -EOPNOTSUPP),					\
	REFUSED(data16_call, -EOPNOTSUPP),				\
	REFUSED(jcxz, -EOPNOTSUPP),					\
	REFUSED(loopw, -EOPNOTSUPP),					\
	REFUSED(call_fs, -EOPNOTSUPP),					\
	REFUSED(call_bx_mem, -EOPNOTSUPP)
