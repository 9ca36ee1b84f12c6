# SPDX-License-Identifier: GPL-2.0-only
# shellcheck shell=bash disable=SC2016,SC2086,SC2154,SC2317
# perf: probes by name, and by the PMU of kprobes. Sourced by run.

# counted EVENT...: print perf stat's count of each while dd reads.
counted() {
	local events=()

	for e; do events+=(-e "$e"); done
	perf stat -x, -o stat "${events[@]}" -- $READS 2> said
	sed -n 's/^\([0-9]*\),.*/\1/p' stat
}


try perf-function "perf probe on a function, perf stat: 1,000 reads"
case_perf_function() {
	perf probe -q vfs_read
	want hits "$(counted probe:vfs_read)" 1000
	perf probe -q -d probe:vfs_read
}

try perf-offset "perf probe within a function, perf stat: 1,000 reads"
case_perf_offset() {
	perf probe -q "within=vfs_read+$(within)"
	want hits "$(counted probe:within)" 1000
	perf probe -q -d probe:within
}

try perf-arguments "perf probe with a register, perf record and script: 1,000 counts of 1"
case_perf_arguments() {
	perf probe -q 'sized=vfs_read count=%dx'
	perf record -q -o data -e probe:sized -- $READS 2> said
	want "records with count=0*x*1" "$(perf script -i data | grep -c 'probe:sized: .*count=0*x*1$')" 1000
	perf probe -q -d probe:sized
}

try perf-string "perf probe with a string: the file that is opened"
case_perf_string() {
	perf probe -q 'opened=do_sys_openat2 name=+0(%si):ustring'
	perf record -q -o data -e probe:opened -- /run/b/cat /etc/debian_version > /dev/null
	want records "$(perf script -i data | grep -c 'name="/etc/debian_version"')" 1
	perf probe -q -d probe:opened
}

try perf-return "perf probe on returns, perf record and script: 1,000 results of 1"
case_perf_return() {
	perf probe -q 'result=vfs_read%return ret=$retval'
	perf record -q -o data -e 'probe:result*' -- $READS 2> said
	want "records with ret=0*x*1" "$(perf script -i data | grep -c 'ret=0*x*1$')" 1000
	perf probe -q -d 'probe:result*'
}

try perf-filter "perf record with a filter: 1,000 of 1,010 reads"
case_perf_filter() {
	perf probe -q 'sized=vfs_read count=%dx'
	perf record -q -o data -e probe:sized --filter 'count == 1' -- \
		sh -c "$READS; $DD if=/dev/zero of=/dev/null bs=2 count=10" 2> said
	want records "$(perf script -i data --comm dd | grep -c 'probe:sized: ')" 1000
	perf probe -q -d probe:sized
}

try perf-callchain "perf record -g: each of 1,000 hits has its callers"
case_perf_callchain() {
	perf probe -q vfs_read
	perf record -q -g -o data -e probe:vfs_read -- $READS 2> said
	perf script -i data > lines
	want hits "$(grep -c 'probe:vfs_read: ' lines)" 1000
	want "hits with their caller" "$(grep -c ' ksys_read+' lines)" 1000
	perf probe -q -d probe:vfs_read
}

try perf-together "perf stat: function, offset and return together, 1,000 of each"
case_perf_together() {
	perf probe -q vfs_read
	perf probe -q "within=vfs_read+$(within)"
	perf probe -q 'result=vfs_read%return'
	want hits "$(counted probe:vfs_read probe:within 'probe:result__return' | tr '\n' ' ')" "1000 1000 1000 "
	perf probe -q -d 'probe:*'
}

try perf-two-cpus "perf record -a: 1,000 reads on each of two CPUs at once"
case_perf_two_cpus() {
	perf probe -q 'sized=vfs_read count=%dx'
	perf record -q -a -m 1024 -o data -e probe:sized --filter 'count == 1' -- \
		sh -c "taskset 1 $READS & taskset 2 $READS; wait" 2> said
	want "hits on CPU 0" "$(perf script -i data --comm dd | grep -c '\[000\].* probe:sized: ')" 1000
	want "hits on CPU 1" "$(perf script -i data --comm dd | grep -c '\[001\].* probe:sized: ')" 1000
	perf probe -q -d probe:sized
}

try perf-list "perf probe -l and perf list show the probe with its place"
case_perf_list() {
	perf probe -q "sized=vfs_read+$(within) count=%dx"
	perf probe -l > list 2>&1
	grep -q "probe:sized .*on vfs_read+$(within).*with count" list
	perf list probe:sized > listed 2> /dev/null
	grep -q 'probe:sized' listed
	perf probe -q -d probe:sized
	want "probes that are listed" "$(perf probe -l 2> /dev/null | wc -l)" 0
}

try perf-wildcard "perf probe on vfs_*: many probes by one command, and gone by one"
case_perf_wildcard() {
	perf probe -q 'vfs_*' > said 2>&1 || fail "$(tail -n 2 said; tail -n 4 $T/error_log)"
	least probes "$(wc -l < $T/kprobe_events)" 30
	perf stat -x, -o stat -e 'probe:vfs_*' -- $READS 2> said
	want "reads" "$(sed -n 's/^\([0-9]*\),.*probe:vfs_read,.*/\1/p' stat)" 1000
	perf probe -q -d 'probe:vfs_*'
}

