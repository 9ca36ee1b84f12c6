# SPDX-License-Identifier: GPL-2.0-only
# shellcheck shell=bash disable=SC2016,SC2086,SC2154,SC2317
# Files of tracefs, used from a shell, as far as no selftest of files does the
# same. Sourced by run.

# event DEFINITION...: create events; on: enable all of them.
event() { for e; do echo "$e" >> $T/kprobe_events; done; }
on() {
	echo 1 > $T/tracing_on
	echo 1 > $K/enable
}
# gone: disable and remove all events.
gone() {
	echo 0 > $K/enable
	echo > $T/kprobe_events
}
# lines PATTERN: count lines of the trace. Reading it is a load itself, so stop
# recording until the next event is enabled.
lines() {
	echo 0 > $T/tracing_on
	grep -c "$1" $T/trace || true
}
# recorded NAME [PATTERN]: count dd's hits.
recorded() { lines " dd-.* $1: .*${2:-}"; }

try tracefs-f "dynamic_events f on the same function as p: 1,000 of each"
case_tracefs_f() {
	echo 'f:fprobes/reads vfs_read' >> $T/dynamic_events
	event 'p:reads vfs_read'
	on
	echo 1 > $T/events/fprobes/enable
	reads
	echo 0 > $T/events/fprobes/enable
	want hits "$(recorded reads)" 2000
	gone
	echo > $T/dynamic_events
}

try tracefs-f-return "dynamic_events f%return on the same function as r: 1,000 of each"
case_tracefs_f_return() {
	echo 'f:fprobes/fresult vfs_read%return ret=$retval' >> $T/dynamic_events
	event 'r:result vfs_read ret=$retval'
	on
	echo 1 > $T/events/fprobes/enable
	reads
	echo 0 > $T/events/fprobes/enable
	want "hits of r" "$(recorded result 'ret=0*x*1$')" "$(recorded fresult 'ret=0*x*1$')"
	want "hits of f" "$(recorded fresult 'ret=0*x*1$')" 1000
	gone
	echo > $T/dynamic_events
}

try tracefs-arguments "arguments by \$arg, register, type and BTF name: all the same"
case_tracefs_arguments() {
	event 'p:reads vfs_read a=$arg3:u64 r=%dx:u64 x=$arg3:x8 count'
	on
	reads
	want hits "$(recorded reads 'a=1 r=1 x=0x1 count=0*x*1$')" 1000
	gone
}

try tracefs-btf-args "\$arg*: all arguments by the names that BTF has"
case_tracefs_btf_args() {
	event 'p:reads vfs_read $arg*'
	on
	reads
	want hits "$(recorded reads 'file=.* buf=.* count=0*x*1 pos=')" 1000
	gone
}

try tracefs-deref "a field through a pointer, by offset and by BTF's name: the same"
case_tracefs_deref() {
	event 'p:reads vfs_read one=file->f_flags:x32 count=$arg3'
	on
	reads
	least hits "$(recorded reads 'one=0x[0-9a-f]* count=0*x*1$')" 1000
	gone
}

try tracefs-string "a string of user space: the file that is opened"
case_tracefs_string() {
	event 'p:opened do_sys_openat2 name=+0($arg2):ustring'
	on
	/run/b/cat /etc/debian_version > /dev/null
	want records "$(lines ' cat-.*name="/etc/debian_version"')" 1
	gone
}

try tracefs-stack "\$comm, \$stack and a word of the stack"
case_tracefs_stack() {
	event 'p:reads vfs_read comm=$comm sp=$stack word=$stack0:symbol'
	on
	reads
	want hits "$(recorded reads 'comm="dd" sp=0x.* word=ksys_read+')" 1000
	gone
}

try tracefs-pid "set_event_pid: hits of one process"
case_tracefs_pid() {
	event 'p:reads vfs_read count=$arg3'
	on
	sh -c "echo \$\$ > $T/set_event_pid; exec $READS" 2> /dev/null
	want "hits of dd" "$(recorded reads 'count=0*x*1$')" 1000
	want "hits of cat" "$(lines ' cat-.* reads: ')" 0
	echo > $T/set_event_pid
	gone
}

