# SPDX-License-Identifier: GPL-2.0-only
# shellcheck shell=bash disable=SC2016,SC2086,SC2154,SC2317
# Tools of bcc, which compile in the guest with its kernel's headers, and of
# libbpf-tools, which are precompiled. Sourced by run.

# beside COMMAND...: run a tool in the background, output in "said". Once it has
# probes, let dd read $bytes, open a file, and interrupt the tool.
beside() {
	spawn said "$@"
	for _ in $(seq 1000); do
		[ -d /proc/$! ] || fail "$1 has ended: $(tail -n 2 said)"
		[ -z "$(cat $P/list $T/enabled_functions)" ] || break
		sleep 0.5
	done
	# The tool may have more to attach, which each reports in its own way.
	sleep 10
	reads "${bytes:-1000}"
	/run/b/cat /etc/debian_version > /dev/null
	sleep 3
	kill -INT $!
	wait $! || true
}
# sum: add up a histogram's numbers, each followed by a bar.
sum() { awk '/->/ { n += $5 } END { print n + 0 }' said; }

try libbpf-funclatency-kprobe "libbpf-tools funclatency -k: 1,000 or more calls in the histogram"
case_libbpf_funclatency_kprobe() {
	beside funclatency-libbpf -k vfs_read
	least calls "$(sum)" 1000
}

try libbpf-funclatency-fentry "libbpf-tools funclatency by fentry, with a kprobe there: both count"
case_libbpf_funclatency_fentry() {
	echo 'p:reads vfs_read' > $T/kprobe_events
	echo 'comm == "dd"' > $T/events/kprobes/reads/filter
	echo 1 > $T/events/kprobes/reads/enable
	beside funclatency-libbpf vfs_read
	least calls "$(sum)" 1000
	echo 0 > $T/tracing_on
	want "hits of the kprobe" "$(grep -c ' reads: ' $T/trace)" 1000
	echo 1 > $T/tracing_on
	echo 0 > $T/events/kprobes/reads/enable
	echo > $T/kprobe_events
}

try libbpf-ksnoop "libbpf-tools ksnoop: arguments and results of vfs_read"
case_libbpf_ksnoop() {
	# The output per call is large and the buffer small.
	bytes=5 beside ksnoop-libbpf trace 'vfs_read(count, return)'
	cat said
	least lines "$(grep -c 'vfs_read' said)" 10
}

try libbpf-capable "libbpf-tools capable: a program that needs a capability"
case_libbpf_capable() {
	spawn said capable-libbpf
	attached cap_capable
	sleep 2
	/run/b/chown 1 $W
	sleep 2
	kill -INT $!
	wait $! || true
	grep -q 'chown.*CAP_CHOWN' said
}

try libbpf-filetop "libbpf-tools filetop: the reads of dd"
case_libbpf_filetop() {
	beside filetop-libbpf -C -a 5
	grep -qE 'dd +1000 ' said
}

try libbpf-tcpconnect "libbpf-tools tcpconnect: a connection"
case_libbpf_tcpconnect() {
	spawn said tcpconnect-libbpf
	tool=$!
	attached tcp_v4_connect
	sleep 2
	/run/b/nc -w 1 127.0.0.1 9 || true
	/run/b/nc -l -p 9 < /dev/null > /dev/null &
	sleep 1
	echo | /run/b/nc -w 1 127.0.0.1 9 || true
	sleep 2
	kill -INT $tool
	wait $tool || true
	grep -q 'nc .*127.0.0.1' said
}

try libbpf-filelife "libbpf-tools filelife: a file that was made and deleted"
case_libbpf_filelife() {
	spawn said filelife-libbpf
	attached vfs_unlink
	sleep 2
	echo > $W/short-lived
	rm $W/short-lived
	sleep 2
	kill -INT $!
	wait $! || true
	grep -q 'short-lived' said
}

try bcc-funccount "bcc funccount of vfs_read"
case_bcc_funccount() {
	beside funccount-bpfcc vfs_read
	least calls "$(sed -n 's/.*vfs_read[^0-9]* \([0-9]*\)$/\1/p' said | tail -n 1)" 1000
}

try bcc-funclatency "bcc funclatency of vfs_read"
case_bcc_funclatency() {
	beside funclatency-bpfcc vfs_read
	least calls "$(awk '/->/ { n += $5 } END { print n + 0 }' said)" 1000
}

try bcc-trace "bcc trace: 1,000 lines with an argument"
case_bcc_trace() {
	beside trace-bpfcc -b 512 'vfs_read(struct file *file, char *buf, size_t count) (count == 1) "count %d", count'
	want lines "$(grep -c ' dd .*vfs_read .*count 1$' said)" 1000
}

try bcc-trace-return "bcc trace of returns: 1,000 lines with the result"
case_bcc_trace_return() {
	beside trace-bpfcc -b 512 'r::vfs_read (retval == 1) "result %d", retval'
	want lines "$(grep -c ' dd .*vfs_read .*result 1$' said)" 1000
}

try bcc-argdist "bcc argdist: 1,000 reads of one byte"
case_bcc_argdist() {
	beside argdist-bpfcc -i 2 -C 'p::vfs_read(struct file *file, char *buf, size_t count):size_t:count:count==1'
	want hits "$(awk '$2 == "count" && $4 == 1 { n += $1 } END { print n + 0 }' said)" 1000
}

try bcc-stackcount "bcc stackcount: callers of vfs_read"
case_bcc_stackcount() {
	beside stackcount-bpfcc vfs_read
	grep -q 'ksys_read' said
	least hits "$(awk 'NF == 1 && $1 ~ /^[0-9]+$/ { n += $1 } END { print n + 0 }' said)" 1000
}

try bcc-opensnoop "bcc opensnoop: the file that is opened"
case_bcc_opensnoop() {
	beside opensnoop-bpfcc
	grep -q 'cat .*/etc/debian_version' said
}

try bcc-execsnoop "bcc execsnoop: the program that is executed"
case_bcc_execsnoop() {
	beside execsnoop-bpfcc
	grep -q 'cat .*/run/b/cat /etc/debian_version' said
}

try bcc-vfsstat "bcc vfsstat: reads in a second"
case_bcc_vfsstat() {
	beside vfsstat-bpfcc 2
	grep -q READ said
}
