# SPDX-License-Identifier: GPL-2.0-only
# shellcheck shell=bash disable=SC2086,SC2154,SC2317
# Tools that load precompiled modules of their own: SystemTap and LTTng. Sourced
# by run; without these modules there are no cases.
[ -d /opt/stap ] || return 0

# stap_reads MODULE: save its report of reads. With a command to run, it would
# need features of uprobes that this 6.12 lacks.
stap_reads() {
	spawn said staprun "/opt/stap/lab_$1.ko"
	attached vfs_read
	sleep 1
	reads
	kill -INT $!
	wait $! || true
	cat said
}

try systemtap-counts "SystemTap's module: 1,000 reads by a kprobe, and 1,000 results by a return probe"
case_systemtap_counts() {
	stap_reads counts
	want counts "$(grep '^reads ' said)" "reads 1000 results 1000"
}

try systemtap-times "SystemTap's module: 1,000 durations"
case_systemtap_times() {
	stap_reads times
	grep -q '^calls 1000, of at least [1-9]' said || fail "$(tail -n 2 said)"
}

# lttng_reads HOW: list LTTng's records of 1,000 reads by an event with option
# HOW; its only channel is large enough to lose nothing.
lttng_reads() {
	lttng-sessiond --daemonize
	lttng create session --output=$W/trace
	lttng enable-channel --kernel --subbuf-size=1M --num-subbuf=8 all
	lttng enable-event --kernel --channel=all reads $1
	lttng add-context --kernel --channel=all --type=procname
	lttng start
	reads
	lttng stop
	lttng destroy
	babeltrace2 $W/trace > lines
	pkill lttng-sessiond
	soon lttng_is_gone
}
lttng_is_gone() { ! pgrep lttng-sessiond > /dev/null; }
# recorded_by_dd NAME
recorded_by_dd() { grep -c " $1: .*procname = \"dd\"" lines; }

try lttng-kprobe "LTTng: 1,000 reads by a kprobe"
case_lttng_kprobe() {
	lttng_reads --probe=vfs_read
	want hits "$(recorded_by_dd reads)" 1000
}

try lttng-function "LTTng: begin and end of 1,000 reads by a return probe"
case_lttng_function() {
	lttng_reads --function=vfs_read
	want begins "$(recorded_by_dd reads_entry)" 1000
	want ends "$(recorded_by_dd 'reads_\(exit\|return\)')" 1000
}