try perf-definition "perf probe -D: says what it would write, makes nothing"
case_perf_definition() {
	perf probe -D 'sized=vfs_read count=%dx' > said
	grep -q '^p:probe/sized .*+[0-9]* count=%dx' said
	want "events made" "$(wc -l < $T/kprobe_events)" 0
}

try perf-definition-taken "perf probe -D: what it says is what tracefs takes"
case_perf_definition_taken() {
	perf probe -D 'sized=vfs_read count=%dx' > said
	cat said >> $T/kprobe_events
	want hits "$(counted probe:sized)" 1000
	perf probe -q -d probe:sized
}

try perf-functions "perf probe -F lists functions"
case_perf_functions() {
	perf probe -F 'vfs_re*' > list 2>&1
	grep -qx vfs_read list
}

try perf-refused "perf probe on a function that hits run: refused, nothing is made"
case_perf_refused() {
	refused perf probe notify_die
	want "events made" "$(wc -l < $T/kprobe_events)" 0
}

try perf-busy "perf probe -d of an event in use: refused, and it continues to count"
case_perf_busy() {
	perf probe -q vfs_read
	perf stat -x, -o stat -e probe:vfs_read -- sh -c \
		"$READS; perf probe -d probe:vfs_read > deleted 2>&1; $READS" 2> said || true
	want events "$(wc -l < $T/kprobe_events)" 1
	least hits "$(sed -n 's/^\([0-9]*\),.*/\1/p' stat)" 2000
	perf probe -q -d probe:vfs_read
}

try perf-trace "perf trace -e with a probe: 1,000 lines"
case_perf_trace() {
	perf probe -q vfs_read
	perf trace -m 1024 -o lines --no-syscalls -e probe:vfs_read -- $READS 2> said
	want lines "$(grep -c 'probe:vfs_read' lines)" 1000
	perf probe -q -d probe:vfs_read
}

try perf-pmu "perf stat of the kprobe PMU, by address: 1,000 reads"
case_perf_pmu() {
	want hits "$(counted "kprobe/config1=0,config2=$(address vfs_read)/")" 1000
}

try perf-pmu-return "perf stat of the kprobe PMU, returns: 1,000 reads"
case_perf_pmu_return() {
	want hits "$(counted "kprobe/retprobe,config1=0,config2=$(address vfs_read)/")" 1000
}

try perf-pmu-record "perf record of the kprobe PMU: 1,000 samples"
case_perf_pmu_record() {
	perf record -q -c 1 -m 1024 -o data -e "kprobe/config1=0,config2=$(address vfs_read)/" -- $READS 2> said
	want samples "$(perf script -i data 2> /dev/null | wc -l)" 1000
}

try perf-pmu-list "the probe PMU is in list while it counts, by its kind and symbol"
case_perf_pmu_list() {
	perf stat -x, -o stat -e "kprobe/config1=0,config2=$(address vfs_read)/" -- \
		sh -c "$READS; cat $P/list" > list 2> said
	grep -q '^[0-9a-f]*  k  vfs_read+0x[04]  ' list
}

try perf-ftrace "perf ftrace of a function with a perf probe: both see 1,000 reads"
case_perf_ftrace() {
	perf probe -q vfs_read
	perf stat -x, -o stat -e probe:vfs_read -- \
		perf ftrace trace -T vfs_read -m 8M -- $READS > lines 2> /dev/null
	least "lines of ftrace" "$(grep -c ' dd-.*: vfs_read <-\|vfs_read <-ksys_read' lines)" 1000
	least hits "$(sed -n 's/^\([0-9]*\),.*/\1/p' stat)" 1000
	perf probe -q -d probe:vfs_read
}

try perf-report "perf report of 1,000 hits names the program"
case_perf_report() {
	perf probe -q vfs_read
	perf record -q -o data -e probe:vfs_read -- $READS 2> said
	perf report -i data --stdio --sort comm -n 2> /dev/null > lines
	grep -qE '100\.00% +1000 +dd' lines
	perf probe -q -d probe:vfs_read
}

try perf-killed "perf record killed: its probes can be deleted at once"
case_perf_killed() {
	perf probe -q vfs_read
	perf record -q -a -o data -e probe:vfs_read -- sleep 600 &
	soon grep -q vfs_read $P/list
	kill -9 $!
	wait $! || true
	soon perf probe -q -d probe:vfs_read
}

try perf-module "perf probe -m on a function of a module: hit when it is called"
case_perf_module() {
	insmod /run/modules/kprobe_target.ko
	perf probe -q -m kprobe_target kprobe_target_function
	perf stat -x, -o stat -e 'probe:kprobe_target*' -- /run/b/cat /sys/module/kprobe_target/parameters/poke > /dev/null 2>&1
	perf probe -q -d 'probe:*'
	rmmod kprobe_target
	least hits "$(sed -n 's/^\([0-9]*\),.*/\1/p' stat)" 1
}

try perf-pmu-many "three events of the kprobe PMU on one function: 1,000 of each"
case_perf_pmu_many() {
	local at

	at=$(address vfs_read)
	want hits "$(counted "kprobe/config1=0,config2=$at/" "kprobe/config1=0,config2=$at/" \
		"kprobe/retprobe,config1=0,config2=$at/" | tr '\n' ' ')" "1000 1000 1000 "
}
