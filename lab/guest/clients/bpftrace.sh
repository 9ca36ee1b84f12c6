# SPDX-License-Identifier: GPL-2.0-only
# shellcheck shell=bash disable=SC2016,SC2086,SC2154,SC2317
# bpftrace: kprobes, return probes and features that use them. Sourced by run.

# traced PROGRAM [ARGUMENT...]: save the program's output while dd reads.
traced() {
	local program=$1
	shift

	bpftrace "$@" -c "$READS" -e "$program" > said 2>&1 || fail "bpftrace: $(tail -n 2 said)"
	cat said
}
# map NAME: print a map's value from the output.
map() { sed -n "s/^@$1: //p" said; }
# each KEY...: print the values of these keys of the only map.
each() {
	for key; do sed -n "s/^@[a-z]*\\[$key\\]: //p" said; done | tr '\n' ' '
}
# script COMMANDS: write them to a file: bpftrace splits words at blanks.
script() {
	echo "$1" > commands
	echo "/bin/sh $W/commands"
}
no_probes() { [ -z "$(cat $P/list)" ]; }
ONES='/comm == "dd" && arg2 == 1/'

try bpftrace-kprobe "bpftrace kprobe: 1,000 reads"
case_bpftrace_kprobe() {
	traced 'kprobe:vfs_read /comm == "dd"/ { @hits = count(); }'
	want hits "$(map hits)" 1000
}

try bpftrace-two-signals "bpftrace kprobe: two signals in one hit, and both arrive"
case_bpftrace_two_signals() {
	cat > signals.pl <<-'END'
		my ($a, $b) = (0, 0);
		$SIG{USR1} = sub { $a++ };
		$SIG{USR2} = sub { $b++ };
		mkdir "made";
		select(undef, undef, undef, 0.2) for 1 .. 3;
		open(F, ">got");
		print F "$a $b";
	END
	bpftrace --unsafe -c "perl $W/signals.pl" -e 'kprobe:do_mkdirat /comm == "perl"/ {
		signal("SIGUSR1"); signal("SIGUSR2"); @n = count(); }' > said 2>&1
	want hits "$(map n)" 1
	want signals "$(cat got)" "1 1"
}

