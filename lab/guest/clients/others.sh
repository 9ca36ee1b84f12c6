# SPDX-License-Identifier: GPL-2.0-only
# shellcheck shell=bash disable=SC2016,SC2086,SC2154,SC2317
# trace-cmd, ply, perf-tools, bpftool, SystemTap, pwru, fail_function, and
# stress-ng with probes armed. Sourced by run.

try trace-cmd-record "trace-cmd record -e kprobes: 1,000 hits in the report"
case_trace_cmd_record() {
	echo 'p:reads vfs_read count=$arg3' > $T/kprobe_events
	trace-cmd record -q -o data -e kprobes:reads -F $READS 2> said
	want hits "$(trace-cmd report -q -i data 2> /dev/null | grep -c 'dd-.*reads: .*count=0*x*1$')" 1000
	echo > $T/kprobe_events
}

try trace-cmd-return "trace-cmd record of a return event, with a filter"
case_trace_cmd_return() {
	echo 'r:result vfs_read ret=$retval' > $T/kprobe_events
	trace-cmd record -q -o data -e kprobes:result -f 'ret == 1' $READS 2> said
	want hits "$(trace-cmd report -q -i data 2> /dev/null | grep -c 'dd-.*result: .*ret=')" 1000
	echo > $T/kprobe_events
}

try trace-cmd-function "trace-cmd record -p function and a kprobe on one function: 1,000 of each"
case_trace_cmd_function() {
	echo 'p:reads vfs_read' > $T/kprobe_events
	trace-cmd record -q -o data -b 8192 -p function -l vfs_read -e kprobes:reads -F $READS 2> said
	trace-cmd report -q -i data > lines 2> /dev/null
	want hits "$(grep -c 'dd-.*reads: ' lines)" 1000
	want "lines of the tracer" "$(grep -c 'dd-.*function: *vfs_read' lines)" 1000
	echo > $T/kprobe_events
}

try trace-cmd-graph "trace-cmd record -p function_graph and a return event on one function"
case_trace_cmd_graph() {
	echo 'r:result vfs_read ret=$retval' > $T/kprobe_events
	trace-cmd record -q -o data -b 16384 -p function_graph -g vfs_read -e kprobes:result -F $READS 2> said
	trace-cmd report -q -i data > lines 2> /dev/null
	want returns "$(grep -c 'dd-.*result: ' lines)" 1000
	least "lines of the tracer" "$(grep -c 'dd-.* vfs_read() {' lines)" 1000
	echo > $T/kprobe_events
}

try trace-cmd-instance "trace-cmd start, stop, show in an instance of its own"
case_trace_cmd_instance() {
	echo 'p:reads vfs_read' > $T/kprobe_events
	trace-cmd start -B own -e kprobes:reads > /dev/null 2>&1
	reads
	trace-cmd stop -B own
	want hits "$(trace-cmd show -B own | grep -c ' dd-.* reads: ')" 1000
	want "hits at the top" "$(grep -c ' reads: ' $T/trace || true)" 0
	trace-cmd reset -B own -d > /dev/null 2>&1 || true
	[ ! -d $T/instances/own ] || rmdir $T/instances/own
	echo > $T/kprobe_events
}

try trace-cmd-start "trace-cmd start, stop, show"
case_trace_cmd_start() {
	echo 'p:reads vfs_read' > $T/kprobe_events
	trace-cmd start -e kprobes:reads > /dev/null 2>&1
	reads
	trace-cmd stop
	want hits "$(trace-cmd show | grep -c ' dd-.* reads: ')" 1000
	trace-cmd reset
	echo > $T/kprobe_events
}

try trace-cmd-trigger "trace-cmd record with a hist trigger (-R)"
case_trace_cmd_trigger() {
	echo 'p:reads vfs_read count=$arg3' > $T/kprobe_events
	trace-cmd start -e kprobes:reads -R 'hist:keys=count if comm == "dd"' > /dev/null 2>&1
	reads
	want "hits of 1" "$(sed -n 's/^{ count: *0*x*1 *} hitcount: *//p' $K/reads/hist)" 1000
	echo '!hist:keys=count if comm == "dd"' > $K/reads/trigger
	trace-cmd reset
	echo > $T/kprobe_events
}