try tracefs-hist "a hist trigger: 1,000 reads of one byte"
case_tracefs_hist() {
	event 'p:reads vfs_read count=$arg3'
	echo 'hist:keys=count if comm == "dd"' > $K/reads/trigger
	reads
	want "hits of 1" "$(sed -n 's/^{ count: *0*x*1 *} hitcount: *//p' $K/reads/hist)" 1000
	echo '!hist:keys=count if comm == "dd"' > $K/reads/trigger
	gone
}

try tracefs-hist-stack "a hist trigger by stack: 1,000 hits below the system call"
case_tracefs_hist_stack() {
	event 'p:reads vfs_read'
	echo 'hist:keys=common_stacktrace if comm == "dd"' > $K/reads/trigger
	reads
	grep -q 'ksys_read+' $K/reads/hist
	want hits "$(awk '/hitcount:/ { n += $NF } END { print n }' $K/reads/hist)" 1000
	echo '!hist:keys=common_stacktrace if comm == "dd"' > $K/reads/trigger
	gone
}

try tracefs-hist-return "a hist trigger on returns, with the sum of what was read"
case_tracefs_hist_return() {
	event 'r:result vfs_read ret=$retval:u64'
	echo 'hist:keys=common_pid:vals=ret if comm == "dd"' > $K/result/trigger
	reads
	grep -q 'hitcount: *1000 *ret: *1000' $K/result/hist
	echo '!hist:keys=common_pid:vals=ret if comm == "dd"' > $K/result/trigger
	gone
}

try tracefs-synthetic "a synthetic event of the time between p and r: 1,000 of them"
case_tracefs_synthetic() {
	event 'p:begin vfs_read' 'r:end vfs_read'
	echo 's:took u64 ns' >> $T/dynamic_events
	echo 'hist:keys=common_pid:t0=common_timestamp if comm == "dd"' > $K/begin/trigger
	echo 'hist:keys=common_pid:ns=common_timestamp-$t0:onmatch(kprobes.begin).took($ns) if comm == "dd"' > $K/end/trigger
	echo 'hist:keys=common_pid' > $T/events/synthetic/took/trigger
	reads
	want durations "$(awk '/hitcount:/ { n += $NF } END { print n }' $T/events/synthetic/took/hist)" 1000
	echo '!hist:keys=common_pid' > $T/events/synthetic/took/trigger
	echo '!hist:keys=common_pid:ns=common_timestamp-$t0:onmatch(kprobes.begin).took($ns) if comm == "dd"' > $K/end/trigger
	echo '!hist:keys=common_pid:t0=common_timestamp if comm == "dd"' > $K/begin/trigger
	echo '-:took' >> $T/dynamic_events
	gone
}

try tracefs-eprobe "an event probe on the system call beside a kprobe: 1,000 of each"
case_tracefs_eprobe() {
	event 'p:reads ksys_read count=$arg3'
	echo 'e:on/again syscalls/sys_enter_read n=$count' >> $T/dynamic_events
	on
	echo 1 > $T/events/on/again/enable
	reads
	echo 0 > $T/events/on/again/enable
	want "hits of the event probe" "$(recorded again 'n=0*x*1$')" 1000
	want "hits of the kprobe" "$(recorded reads)" 1000
	echo '-:on/again' >> $T/dynamic_events
	gone
}

# snapshot: make a snapshot by dd, and count the hits of the dd before in it.
snapshot() {
	reads
	$DD if=/dev/zero of=/dev/null bs=7777 count=1 2> /dev/null
	grep -c ' dd-.* reads: .*count=0*x*1$' $T/snapshot || true
}
snapshot_gone() {
	echo '!snapshot:1 if count == 7777' > $K/reads/trigger
	gone
	echo 0 > $T/snapshot
}

try tracefs-snapshot "a snapshot trigger: what came before the hit is kept"
case_tracefs_snapshot() {
	event 'p:reads vfs_read count=$arg3'
	echo 'snapshot:1 if count == 7777' > $K/reads/trigger
	on
	want "hits in the snapshot" "$(snapshot)" 1000
	snapshot_gone
}

try tracefs-pipe "trace_pipe: 1,000 hits as they come"
case_tracefs_pipe() {
	event 'p:reads vfs_read'
	echo 'comm == "dd"' > $K/reads/filter
	on
	cat $T/trace_pipe > piped &
	reads
	piped() { [ "$(grep -c ' reads: ' piped)" = 1000 ]; }
	soon piped
	kill $!
	wait $! || true
	gone
}