try bpftrace-order "bpftrace blocks on one function run in the order of the script"
case_bpftrace_order() {
	local only='/comm == "mkdir"/'

	bpftrace -c "taskset 1 mkdir $W/made" -e "
		kprobe:do_mkdirat $only { printf(\"k1\n\"); }
		kprobe:do_mkdirat $only { printf(\"k2\n\"); }
		kretprobe:do_mkdirat $only { printf(\"r1\n\"); }
		kretprobe:do_mkdirat $only { printf(\"r2\n\"); }" > said 2>&1
	want order "$(grep -x '[kr][12]' said | tr '\n' ' ')" "k1 k2 r1 r2 "
}

try bpftrace-override-order "of two bpftrace blocks that override a call, the first one's result counts"
case_bpftrace_override_order() {
	cat > override.pl <<-'END'
		my $r = mkdir("made") ? 0 : $! + 0;
		open(F, ">got");
		print F $r;
	END
	bpftrace --unsafe -c "perl $W/override.pl" -e '
		kprobe:__x64_sys_mkdir /comm == "perl"/ { @a = count(); override(-13); }
		kprobe:__x64_sys_mkdir /comm == "perl"/ { @b = count(); override(-28); }' > said 2>&1
	want result "$(cat got)" 13
}

try bpftrace-kretprobe "bpftrace kretprobe: 1,000 reads"
case_bpftrace_kretprobe() {
	traced 'kretprobe:vfs_read /comm == "dd"/ { @hits = count(); }'
	want hits "$(map hits)" 1000
}

try bpftrace-offset "bpftrace kprobe within a function: 1,000 reads"
case_bpftrace_offset() {
	traced "kprobe:vfs_read+$(within) /comm == \"dd\"/ { @hits = count(); }" --unsafe
	want hits "$(map hits)" 1000
}

try bpftrace-arguments "bpftrace kprobe: an argument as the key of a map"
case_bpftrace_arguments() {
	traced 'kprobe:vfs_read /comm == "dd"/ { @n[arg2] = count(); }'
	want "reads of one byte" "$(each 1)" "1000 "
}

try bpftrace-retval "bpftrace kretprobe: the result as the key of a map"
case_bpftrace_retval() {
	traced 'kretprobe:vfs_read /comm == "dd"/ { @n[retval] = count(); }'
	want "results of 1" "$(each 1)" "1000 "
}

try bpftrace-latency "bpftrace kprobe and kretprobe: 1,000 durations"
case_bpftrace_latency() {
	traced 'kprobe:vfs_read /comm == "dd"/ { @at[tid] = nsecs; }
		kretprobe:vfs_read /@at[tid]/ { @took = hist(nsecs - @at[tid]); @n = count(); delete(@at[tid]); }'
	want durations "$(map n)" 1000
	want "durations in the histogram" "$(awk '/^\[/ { n += $3 } END { print n }' said)" 1000
}

try bpftrace-kstack "bpftrace kprobe: the stack of each hit"
case_bpftrace_kstack() {
	traced "kprobe:vfs_read $ONES { @[kstack(4)] = count(); }"
	grep -q 'vfs_read+' said
	grep -q 'ksys_read+' said
	want "hits by stack" "$(sed -n 's/^\]: //p' said | awk '{ n += $1 } END { print n }')" 1000
}

try bpftrace-retstack "bpftrace kretprobe: the stack of each return names the caller"
case_bpftrace_retstack() {
	traced 'kretprobe:vfs_read /comm == "dd"/ { @[kstack(4)] = count(); }'
	grep -q 'ksys_read+\|__x64_sys_read+' said
	want "returns by stack" "$(sed -n 's/^\]: //p' said | awk '{ n += $1 } END { print n }')" 1000
}

try bpftrace-func "bpftrace kprobe: func, the probed function by its name"
case_bpftrace_func() {
	traced "kprobe:vfs_read $ONES { @n[func] = count(); }"
	want "hits of vfs_read" "$(each vfs_read)" "1000 "
}

try bpftrace-probe "bpftrace: one action for three kprobes"
case_bpftrace_probe() {
	traced 'kprobe:vfs_read, kprobe:ksys_read, kprobe:vfs_write /comm == "dd"/ { @n[probe] = count(); }'
	want "hits of vfs_read" "$(each kprobe:vfs_read)" "1000 "
	want "hits of ksys_read" "$(each kprobe:ksys_read)" "1000 "
	least "hits of vfs_write" "$(each kprobe:vfs_write)" 1000
}

try bpftrace-wildcard "bpftrace kprobe:vfs_*, by one link of many"
case_bpftrace_wildcard() {
	traced 'kprobe:vfs_* /comm == "dd"/ { @n[func] = count(); }'
	want "hits of vfs_read" "$(each vfs_read)" "1000 "
}

# fifty KIND: name probes on vfs_read and 49 other functions for bpftrace.
fifty() { { some 49; echo vfs_read; } | sed "s/^/$1:/" | paste -s -d ,; }

try bpftrace-fifty "bpftrace on 50 functions, by 50 probes: vfs_read is hit 1,000 times"
case_bpftrace_fifty() {
	traced "$(fifty kprobe) /comm == \"dd\"/ { @n[func] = count(); }" --no-feature kprobe_multi
	grep -q 'Attaching 50 probes' said
	want "hits of vfs_read" "$(each vfs_read)" "1000 "
}

try bpftrace-fifty-returns "bpftrace on returns of 50 functions, by 50 probes"
case_bpftrace_fifty_returns() {
	traced "$(fifty kretprobe) /comm == \"dd\"/ { @n[probe] = count(); }" --no-feature kprobe_multi
	want "returns of vfs_read" "$(each kretprobe:vfs_read)" "1000 "
}

try bpftrace-fentry "bpftrace fentry and kprobe on one function: 1,000 of each"
case_bpftrace_fentry() {
	traced 'fentry:vfs_read /comm == "dd"/ { @entry = count(); }
		kprobe:vfs_read /comm == "dd"/ { @kprobe = count(); }'
	want "hits of fentry" "$(map entry)" 1000
	want "hits of the kprobe" "$(map kprobe)" 1000
}

try bpftrace-fexit "bpftrace fexit and kretprobe on one function: 1,000 of each, one result"
case_bpftrace_fexit() {
	traced 'fexit:vfs_read /comm == "dd" && retval == 1/ { @exit = count(); }
		kretprobe:vfs_read /comm == "dd" && retval == 1/ { @kretprobe = count(); }'
	want "hits of fexit" "$(map exit)" 1000
	want "hits of the kretprobe" "$(map kretprobe)" 1000
}

try bpftrace-all-kinds "bpftrace fentry, fexit, kprobe, kretprobe, and the tracepoint: 1,000 of each"
case_bpftrace_all_kinds() {
	traced 'fentry:vfs_read /comm == "dd"/ { @n[1] = count(); }
		fexit:vfs_read /comm == "dd"/ { @n[2] = count(); }
		kprobe:vfs_read /comm == "dd"/ { @n[3] = count(); }
		kretprobe:vfs_read /comm == "dd"/ { @n[4] = count(); }
		tracepoint:syscalls:sys_enter_read /comm == "dd"/ { @n[5] = count(); }'
	want hits "$(each 1 2 3 4 5)" "1000 1000 1000 1000 1000 "
}

try bpftrace-graph "bpftrace fentry, kprobe and kretprobe under the function graph tracer"
case_bpftrace_graph() {
	echo vfs_read > $T/set_graph_function
	echo function_graph > $T/current_tracer
	traced 'fentry:vfs_read /comm == "dd"/ { @n[1] = count(); }
		kprobe:vfs_read /comm == "dd"/ { @n[2] = count(); }
		kretprobe:vfs_read /comm == "dd"/ { @n[3] = count(); }'
	echo nop > $T/current_tracer
	want hits "$(each 1 2 3)" "1000 1000 1000 "
}

try bpftrace-two "two bpftrace at once on one function: 1,000 of each"
case_bpftrace_two() {
	local other

	spawn other bpftrace -e 'kprobe:vfs_read /comm == "dd"/ { @hits = count(); }'
	other=$!
	attached vfs_read
	traced 'kprobe:vfs_read /comm == "dd"/ { @hits = count(); }'
	kill -INT $other
	wait $other
	want "hits of the one" "$(map hits)" 1000
	want "hits of the other" "$(sed -n 's/^@hits: //p' other)" 1000
}

# A stack per read keeps the CPU in a handler for long enough that timers
# interrupt it there.
try bpftrace-interrupt "bpftrace kprobe that an interrupt's kprobe comes over: no hit is missed"
case_bpftrace_interrupt() {
	local pid hits=0 rounds=0

	event 'p:ticks update_process_times'
	spawn said bpftrace --no-feature kprobe_multi -e 'kprobe:vfs_read { @stacks[kstack] = count(); }
		kprobe:update_process_times { @ticks = count(); }'
	pid=$!
	attached vfs_read
	on
	while [ "$hits" -lt 200 ] && [ $rounds -lt 60 ]; do
		reads 10000
		rounds=$((rounds + 1))
		hits=$(awk '$1 == "ticks" { print $2 }' $T/kprobe_profile)
	done
	echo 0 > $K/enable
	kill -INT $pid
	wait $pid
	hits=$(awk '$1 == "ticks" { print $2 }' $T/kprobe_profile)
	least ticks "$hits" 200
	figures "$hits interrupts, $(map ticks) with the program, missed: $(awk '{ print $3 }' $T/kprobe_profile)"
	want "hits that were missed" "$(awk '{ n += $3 } END { print n }' $T/kprobe_profile)" 0
	least "ticks with the program" "$(map ticks)" "$hits"
	least "reads of one byte" "$(sed -n 's/^\]: //p' said | sort -n | tail -n 1)" $((rounds * 10000))
	gone
}

try bpf-ten-million "10 million hits with a BPF program, and interrupts over it: none is lost without being counted"
case_bpf_ten_million() {
	local hits interrupts missed

	event 'p:ticks update_process_times'
	/run/b/hits 10000000 __x64_sys_getppid update_process_times $K/ticks/enable > said
	# The program is attached a little longer than the event is on.
	hits=$(awk '$1 == "ticks" { print $2 }' $T/kprobe_profile)
	interrupts=$(sed -n 's/.*interrupts //p' said)
	missed=$(sed -n '/ update_process_times+/s/.* bpf=\([0-9]*\).*/\1/p' $P/missed 2> /dev/null || true)
	figures "$(cat said), of $hits; missed: ${missed:-0}"
	want calls "$(sed -n 's/^calls \([0-9]*\) .*/\1/p' said)" 10000000
	least interrupts "$hits" 10
	least "interrupts with the program or counted as missed" $((interrupts + ${missed:-0})) "$hits"
	gone
}

try bpftrace-lines "bpftrace printf at each hit: 1,000 lines"
case_bpftrace_lines() {
	traced "kprobe:vfs_read $ONES { printf(\"read %d by %s\\n\", arg2, comm); }"
	want lines "$(grep -c '^read 1 by dd$' said)" 1000
}

try bpftrace-module "bpftrace kprobe in a module: each of 100 calls"
case_bpftrace_module() {
	insmod /run/modules/kprobe_target.ko
	bpftrace -e 'kprobe:kprobe_target:kprobe_target_function { @hits = count(); }' \
		-c '/run/b/cat /sys/module/kprobe_target/parameters/poke' > said 2>&1 || true
	rmmod kprobe_target
	least hits "$(map hits)" 1
}

try bpftrace-list "bpftrace -l lists functions that can be probed"
case_bpftrace_list() {
	bpftrace -l 'kprobe:vfs_re*' > said
	grep -qx kprobe:vfs_read said
}

try bpftrace-refused "bpftrace kprobe on a function that hits run: refused"
case_bpftrace_refused() {
	refused bpftrace -e 'kprobe:notify_die { }' -c "$READS"
}

try bpftrace-killed "bpftrace killed: its probes are gone"
case_bpftrace_killed() {
	spawn other bpftrace -e 'kprobe:vfs_read, kretprobe:vfs_read { @hits = count(); }'
	soon soon grep -q ' r .*vfs_read\| k .*vfs_read' $P/list
	kill -9 $!
	wait $! || true
	soon no_probes
}

try bpftrace-override "bpftrace override: mkdir fails with what the program says, and works afterwards"
case_bpftrace_override() {
	bpftrace --unsafe -c "/run/b/mkdir $W/made" \
		-e 'kprobe:__x64_sys_mkdir /comm == "mkdir"/ { @n = count(); override(-12); }' > said 2>&1 || true
	want "overridden calls" "$(map n)" 1
	grep -q 'Cannot allocate memory\|Out of memory' said
	[ ! -d $W/made ]
	/run/b/mkdir $W/made
}

try bpftrace-override-refused "bpftrace override of a function that may not fail: refused"
case_bpftrace_override_refused() {
	refused bpftrace --unsafe -c "$READS" -e 'kprobe:vfs_read { override(-12); }'
}

try bpftrace-uprobe "bpftrace kprobe beside a uprobe"
case_bpftrace_uprobe() {
	bpftrace -c '/usr/bin/dd if=/dev/zero of=/dev/null bs=1 count=1000' \
		-e 'uprobe:/usr/lib/x86_64-linux-gnu/libc.so.6:read /comm == "dd"/ { @user = count(); }
		kprobe:vfs_read /comm == "dd" && arg2 == 1/ { @kernel = count(); }' > said 2>&1
	want "hits in the kernel" "$(map kernel)" 1000
	least "hits in user space" "$(map user)" 1000
}

try bpftrace-interval "bpftrace kprobe beside a timer that prints the map"
case_bpftrace_interval() {
	bpftrace -e "kprobe:vfs_read $ONES { @hits = count(); } interval:ms:200 { print(@hits); }" \
		-c "$(script "$READS; sleep 1; $READS; sleep 1")" > said 2>&1
	want hits "$(map hits | tail -n 1)" 2000
	grep -q '^@hits: 1000$' said
}

# tool NAME COMMAND...: run bpftrace's own script during the command.
tool() {
	local name=$1
	shift

	spawn said bpftrace "/usr/sbin/$name"
	attached . || soon soon grep -q 'Attaching' said
	# All attach at once or one by one; the last one follows soon.
	sleep 3
	"$@" || true
	sleep 2
	kill -INT $!
	wait $! || true
}

try bpftrace-vfsstat "vfsstat.bt counts reads"
case_bpftrace_vfsstat() {
	tool vfsstat.bt reads
	least "reads in a second" "$(sed -n 's/.*vfs_read[^0-9]*\]: *//p' said | sort -n | tail -n 1)" 1000
}

try bpftrace-capable "capable.bt shows who needs a capability"
case_bpftrace_capable() {
	tool capable.bt /run/b/chown 1 $W
	grep -q 'chown .*CAP_CHOWN' said
}

try bpftrace-tcpconnect "tcpconnect.bt shows a connection"
case_bpftrace_tcpconnect() {
	tool tcpconnect.bt /run/b/nc -w 1 127.0.0.1 9
	grep -q ' nc .* 9 *$' said
}

try bpftrace-dcsnoop "dcsnoop.bt shows a file that is not there"
case_bpftrace_dcsnoop() {
	tool dcsnoop.bt /run/b/cat /etc/no-such-file
	grep -q ' M no-such-file\|no-such-file' said
}
