# shellcheck shell=bash disable=SC2086,SC2154,SC2317
# Tools that load modules of their own, which are compiled before: SystemTap and
# LTTng. Sourced by run; without these modules there are no cases.
[ -d /opt/stap ] || return 0

# stap_reads MODULE: what it says of reads. With a command of its own it would want more of
# uprobes than this 6.12 has.
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

# lttng_session NAME: with one channel that is large enough to lose nothing.
lttng_session() {
	pgrep lttng-sessiond > /dev/null || lttng-sessiond --daemonize
	lttng create $1 --output=$W/trace
	lttng enable-channel --kernel --subbuf-size=1M --num-subbuf=8 all
}
lttng_is_gone() { ! pgrep lttng-sessiond > /dev/null; }
# lttng_ended: what was recorded is in lines.
lttng_ended() {
	lttng stop
	lttng destroy
	babeltrace2 $W/trace > lines
	pkill lttng-sessiond
	soon lttng_is_gone
}

try lttng-kprobe "LTTng: 1,000 reads by a kprobe"
case_lttng_kprobe() {
	lttng_session reads
	lttng enable-event --kernel --channel=all reads --probe=vfs_read
	lttng add-context --kernel --channel=all --type=procname
	lttng start
	reads
	lttng_ended
	want hits "$(grep -c ' reads: .*procname = "dd"' lines)" 1000
}

try lttng-function "LTTng: begin and end of 1,000 reads by a return probe"
case_lttng_function() {
	lttng_session results
	lttng enable-event --kernel --channel=all results --function=vfs_read
	lttng add-context --kernel --channel=all --type=procname
	lttng start
	reads
	lttng_ended
	want begins "$(grep -c ' results_entry: .*procname = "dd"' lines)" 1000
	want ends "$(grep -c ' results_exit: .*procname = "dd"\| results_return: .*procname = "dd"' lines)" 1000
}
