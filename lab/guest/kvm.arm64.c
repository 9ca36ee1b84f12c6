// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * kvm ROUNDS: run a guest of a few instructions that exercises most of the
 * kernel's code for guests: exits handled by the kernel and by this program,
 * injected exceptions, trapped registers, floating point, debug registers,
 * interrupts.  End with 0 after all rounds.
 *
 * Built with the kernel's nolibc.
 */
#include <asm/kvm.h>
#include <linux/kvm.h>

#define RAM		0x40000000UL
#define RAM_SIZE	0x10000UL
#define DEVICE		0x09000000UL	/* no device is there */
#define DISTRIBUTOR	0x08000000UL
#define REDISTRIBUTOR	0x080a0000UL

#define __string(x)	#x
#define string(x)	__string(x)

extern char guest[], guest_end[];
asm(".pushsection .rodata\n"
"	.balign	2048\n"
/* Global, because the compiler reads both from the GOT. */
"	.globl	guest, guest_end\n"
/* Vectors: skip the instruction of an injected exception. */
"guest:	.rept	16\n"
"	.balign	128\n"
"	mrs	x11, elr_el1\n"
"	add	x11, x11, #4\n"
"	msr	elr_el1, x11\n"
"	eret\n"
"	.endr\n"
"	.balign	2048\n"
"	adr	x9, guest\n"
"	msr	vbar_el1, x9\n"
"	mrs	x9, cpacr_el1\n"
"	orr	x9, x9, #3 << 20\n"
"	msr	cpacr_el1, x9\n"
"	isb\n"
"1:	fmov	d0, #1.0\n"
/* PSCI_VERSION, which the kernel answers. */
"	mov	w0, #0x84000000\n"
"	hvc	#0\n"
"	nop\n"
/* A breakpoint and a watchpoint of the guest. */
"	msr	dbgbvr0_el1, x9\n"
"	mrs	x9, dbgbvr0_el1\n"
"	msr	dbgwvr0_el1, x9\n"
"	mrs	x9, id_aa64pfr0_el1\n"
"	mrs	x9, actlr_el1\n"
/* Interrupt controller, group 1 and 0; its registers, if it has any. */
"	mrs	x9, s3_0_c12_c12_0\n"
"	mrs	x9, s3_0_c12_c8_0\n"
"	mov	x9, #1\n"
"	msr	s3_0_c12_c12_7, x9\n"
"	msr	s3_0_c4_c6_0, x9\n"
"	mov	x9, #0xff\n"
"	msr	s3_0_c12_c11_1, x9\n"
/* Timers, one of them due at once. */
"	msr	cntv_cval_el0, xzr\n"
"	mov	x9, #1\n"
"	msr	cntv_ctl_el0, x9\n"
"	mrs	x9, cntp_ctl_el0\n"
"	mrs	x9, cntpct_el0\n"
"	mrs	x9, cntvct_el0\n"
/* Operations that do not exist. */
"	mrs	x9, s3_7_c15_c15_7\n"
"	nop\n"
"	smc	#0\n"
"	nop\n"
"	tlbi	vmalle1is\n"
"	dc	cisw, xzr\n"
"	dsb	ish\n"
/* Some time, for interrupts of the host. */
"	mov	x9, #1000\n"
"2:	subs	x9, x9, #1\n"
"	b.ne	2b\n"
/* Exit to this program. */
"	mov	x10, #" string(DEVICE) "\n"
"	str	w9, [x10]\n"
"	ldr	w9, [x10]\n"
"	b	1b\n"
"	b	1b\n"
"guest_end:\n"
".popsection\n");

static int vm, vcpu;

static void want(const char *what, int ret)
{
	if (ret >= 0)
		return;
	printf("kvm: %s: errno %d\n", what, errno);
	exit(1);
}

static int attr(int device, __u32 group, __u64 number, __u64 value)
{
	struct kvm_device_attr a = {
		.group = group,
		.attr = number,
		.addr = (__u64)&value,
	};

	return ioctl(device, KVM_SET_DEVICE_ATTR, &a);
}

