# SPDX-License-Identifier: GPL-2.0-only
# shellcheck shell=bash disable=SC2016,SC2086,SC2154
# perf, bpftrace, and others that attach at a probed function. Sourced by run.

bt() { timeout 600 bpftrace --no-feature kprobe_multi "$@" 2>&1; }
# Run the load on one CPU, because the buffers of several have no common order.
READS="taskset 1 $DD if=/dev/zero of=/dev/null bs=1 count=3"
only='/comm == "dd"/'

# Record what programs see at an entry, inside, and at a return, in order.
seen='printf("%s func %s ip %s %s\n", probe, func, ksym(reg("ip")), kstack);'
offset='printf("offset %d\n", reg("ip") - kaddr("vfs_read"));'
for optimize in 0 1; do
	echo $optimize > "$O"
	bt -c "$READS" -e "kprobe:vfs_read $only { $seen $offset } kprobe:vfs_read+5 $only { $seen $offset }
		kprobe:vfs_read+9 $only { $seen $offset } kretprobe:vfs_read $only { $seen }
		kprobe:ksys_read $only { $seen } kretprobe:ksys_read $only { $seen }
		kprobe:vfs_read $only { printf(\"second\n\") }
		kretprobe:vfs_read $only { printf(\"second of return %d\n\", retval) }" |
		grep -vE '^$|^Attaching|records' | no_addresses | same_lines "tools/bpftrace/$optimize"
done

# Record perf events with call chains.
for where in vfs_read vfs_read+5 vfs_read+9 vfs_read%return; do
	for optimize in 0 1; do
		echo $optimize > "$O"
		perf probe -q "x=$where" > /dev/null 2>&1 || { same "tools/perf/$where" refused; continue; }
		perf record -q -o data -g -e 'probe:x*' -- $READS > said 2>&1
		perf script -i data -F comm,ip,sym,event 2> /dev/null | no_addresses | sed -E 's/^dd +//; s/^[ \t]+//; s/^[0-9a-f]{8,16} //' |
			grep -v '^$' | same_lines "tools/perf/$where/$optimize"
		perf probe -q -d 'probe:x*' > /dev/null 2>&1
	done
done

# Record patched text and slots separately, because two CPUs have no common
# order. Tracing also patches text of the scheduler, to learn task names.
for where in vfs_read vfs_read+5 vfs_read+9; do
	"$here/records" "echo 'p:poked $where' > $T/kprobe_events; echo 1 > $K/poked/enable; sleep 1" \
		"echo 0 > $K/poked/enable; sleep 1; echo > $T/kprobe_events; sleep 1" > said
	grep '^vfs_read' said | same_lines "tools/text-poke/$where/text"
	grep -E '^kprobe_|symbol' said | same_lines "tools/text-poke/$where/slots"
done

# Attach others at a probed function: which attach, and which hits do they see?
attach() { # KEY KIND: while the probes of the caller are there
	local kind=$2

	case $kind in
	fentry)
		same "$1/$kind" "$(bt -c "$READS" -e "fentry:vfs_read $only { @ = count() } fexit:vfs_read $only { @exit = count() }" |
			grep -E '^@|ERROR' | sort | tr '\n' ' ')" ;;
	multi)
		same "$1/$kind" "$(timeout 600 bpftrace -c "$READS" -e "kprobe:vfs_rea* $only { @ = count() }" 2>&1 | grep -E '^@|ERROR' | head -n 1)" ;;
	fprobe)
		same "$1/$kind" "$(result append 'f:fprobes/fp vfs_read' $T/dynamic_events)"
		echo 'comm == "dd"' > $T/events/fprobes/fp/filter
		same "$1/$kind/enable" "$(result write 1 $T/events/fprobes/fp/enable)"
		echo > $T/trace
		reads 3
		same "$1/$kind/hits" "$(grep -c ' fp: ' $T/trace)"
		echo 0 > $T/events/fprobes/fp/enable
		echo '-:fprobes/fp' >> $T/dynamic_events ;;
	function | function_graph)
		same "$1/$kind/filter" "$(result append vfs_read $T/set_ftrace_filter)"
		same "$1/$kind/filtered" "$(tr '\n' ' ' < $T/set_ftrace_filter)"
		echo > $T/trace
		same "$1/$kind" "$(result write $kind $T/current_tracer)"
		reads 3
		# The trace must not grow while it is read.
		echo 0 > $T/tracing_on
		same "$1/$kind/hits" "$(grep -cE 'vfs_read( <-|\(\))' $T/trace)"
		echo nop > $T/current_tracer
		echo 1 > $T/tracing_on
		echo > $T/set_ftrace_filter ;;
	esac
}
for kind in fentry multi fprobe function function_graph; do
	attach tools/beside/none $kind
	for event in 'p:b vfs_read' 'p:b vfs_read+5' 'r:b vfs_read'; do
		append "$event" $T/kprobe_events 2> /dev/null || continue
		echo 'comm == "dd"' > "$K/b/filter"
		echo 1 > "$K/b/enable"
		sleep 0.5
		attach "tools/beside/$event" $kind
		echo > $T/trace
		reads 3
		same "tools/beside/$event/$kind/own-hits" "$(grep -c ' b: ' $T/trace)"
		echo 0 > "$K/b/enable"
		echo > $T/kprobe_events
	done
done

# Record the name of slots.
append 'p:slot vfs_read+13' $T/kprobe_events 2> /dev/null || append 'p:slot vfs_read+9' $T/kprobe_events
echo 1 > "$K/slot/enable"
sleep 1
awk '/__builtin__kprobes/ { print $2, $3, $4 }' /proc/kallsyms | sort -u | same_lines tools/kallsyms
echo 0 > "$K/slot/enable"
echo > $T/kprobe_events
