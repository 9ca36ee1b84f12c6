# SPDX-License-Identifier: GPL-2.0-only
# shellcheck shell=bash disable=SC2016,SC2086,SC2154,SC2317
# Users' waits: rows of the second table. Sourced by run.

# took WHAT COMMAND...: measure a command's time.
took() {
	local what=$1 start
	shift

	start=$(now_ms)
	"$@"
	waited $(($(now_ms) - start)) "$what"
}
write() { echo "$1" > "$2"; }

# closed NUMBER [exit|bpf]: print the milliseconds until the program has closed
# all of its perf events of kprobes, or has ended.
closed() {
	/run/b/perf "$1" __x64_sys_getppid "${@:2}" > said
	sed 's/, clocks in .*//' said |
		awk '{ for (i = 1; i < NF; i++) if ($(i + 1) ~ /^us/) n += $i; print int(n / 1000) }'
}

try wait-perf-100 "100 perf kprobes and return probes count 10 calls each, and are closed"
case_wait_perf_100() { waited "$(closed 100)" "closing 100 perf kprobes"; }

try wait-perf-1000 "1,000 perf kprobes and return probes count 10 calls each, and are closed"
case_wait_perf_1000() { waited "$(closed 1000)" "closing 1,000 perf kprobes"; }

try wait-perf-bpf "1,000 perf kprobes and return probes with a BPF program, closed"
case_wait_perf_bpf() { waited "$(closed 1000 bpf)" "closing 1,000 perf kprobes with a BPF program"; }

try wait-perf-exit "a process with 1,000 perf kprobes is killed"
case_wait_perf_exit() { waited "$(closed 1000 exit)" "the exit of a process with 1,000 perf kprobes"; }

# let_go WORDS KIND: measure interrupting a bpftrace with 50 probes.
let_go() {
	local start

	spawn said bpftrace --no-feature kprobe_multi -e "$(fifty "$2") /comm == \"dd\"/ { @hits = count(); }
		interval:ms:200 { printf(\"there\\n\"); }"
	for _ in $(seq 1000); do
		! grep -q there said || break
		[ -d /proc/$! ] || fail "bpftrace has ended: $(tail -n 2 said)"
		sleep 0.2
	done
	least probes "$(wc -l < $P/list)" 50
	reads
	start=$(now_ms)
	kill -INT $!
	wait $! || true
	waited $(($(now_ms) - start)) "$1"
	least hits "$(sed -n 's/^@hits: //p' said)" 1000
}

try wait-bpftrace-kprobes "bpftrace with 50 kprobes is interrupted"
case_wait_bpftrace_kprobes() { let_go "bpftrace letting go of 50 kprobes" kprobe; }

try wait-bpftrace-kretprobes "bpftrace with 50 return probes is interrupted"
case_wait_bpftrace_kretprobes() { let_go "bpftrace letting go of 50 return probes" kretprobe; }

# five_hundred KIND WORDS: measure each step in the life of 500 events.
five_hundred() {
	local kind=$1 what=$2

	took "making 500 $what" all_at_once $kind 500
	want events "$(wc -l < $T/kprobe_events)" 500
	took "enabling 500 $what" write 1 $T/events/kprobes/enable
	took "disabling 500 $what" write 0 $T/events/kprobes/enable
	took "deleting 500 $what at once" write '' $T/kprobe_events
	all_at_once $kind 500
	want "events, again" "$(wc -l < $T/kprobe_events)" 500
	delete() {
		while read -r f; do echo "-:e_$f" >> $T/kprobe_events; done < functions
	}
	took "deleting 500 $what one by one" delete
}

try wait-events "500 events: made, enabled, disabled, deleted"
case_wait_events() { five_hundred p events; }

try wait-return-events "500 return events: made, enabled, disabled, deleted"
case_wait_return_events() { five_hundred r "return events"; }

try wait-perf-probe "perf probe makes and deletes 30 events"
case_wait_perf_probe() {
	took "perf probe making vfs_*" perf probe -q 'vfs_*' 2> /dev/null
	took "perf probe deleting vfs_*" perf probe -q -d 'probe:vfs_*'
}

# per_call: print ns per getppid(), which calls __task_pid_nr_ns() once.
per_call() { /run/b/calls 100000; }

try cost-bpf "a BPF program that does nothing, on a function: what a call costs more"
case_cost_bpf() {
	local kind none

	none=$(per_call)
	for kind in fentry kprobe fexit kretprobe; do
		spawn said bpftrace -e "$kind:__task_pid_nr_ns { }"
		attached __task_pid_nr_ns
		# Give a kprobe time to become a jump.
		sleep 2
		costs $(($(per_call) - none)) "a BPF program on $kind"
		kill -INT $!
		wait $! || true
		soon no_probes
	done
}
