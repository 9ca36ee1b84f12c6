/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Perf events and BPF programs, for programs built with the kernel's nolibc. */
#include <linux/bpf.h>
#include <linux/perf_event.h>

#define MOV_IMM(reg, value)						\
	{ .code = BPF_ALU64 | BPF_MOV | BPF_K, .dst_reg = reg, .imm = value }
#define MOV(reg, from)							\
	{ .code = BPF_ALU64 | BPF_MOV | BPF_X, .dst_reg = reg, .src_reg = from }
#define ADD_IMM(reg, value)						\
	{ .code = BPF_ALU64 | BPF_ADD | BPF_K, .dst_reg = reg, .imm = value }
#define CALL(function)							\
	{ .code = BPF_JMP | BPF_CALL, .imm = function }

/* Let r7 point to the value of key 0, or skip @skip instructions. */
#define FIND_VALUE(map, skip)						\
	{ .code = BPF_ST | BPF_MEM | BPF_W, .dst_reg = BPF_REG_10,	\
	  .off = -4 },							\
	{ .code = BPF_LD | BPF_DW | BPF_IMM, .dst_reg = BPF_REG_1,	\
	  .src_reg = BPF_PSEUDO_MAP_FD, .imm = map },			\
	{ },								\
	MOV(BPF_REG_2, BPF_REG_10),					\
	ADD_IMM(BPF_REG_2, -4),						\
	CALL(BPF_FUNC_map_lookup_elem),					\
	{ .code = BPF_JMP | BPF_JEQ | BPF_K, .dst_reg = BPF_REG_0,	\
	  .off = 1 + (skip) },						\
	MOV(BPF_REG_7, BPF_REG_0)

static int bpf(int what, union bpf_attr *attr)
{
	return syscall(__NR_bpf, what, attr, sizeof(*attr));
}

static int load_insns(const struct bpf_insn *insns, int count)
{
	union bpf_attr attr;

	memset(&attr, 0, sizeof(attr));
	attr.prog_type = BPF_PROG_TYPE_KPROBE;
	attr.insn_cnt = count;
	attr.insns = (unsigned long)insns;
	attr.license = (unsigned long)"GPL";
	return bpf(BPF_PROG_LOAD, &attr);
}

/* Load a program that returns @value; for 0 the event does not count. */
static inline int load_program(int value)
{
	const struct bpf_insn insns[] = {
		{ .code = BPF_ALU64 | BPF_MOV | BPF_K, .dst_reg = BPF_REG_0,
		  .imm = value },
		{ .code = BPF_JMP | BPF_EXIT },
	};

	return load_insns(insns, sizeof(insns) / sizeof(insns[0]));
}

#define DEVICE	"/sys/bus/event_source/devices/kprobe/type"

/* The type of the kprobe PMU; 0 if there is none. */
static unsigned int read_type(void)
{
	char text[16];
	int fd = open(DEVICE, O_RDONLY), got;

	if (fd < 0)
		return 0;
	got = read(fd, text, sizeof(text) - 1);
	close(fd);
	if (got <= 0)
		return 0;
	text[got] = 0;
	return atoi(text);
}

/* Open a perf event of a kprobe, or of a return probe. */
static int open_probe(unsigned int type, const char *function, int of_return)
{
	struct perf_event_attr attr;

	memset(&attr, 0, sizeof(attr));
	attr.type = type;
	attr.size = sizeof(attr);
	attr.config = of_return;
	attr.kprobe_func = (unsigned long)function;
	return syscall(__NR_perf_event_open, &attr, 0, -1, -1, 0);
}

/* Attach a program to a new kprobe, or print why that failed. */
static inline int attach(int program, const char *function)
{
	int event = open_probe(read_type(), function, 0);

	if (program >= 0 && event >= 0 &&
	    !ioctl(event, PERF_EVENT_IOC_SET_BPF, (void *)(long)program))
		return 0;
	printf("%s: program %d, event %d, error %d\n", function, program,
	       event, errno);
	return -1;
}

static inline int make_map(unsigned int type, size_t value_size, int entries)
{
	union bpf_attr attr;

	memset(&attr, 0, sizeof(attr));
	attr.map_type = type;
	attr.key_size = sizeof(int);
	attr.value_size = value_size;
	attr.max_entries = entries;
	return bpf(BPF_MAP_CREATE, &attr);
}

/* Look up or update an element. */
static inline int map_element(int what, int map, int key, void *value)
{
	union bpf_attr attr;

	memset(&attr, 0, sizeof(attr));
	attr.map_fd = map;
	attr.key = (unsigned long)&key;
	attr.value = (unsigned long)value;
	return bpf(what, &attr);
}