try tracefs-cold "r on a function's cold part, to which no call leads: refused; p: not"
case_tracefs_cold() {
	local cold

	cold=$(awk '$3 ~ /\.cold$/ && !$4 { n[$3]++; last = $3 }
		END { for (f in n) if (n[f] == 1) { print f; exit } }' /proc/kallsyms)
	[ -n "$cold" ] || return 0
	event "p:part $cold"
	refused event "r:back $cold"
	gone
}

try tracefs-hotplug "a CPU goes offline and online five times: 5 hits each of the functions that it runs first and last"
case_tracefs_hotplug() {
	local cpu=/sys/devices/system/cpu/cpu1/online

	[ -e $cpu ] || return 0
	event 'p:dying sched_cpu_dying' 'p:starting sched_cpu_starting' 'p:notify notify_cpu_starting'
	on
	for _ in 1 2 3 4 5; do
		echo 0 > $cpu
		echo 1 > $cpu
	done
	want hits "$(awk '{ print $1, $2 }' $T/kprobe_profile | sort | paste -sd' ')" \
		"dying 5 notify 5 starting 5"
	gone
}

try tracefs-error-log "error_log points at the error in a definition"
case_tracefs_error_log() {
	refused sh -c "echo 'p:wrong vfs_read x=%nosuchregister' > $T/kprobe_events"
	grep -q 'Invalid register name' $T/error_log
	grep -q '\^' $T/error_log
}

try tracefs-again "an event is made, used and deleted 20 times: 1,000 hits each time"
case_tracefs_again() {
	for _ in $(seq 20); do
		event 'p:reads vfs_read'
		on
		reads
		want hits "$(recorded reads)" 1000
		gone
		echo > $T/trace
	done
}

try tracefs-ftrace-command "a command of set_ftrace_filter on a function with a probe"
case_tracefs_ftrace_command() {
	event 'p:reads vfs_read'
	on
	echo 'vfs_read:stacktrace:5' > $T/set_ftrace_filter
	reads
	want hits "$(recorded reads)" 1000
	least stacks "$(lines '<stack trace>')" 5
	echo '!vfs_read:stacktrace:0' >> $T/set_ftrace_filter || echo '!vfs_read:stacktrace' >> $T/set_ftrace_filter
	gone
}

try tracefs-module "an event from before its module: hit when it is there, gone with it"
case_tracefs_module() {
	event 'p:early kprobe_target:kprobe_target_function'
	insmod /run/modules/kprobe_target.ko
	on
	cat /sys/module/kprobe_target/parameters/poke > /dev/null
	least hits "$(awk '$1 == "early" { print $2 }' $T/kprobe_profile)" 1
	rmmod kprobe_target
	gone
}

try tracefs-maxactive "r with room for one call: 1,000 reads one after the other are all followed"
case_tracefs_maxactive() {
	event 'r1:result vfs_read'
	echo 'comm == "dd"' > $K/result/filter
	on
	reads
	least returns "$(recorded result)" 990
	gone
}

try tracefs-uprobe "a uprobe event beside a kprobe event"
case_tracefs_uprobe() {
	local offset

	offset=$(python3 -c '
import ctypes
at = ctypes.cast(ctypes.CDLL("libc.so.6").getppid, ctypes.c_void_p).value
for line in open("/proc/self/maps"):
    begin, end = (int(x, 16) for x in line.split()[0].split("-"))
    if begin <= at < end:
        print(hex(at - begin + int(line.split()[2], 16)))
')
	echo "p:user /usr/lib/x86_64-linux-gnu/libc.so.6:$offset" > $T/uprobe_events
	event 'p:kernel __x64_sys_getppid'
	echo 1 > $T/events/uprobes/user/enable
	on
	python3 -c 'import os; [os.getppid() for i in range(1000)]'
	want "hits in user space" "$(lines ' python3-.* user: ')" 1000
	want "hits in the kernel" "$(lines ' python3-.* kernel: ')" 1000
	echo 0 > $T/events/uprobes/enable
	echo > $T/uprobe_events
	gone
}

try tracefs-fork "hits by 100 children"
case_tracefs_fork() {
	event 'p:forked kernel_clone'
	on
	sh -c 'for i in 1 2 3 4 5 6 7 8 9 10; do
		(:); (:); (:); (:); (:); (:); (:); (:); (:); (:); done'
	want hits "$(lines ' sh-.* forked: ')" 100
	gone
}
