/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Instructions of i386 for test_x86_code.c. */

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

CODE(pop_bx, "push %ebx\n push %esi", "pop %ebx", "mov %ebx, %eax\n pop %ebx");
CODE(pusha, "", "pusha", "mov (%esp), %eax\n add $32, %esp");
CODE(popa, "pusha\n mov %esi, 28(%esp)\n movl $0, 24(%esp)\n"
     "movl $0, 20(%esp)", "popa", "");
CODE(push_ds, "", "push %ds", "pop %eax\n movzwl %ax, %eax");
CODE(pop_es, "push %es", "pop %es", "mov %es, %eax\n movzwl %ax, %eax");
CODE(mov_ds, "mov %ds, %edx", "mov %edx, %ds", "xor %edx, %edx");

CODE(inc, "mov %edi, %eax", "inc %eax", "");
CODE(dec, "mov %edi, %eax", "dec %eax", "");
CODE(mov_imm, "", "mov $0x11223344, %eax", "");
CODE(daa, "mov %edi, %eax", "daa", "test %eax, %eax");
CODE(addr16, "mov $0x10010, %ecx", "addr16 lea 1(%bx), %ax",
     "xor %eax, %eax\n xor %ecx, %ecx");
CODE(longest, "mov %esp, %ecx\n push %edi",
     ".byte 0x2e, 0x2e, 0x2e, 0x2e, 0x81, 0x84, 0x24\n.long 0, 0x1234",
     "pop %eax\n xor %ecx, %ecx");
CODE(nop_mov, "mov %edi, %eax", ".byte 0x89, 0xf6", "");
CODE(nop_lea, "mov %edi, %eax", ".byte 0x8d, 0x76, 0x00", "");
CODE(nop_lea_long, "mov %edi, %eax",
     ".byte 0x8d, 0xb4, 0x26, 0x00, 0x00, 0x00, 0x00", "");
CODE(lea_no_nop, "mov %edi, %eax", ".byte 0x8d, 0x40, 0x01", "");
CODE(mov_no_nop, "mov %edi, %eax", ".byte 0x89, 0xf0", "");
CODE(fs_load, "", "mov %fs:this_cpu_off, %eax", "xor %eax, %eax");
CODE(rep_stosl, "push %edi\n push %esi\n mov %esp, %edi\n mov $2, %ecx\n"
     "mov $0x55, %eax", "rep stosl", "pop %edx\n pop %eax");

#define ARCH_CODES LIST(						\
	ENTRY(call), ENTRY(call_reg), ENTRY(call_edx), ENTRY(jmp_reg),	\
	ENTRY(jmp_esi), ENTRY(jmp_mem), ENTRY(call_mem_sp),		\
	ENTRY(call_mem_disp), ENTRY(call_mem_sib),			\
	ENTRY(jmp_mem_index), ENTRY(abs_load), ENTRY(abs_load_cx),	\
	ENTRY(abs_cmp_imm), ENTRY(abs_store_imm), ENTRY(pop_bx),	\
	ENTRY(pusha), ENTRY(popa), ENTRY(push_ds), ENTRY(pop_es),	\
	ENTRY(mov_ds), ENTRY(inc), ENTRY(dec), ENTRY(mov_imm),		\
	ENTRY(daa), ENTRY(addr16), ENTRY(longest), ENTRY(nop_mov),	\
	ENTRY(nop_lea), ENTRY(nop_lea_long), ENTRY(lea_no_nop),		\
	ENTRY(mov_no_nop), ENTRY(fs_load), ENTRY(rep_stosl))

/* Length of the probed instruction in mov_reg, and in inside. */
#define MOV_REG_LENGTH	2
#define INSIDE_LENGTH	5
#define MOV_IMM_VALUE	0x11223344

CODE(fault_segment, "mov $1, %eax", "mov %edi, %gs",
     "jmp 2f\n1: mov $-14, %eax\n2:\n"
     _ASM_EXTABLE(.Lprobe_fault_segment, 1b));

#define ARCH_FAULTS	{ ENTRY(fault_segment), 0xfff8, -EFAULT }

/*
 * Refusals: none of these is ever executed.
 */
CODE(iret, "", "iret", "nop");
CODE(lret, "", "lret", "nop");
CODE(lret_imm, "", "lret $8", "nop");
CODE(ljmp_direct, "", "ljmp $0x60, $0", "nop");
CODE(lcall_direct, "", "lcall $0x60, $0", "nop");
CODE(into, "", "into", "nop");
CODE(sysexit, "", "sysexit", "nop");
CODE(data16_call, "", ".byte 0x66, 0xe8, 0, 0", "nop");
CODE(jcxz, "", ".byte 0x67, 0xe3, 0", "nop");
CODE(loopw, "", ".byte 0x67, 0xe2, 0", "nop");
CODE(call_fs, "", SAFE "call *%fs:(%eax)", "nop");
CODE(call_bx_mem, "", SAFE ".byte 0x67, 0xff, 0x17", "nop");
CODE(inside, "nop", "mov $0x90909090, %eax", "nop");

#define ARCH_REFUSALS LIST(						\
	REFUSED(iret, -EOPNOTSUPP),					\
	REFUSED(lret, -EOPNOTSUPP),					\
	REFUSED(lret_imm, -EOPNOTSUPP),					\
	REFUSED(ljmp_direct, -EOPNOTSUPP),				\
	REFUSED(lcall_direct, -EOPNOTSUPP),				\
	REFUSED(into, -EINVAL),						\
	REFUSED(sysexit, -EOPNOTSUPP),					\
	REFUSED(data16_call, -EOPNOTSUPP),				\
	REFUSED(jcxz, -EOPNOTSUPP),					\
	REFUSED(loopw, -EOPNOTSUPP),					\
	REFUSED(call_fs, -EOPNOTSUPP),					\
	REFUSED(call_bx_mem, -EOPNOTSUPP))
