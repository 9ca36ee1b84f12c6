# SPDX-License-Identifier: GPL-2.0-only
# shellcheck shell=bash disable=SC2016,SC2086,SC2154
# Trace lines with all columns, for probes in each context. Sourced by run.

# columns KEY NAME: record the flags of each line except need-resched, and the
# place without the function's size. Callers are random, and so are the context
# that an interrupt or a trap hits, and the depth with interrupts off. With
# interrupts on, only vfs_read() always has the same depth.
columns() {
	echo 0 > $T/tracing_on
	sed -nE "s/^.* \[[0-9]+\] (.)(.)(.)(.)(.) +[0-9.]+: ($2: .*)/\1\3\4 \6/p" $T/trace |
		sed -E 's/^D/d/; s/^(.)H/\1h/; s/^(.[shZ])./\1/; s/^(d\.)./\1/; /vfs_read/!s/^([.b]\.)./\1/
			s/^bZ/.Z/
			s,/0x[0-9a-f]+,,g; s/\([a-zA-Z0-9_.]*(tramp|hook|kprobe)[^ ]* <-/(trampoline <-/
			s/\([^ ]+\+0x[0-9a-f]+ <-/(caller <-/' |
		no_addresses | sort -u | while read -r flags place; do
			same "$1/$place" "$flags"
		done
	echo > $T/trace
	echo 1 > $T/tracing_on
}
# callers: print the frames of traced stacks that belong to no handler.
callers() {
	sed -nE 's/^ *=> //p' $T/trace |
		sed -E 's/^(arch_rethook|__kretprobe)_trampoline$/trampoline/' |
		grep -xE 'vfs_read|ksys_read|do_syscall_64|entry_SYSCALL_64_after_hwframe|trampoline'
}
load() {
	reads 30
	(true)
	ls / > /dev/null
	sleep 0.3
	echo l > /proc/sysrq-trigger
} 2> /dev/null

# Task, softirq, hardirq, NMI, idle, interrupts off, preemption off.
contexts=(vfs_read rcu_core run_timer_softirq update_process_times hrtimer_interrupt show_regs
	tick_nohz_idle_stop_tick enqueue_task_fair __fput dput d_alloc copy_process
	free_unref_folios mm_release kmem_cache_free rb_erase)
for optimize in 0 1; do
	echo $optimize > "$O"
	for f in "${contexts[@]}"; do
		for offset in 0 5 9 13; do
			[ $offset = 0 ] || [ $f = vfs_read ] || [ $f = update_process_times ] ||
				[ $f = enqueue_task_fair ] || [ $f = rcu_core ] || continue
			append "p:ctx $f+$offset" $T/kprobe_events 2> /dev/null || continue
			[ $offset != 0 ] || append "r:rctx $f" $T/kprobe_events
			echo 1 > "$K/enable"
			sleep 0.5
			load
			columns "trace/$optimize/$f+$offset" '(ctx|rctx)'
			echo 0 > "$K/enable"
			echo > $T/kprobe_events
		done
	done
done

# Record arguments of all kinds, in the order of the file.
echo 'p:args vfs_read+0 one=$arg3 comm=$comm ip=@_stext:x8 stack=$stack0:symbol' > $T/kprobe_events
echo 'r:rargs vfs_read ret=$retval:s64' >> $T/kprobe_events
echo 'comm == "dd"' > "$K/args/filter"
echo 'comm == "dd"' > "$K/rargs/filter"
echo 1 > "$K/enable"
reads 3
echo 0 > $T/tracing_on
sed -nE 's/^ *dd-[0-9]+ +\[[0-9]+\] (.).(..). +[0-9.]+: (.*)/\1.\2 \3/p' $T/trace | no_addresses |
	same_lines trace/args
echo 0 > "$K/enable"
echo 1 > $T/tracing_on
echo > $T/kprobe_events
echo > $T/trace

# Record stacks, by a trigger and by the option.
for where in vfs_read vfs_read+5 vfs_read+9 vfs_read%return ksys_read; do
	for optimize in 0 1; do
		echo $optimize > "$O"
		kind=p
		[ "$where" = "${where%\%return}" ] || kind=r
		append "$kind:st ${where%\%return}" $T/kprobe_events 2> /dev/null || continue
		echo 'stacktrace if comm == "dd"' > "$K/st/trigger"
		sleep 0.5
		reads 2
		callers | same_lines "trace/stack/$where/$optimize/trigger"
		echo '!stacktrace if comm == "dd"' > "$K/st/trigger"
		echo > $T/trace
		echo stacktrace > $T/trace_options
		echo 'comm == "dd"' > "$K/st/filter"
		echo 1 > "$K/st/enable"
		reads 2
		echo 0 > "$K/st/enable"
		callers | same_lines "trace/stack/$where/$optimize/option"
		echo nostacktrace > $T/trace_options
		echo > $T/kprobe_events
		echo > $T/trace
	done
done
