/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Instructions of i386 for test_x86_code.c, and names in other ones. */

/* Registers; the callee preserves SAVED. */
#define BASE		"%ecx"
#define INDEX		"%edx"
#define SAVED		"%ebx"
#define MOV_IMM_VALUE	0x11223344
/* One of the prefixes of the longest instruction. */
#define LAST_PREFIX	"0x2e"

CODE(jmp_mem, "", SAFE "jmp *.Lprobe_jmp_mem_target", "mov $7, %eax\n1:");
asm(".pushsection .rodata\n.balign 8\n"
    ".Lprobe_jmp_mem_target: .long 1f\n"
    ".popsection\n"
    ".pushsection .text\n.balign 16\n"
    "1: mov $9, %eax\n" SAFE "ret\n"
    ".popsection\n");
CODE(pusha, "", "pusha", "mov (%esp), %eax\n add $32, %esp");
CODE(popa, "pusha\n mov %esi, 28(%esp)\n movl $0, 24(%esp)\n"
     "movl $0, 20(%esp)", "popa", "");
CODE(push_ds, "", "push %ds", "pop %eax\n movzwl %ax, %eax");
CODE(pop_es, "push %es", "pop %es", "mov %es, %eax\n movzwl %ax, %eax");
CODE(mov_ds, "mov %ds, %edx", "mov %edx, %ds", "xor %edx, %edx");
CODE(inc, "mov %edi, %eax", "inc %eax", "");
CODE(dec, "mov %edi, %eax", "dec %eax", "");
CODE(daa, "mov %edi, %eax", "daa", "test %eax, %eax");
CODE(addr16, "mov $0x10010, %ecx", "addr16 lea 1(%bx), %ax",
     "xor %eax, %eax\n xor %ecx, %ecx");
CODE(nop_mov, "mov %edi, %eax", ".byte 0x89, 0xf6", "");
CODE(nop_lea, "mov %edi, %eax", ".byte 0x8d, 0x76, 0x00", "");
CODE(nop_lea_long, "mov %edi, %eax",
     ".byte 0x8d, 0xb4, 0x26, 0x00, 0x00, 0x00, 0x00", "");
CODE(lea_no_nop, "mov %edi, %eax", ".byte 0x8d, 0x40, 0x01", "");
CODE(mov_no_nop, "mov %edi, %eax", ".byte 0x89, 0xf0", "");
CODE(fault_segment, "mov $1, %eax\n mov $0xfff8, %edi", "mov %edi, %gs",
     FIXED_UP(fault_segment, "mov $-14, %eax"));

#define CODES_OF_WIDTH LIST(						\
	ENTRY(jmp_mem), ENTRY(pusha), ENTRY(popa), ENTRY(push_ds),	\
	ENTRY(pop_es), ENTRY(mov_ds), ENTRY(inc), ENTRY(dec),		\
	ENTRY(daa), ENTRY(addr16), ENTRY(nop_mov), ENTRY(nop_lea),	\
	ENTRY(nop_lea_long), ENTRY(lea_no_nop), ENTRY(mov_no_nop),	\
	ENTRY(fault_segment, FAULTS))

#define REFUSALS_OF_WIDTH(X) LIST(					\
	X(iret, -EOPNOTSUPP, "iret")					\
	X(lret, -EOPNOTSUPP, "lret")					\
	X(lret_imm, -EOPNOTSUPP, "lret $8")				\
	X(ljmp_direct, -EOPNOTSUPP, "ljmp $0x60, $0")			\
	X(lcall_direct, -EOPNOTSUPP, "lcall $0x60, $0")			\
	X(into, -EINVAL, "into")					\
	X(sysexit, -EOPNOTSUPP, "sysexit")				\
	X(data16_call, -EOPNOTSUPP, ".byte 0x66, 0xe8, 0, 0")		\
	X(jcxz, -EOPNOTSUPP, ".byte 0x67, 0xe3, 0")			\
	X(loopw, -EOPNOTSUPP, ".byte 0x67, 0xe2, 0")			\
	X(call_fs, -EOPNOTSUPP, SAFE "call *%fs:(%eax)")		\
	X(call_bx_mem, -EOPNOTSUPP, SAFE ".byte 0x67, 0xff, 0x17"))