try ply-kprobe "ply kprobe: 1,000 reads"
case_ply_kprobe() {
	ply -c "$READS" 'kprobe:vfs_read /!strcmp(comm, "dd")/ { @[arg2] = count(); }' > said 2>&1
	want "reads of one byte" "$(sed -n 's/^{ *1 *}: *//p' said)" 1000
}

try ply-kretprobe "ply kretprobe: 1,000 results"
case_ply_kretprobe() {
	ply -c "$READS" 'kretprobe:vfs_read /!strcmp(comm, "dd")/ { @[retval] = count(); }' > said 2>&1
	want "results of 1" "$(sed -n 's/^{ *1 *}: *//p' said)" 1000
}

try ply-wildcard "ply kprobe:vfs_*: vfs_read is hit 1,000 times"
case_ply_wildcard() {
	ply -c "$READS" 'kprobe:vfs_* /!strcmp(comm, "dd")/ { @[caller] = count(); }' > said 2>&1
	least hits "$(sed -n 's/.*vfs_read+.*}: *//p' said | sort -n | tail -n 1)" 1000
}

# interrupt: send SIGINT to the last spawned process group, like control-C.
interrupt() { kill -INT -- -$!; }

try perf-tools-kprobe "perf-tools kprobe p: 1,000 lines"
case_perf_tools_kprobe() {
	spawn said kprobe-perf 'p:reads vfs_read count=%dx:u64' 'count == 1'
	attached vfs_read
	sleep 1
	reads
	sleep 2
	interrupt
	wait $! || true
	want lines "$(grep -c ' dd-.* reads: .*count=1$' said)" 1000
}

try perf-tools-return "perf-tools kprobe r: results"
case_perf_tools_return() {
	spawn said kprobe-perf 'r:result vfs_read ret=$retval' 'ret == 1'
	attached vfs_read
	sleep 1
	reads
	sleep 2
	interrupt
	wait $! || true
	want lines "$(grep -c ' dd-.* result: .*ret=0*x*1$' said)" 1000
}

try perf-tools-opensnoop "perf-tools opensnoop: the file that is opened"
case_perf_tools_opensnoop() {
	spawn said opensnoop-perf
	attached .
	sleep 2
	/run/b/cat /etc/debian_version > /dev/null
	sleep 3
	interrupt
	wait $! || true
	grep -q '/etc/debian_version' said
}

try perf-tools-execsnoop "perf-tools execsnoop: the program that is executed"
case_perf_tools_execsnoop() {
	spawn said execsnoop-perf
	attached .
	sleep 2
	/run/b/cat /etc/debian_version > /dev/null
	sleep 3
	interrupt
	wait $! || true
	grep -q 'cat /etc/debian_version' said
}

try perf-tools-funccount "perf-tools funccount beside a kprobe: both count 1,000"
case_perf_tools_funccount() {
	echo 'p:reads vfs_read' > $T/kprobe_events
	echo 'comm == "dd"' > $K/reads/filter
	echo 1 > $K/reads/enable
	spawn said funccount-perf -d 8 vfs_read
	sleep 4
	reads
	wait $!
	least calls "$(awk '$1 == "vfs_read" { print $2 }' said)" 1000
	echo 0 > $T/tracing_on
	want hits "$(grep -c ' reads: ' $T/trace)" 1000
	echo 1 > $T/tracing_on
	echo 0 > $K/reads/enable
	echo > $T/kprobe_events
}

try bpftool-perf "bpftool perf and link name the probed function"
case_bpftool_perf() {
	spawn other bpftrace --no-feature kprobe_multi -e 'kprobe:vfs_read { @n = count(); }'
	attached vfs_read
	sleep 2
	bpftool perf show > said
	bpftool link show >> said
	kill -INT $!
	wait $! || true
	grep -q 'kprobe.*vfs_read' said
}

# failing FUNCTION VALUE, failing '': start or stop injecting errors into it.
failing() {
	local F=/sys/kernel/debug/fail_function

	echo "$1" > $F/inject
	[ -n "$1" ] || return 0
	printf %#x "$2" > $F/$1/retval
	echo 100 > $F/probability
	echo -1 > $F/times
	echo 0 > $F/verbose
}