/* Create it after the CPU, if the host supports one for guests. */
static void interrupt_controller(void)
{
	struct kvm_create_device d = { .type = KVM_DEV_TYPE_ARM_VGIC_V3 };

	if (ioctl(vm, KVM_CREATE_DEVICE, &d) < 0) {
		printf("kvm: no interrupt controller\n");
		return;
	}
	want("distributor", attr(d.fd, KVM_DEV_ARM_VGIC_GRP_ADDR,
				 KVM_VGIC_V3_ADDR_TYPE_DIST, DISTRIBUTOR));
	want("redistributor", attr(d.fd, KVM_DEV_ARM_VGIC_GRP_ADDR,
				   KVM_VGIC_V3_ADDR_TYPE_REDIST,
				   REDISTRIBUTOR));
	want("interrupt controller", attr(d.fd, KVM_DEV_ARM_VGIC_GRP_CTRL,
					  KVM_DEV_ARM_VGIC_CTRL_INIT, 0));
}

static void single_step(int on)
{
	struct kvm_guest_debug debug = {};

	if (on)
		debug.control = KVM_GUESTDBG_ENABLE | KVM_GUESTDBG_SINGLESTEP;
	want("single step", ioctl(vcpu, KVM_SET_GUEST_DEBUG, &debug));
}

/* Inject an exception on entry, as if memory had failed. */
static void abort_guest(void)
{
	struct kvm_vcpu_events events = { .exception.ext_dabt_pending = 1 };

	ioctl(vcpu, KVM_SET_VCPU_EVENTS, &events);
}

/* Run the guest's rounds; return the exit status. */
static int run_rounds(const struct kvm_run *run, int rounds)
{
	int i, done = 0, stepped = 0;

	for (i = 0; done < rounds && i < 100 * rounds; i++) {
		if (i % 32 == 7)
			single_step(1);
		if (i % 32 == 15)
			single_step(0);
		if (i % 32 == 23)
			abort_guest();
		want("run", ioctl(vcpu, KVM_RUN, NULL));
		switch (run->exit_reason) {
		case KVM_EXIT_MMIO:
			done += run->mmio.is_write;
			break;
		case KVM_EXIT_DEBUG:
			stepped++;
			break;
		default:
			printf("kvm: exit %d\n", run->exit_reason);
			return 1;
		}
	}
	printf("kvm: %d rounds, %d steps\n", done, stepped);
	return done < rounds;
}

int main(int argc, char **argv)
{
	struct kvm_userspace_memory_region region = {
		.guest_phys_addr = RAM,
		.memory_size = RAM_SIZE,
	};
	struct kvm_vcpu_init init;
	__u64 pc = RAM + 2048;
	struct kvm_one_reg reg = {
		.id = KVM_REG_ARM64 | KVM_REG_SIZE_U64 | KVM_REG_ARM_CORE |
		      KVM_REG_ARM_CORE_REG(regs.pc),
		.addr = (__u64)&pc,
	};
	int rounds = argc > 1 ? atoi(argv[1]) : 100;
	struct kvm_run *run;
	int kvm, size;
	char *ram;

	kvm = open("/dev/kvm", O_RDWR);
	want("/dev/kvm", kvm);
	vm = ioctl(kvm, KVM_CREATE_VM, NULL);
	want("machine", vm);

	ram = mmap(NULL, RAM_SIZE, PROT_READ | PROT_WRITE,
		   MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	want("memory", ram == MAP_FAILED ? -1 : 0);
	memcpy(ram, guest, guest_end - guest);
	region.userspace_addr = (__u64)ram;
	want("its memory", ioctl(vm, KVM_SET_USER_MEMORY_REGION, &region));

	vcpu = ioctl(vm, KVM_CREATE_VCPU, NULL);
	want("CPU", vcpu);
	size = ioctl(kvm, KVM_GET_VCPU_MMAP_SIZE, NULL);
	run = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_SHARED, vcpu, 0);
	want("its state", run == MAP_FAILED ? -1 : 0);
	want("its kind", ioctl(vm, KVM_ARM_PREFERRED_TARGET, &init));
	want("its reset", ioctl(vcpu, KVM_ARM_VCPU_INIT, &init));
	interrupt_controller();
	want("its pc", ioctl(vcpu, KVM_SET_ONE_REG, &reg));

	return run_rounds(run, rounds);
}
