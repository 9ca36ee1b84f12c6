/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The task of optimizer.pml that executes the region.
 */
#define switches()	d_step { gp[0] = false; gp[1] = false }

/* A fault may sleep: kprobe_regs_leave_slot() */
inline fault_or_not()
{
	assert(!freed);
	if
	:: DROP != 10 -> switches(); goto at_0
	:: DROP == 10 -> switches()
	:: true
	fi
}

active proctype task()
{
	byte insn, state;
	bool to_detour;
end:	do
	:: switches()
	:: d_step { under_q = q_registered }; goto at_0
	:: d_step { under_q = q_registered }; irqs_off = true; goto resume
back:	skip; d_step { insn = 0; state = 0; to_detour = 0; under_q = 0 }
	od;

at_0:	atomic {
		fetch(0, insn);
		if
		:: insn == ORIGINAL -> goto at_1
		:: insn == JUMP -> fetch(1, insn);
			assert(insn == OPERAND);
			goto detour
		:: insn == POKE -> goto detour	/* poke_int3_handler() */
		:: insn == TRAP -> irqs_off = true
		fi
	}
	to_detour = mem[RUN];				/* trap_hit() */
	irqs_off = false;
	if
	:: to_detour -> goto detour
	:: else
	fi;

	fault_or_not();				/* the slot */
	assert(!freed);

at_1:	atomic {
		fetch(1, insn);
		assert(insn != OPERAND);
		assert(insn == TRAP || !under_q);
		goto back
	}

detour:	fault_or_not();
	assert(mem[BUILT]);
copy_1:	assert(!freed);
	assert(!under_q);
	goto back;

resume:	/* arch_kprobe_resume(), to 1 */
	if
	:: !found -> irqs_off = false; goto at_1
	:: else
	fi;
	if
	:: DROP != 7 -> to_detour = mem[RUN]; state = mem[STATE]
	:: DROP == 7 -> state = mem[STATE]; to_detour = mem[RUN]
	fi;
	irqs_off = false;
	if
	:: to_detour || state == JUMP -> goto copy_1
	:: else -> goto at_1
	fi
}