try fail-function "fail_function: mkdir fails as told, and works afterwards"
case_fail_function() {
	failing __x64_sys_mkdir -12
	refused /run/b/mkdir $W/made 2> said
	grep -q 'Cannot allocate memory' said
	failing ''
	/run/b/mkdir $W/made
}

try fail-function-and-probe "fail_function on a function with an event: it fails, and 10 hits"
case_fail_function_and_probe() {
	failing __x64_sys_mkdir -12
	# The newest probe is first; the failure ends the hit.
	echo 'p:made __x64_sys_mkdir' > $T/kprobe_events
	echo 1 > $K/made/enable
	for n in $(seq 10); do refused /run/b/mkdir $W/made$n; done 2> said
	failing ''
	want "failures" "$(grep -c 'Cannot allocate memory' said)" 10
	echo 0 > $T/tracing_on
	want hits "$(grep -c ' mkdir-.* made: ' $T/trace)" 10
	echo 1 > $T/tracing_on
	echo 0 > $K/made/enable
	echo > $T/kprobe_events
}

try fail-function-refused "fail_function of a function that may not fail: refused"
case_fail_function_refused() {
	refused sh -c 'echo vfs_read > /sys/kernel/debug/fail_function/inject'
}

try stress-tracefs "stress-ng beside an event and a return event: 1,000 of each"
case_stress_tracefs() {
	echo 'p:reads vfs_read' > $T/kprobe_events
	echo 'r:result vfs_read' >> $T/kprobe_events
	for e in reads result; do echo 'comm == "dd"' > $K/$e/filter; done
	echo 1 > $K/enable
	stress-ng -q --fork 1 --pipe 1 --switch 1 --timeout 5 --temp-path $W &
	sleep 2
	reads
	wait $!
	echo 0 > $T/tracing_on
	want hits "$(grep -c ' reads: ' $T/trace)" 1000
	want returns "$(grep -c ' result: ' $T/trace)" 1000
	echo 1 > $T/tracing_on
	echo 0 > $K/enable
	echo > $T/kprobe_events
}

try stress-bpftrace "stress-ng beside a bpftrace kprobe and kretprobe: 1,000 of each"
case_stress_bpftrace() {
	bpftrace -c "$(script "stress-ng -q --fork 1 --pipe 1 --mmap 1 --mmap-bytes 4m --timeout 5 --temp-path $W & sleep 2; $READS; wait")" \
		-e 'kprobe:vfs_read /comm == "dd"/ { @entry = count(); }
		kretprobe:vfs_read /comm == "dd"/ { @return = count(); }' > said 2>&1
	want hits "$(sed -n 's/^@entry: //p' said)" 1000
	want returns "$(sed -n 's/^@return: //p' said)" 1000
}

try stress-on-off "stress-ng while 20 events are switched on and off 10 times"
case_stress_on_off() {
	all_at_once p 20
	# Let it end by itself: a signal may precede the one to its workers.
	stress-ng -q --fork 1 --pipe 1 --timeout 5 --temp-path $W &
	for _ in $(seq 10); do
		echo 1 > $K/enable
		sleep 0.2
		echo 0 > $K/enable
	done
	wait $!
	echo > $T/kprobe_events
}

try systemtap "SystemTap by BPF: 1,000 reads"
case_systemtap() {
	stap --runtime=bpf -c "$READS" -e 'global n
		probe kprobe.function("vfs_read") { if (execname() == "dd") n++ }
		probe end { printf("hits %d\n", n) }' > said 2>&1
	want hits "$(sed -n 's/^hits //p' said)" 1000
}

try pwru "pwru shows the way of a packet"
case_pwru() {
	spawn said pwru --backend kprobe --filter-func 'ip_.*' 'icmp'
	for _ in $(seq 200); do
		[ -d /proc/$! ] || fail "pwru has ended: $(tail -n 2 said)"
		! grep -qi 'listening' said || break
		sleep 1
	done
	/run/b/ping -c 3 127.0.0.1 > /dev/null
	sleep 3
	kill -INT $!
	wait $! || true
	tail -n 5 said
	least lines "$(grep -c 'ip_' said)" 3
}
