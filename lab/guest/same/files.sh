# SPDX-License-Identifier: GPL-2.0-only
# shellcheck shell=bash disable=SC2016,SC2086,SC2154
# Files of debugfs, tracefs and sysctl: modes, inputs, contents. Sourced by run.

for f in "$P" "$P"/* /proc/sys/debug/kprobes* $T/kprobe_events $T/kprobe_profile \
	$T/dynamic_events; do
	same "files/mode${f//\//-}" "$(stat -c '%a %U %F' "$f")"
done

# inputs FILE: write each input, and read the file back.
inputs() {
	local input

	for input in 0 1 y n Y N yes no on off true 2 -1 01 '1 ' ' 1' '0 1' 1x x '' $'1\n' $'0\n' \
		0x1 1000000000000; do
		echo 1 > "$1"
		same "files/input${1//\//-}/$(printf '%q' "$input")" \
			"$(result write "$input" "$1") $(cat "$1")"
	done
	echo 1 > "$1"
}
inputs $P/enabled
inputs "$O"

insmod /run/modules/kprobe_target.ko
events=(
	'p:a vfs_read' 'r:b vfs_read' 'p:c vfs_read+0' 'p vfs_write' 'r vfs_write' 'r5:d vfs_read'
	'r0:d0 vfs_read' 'r5000:e vfs_read' 'p:g/f vfs_read' 'p:kprobe_target_function kprobe_target_function'
	'p:h kprobe_target:kprobe_target_function' 'p:i nomodule:x' 'r:j kprobe_target:kprobe_target_function'
	'p:k kprobe_target_function+1' 'p:l vfs_read%return' 'p:m vfs_read+3' 'p:n vfs_read+0x10000000'
	'p:o vfs_read-1' 'p:p no_such_function' 'p:q notify_die' 'r:r vfs_read+4' 'r:s vfs_read+9' 'p:t 0' 'p:u 0x1234'
	'p:v linux_banner' 'p:w kprobe_target_forbidden' 'p:x vfs_read arg=$arg1' 'p:y vfs_read arg=%ax'
	'r:z vfs_read ret=$retval' 'p:aa vfs_read ret=$retval' 'p:ab vfs_read $stack $comm $arg*' 'p:ac' 'p'
	'x:ad vfs_read' 'p:a vfs_read' 'p:a vfs_write' '-:a' '-:a' '-:nothing' '-:g/f' 'p:ae schedule' 'p:af __schedule'
	'p:ag asm_exc_int3' 'p:ah do_syscall_64' 'r:ai do_syscall_64' 'p:aj preempt_schedule' 'p:ak _raw_spin_lock'
	'p:al do_idle' 'p:am default_idle' 'r:an schedule' 'p:ao kprobe_target_branch' 'p:ap kprobe_target_static'
	'p:aq init_module' 'p:ar kprobe_target:init_module' 'p:as start_kernel' 'p:at _stext'
	'p:av register_kprobe' 'p:aw unregister_kprobe' 'p:ax enable_kprobe' 'p:ay register_kretprobe' 'r:az register_kprobe'
	'p:ba kallsyms_lookup_name' 'p:bb text_poke' 'p:bc ftrace_caller' 'p:bd memcpy' 'p:be strlen'
)
for e in "${events[@]}"; do
	same "files/event/$e" "$(result append "$e" $T/kprobe_events)"
	# Include the mark below the definition.
	tail -n 3 $T/error_log | sed -E 's/^\[[^]]*\] //' | same_lines "files/event/$e/said"
	echo > $T/error_log
done
no_addresses < $T/kprobe_events | same_counts files/kprobe_events
no_addresses < $T/dynamic_events | same_counts files/dynamic_events
listed files/list-events
for e in "$K"/*/; do
	e=$(basename "$e")
	sed -E '/^ID:/d' "$K/$e/format" | same_lines "files/format/$e"
done
echo 1 > "$K/enable"
listed files/list-enabled
sed 's/ .*//' $T/enabled_functions | same_counts files/enabled_functions
reads 10
echo 0 > "$K/enable"
listed files/list-disabled
sed 's/ .*//' $T/enabled_functions | same_counts files/enabled_functions-disabled
# Only events of dd's reads: others are hit at random.
awk '$1 ~ /^(b|c|d|l|x|y|z|ab)$/ { print $1, ($2 > 0 ? "hits" : "none"), $3 }' $T/kprobe_profile | same_counts files/kprobe_profile
echo 0 > $P/enabled
listed files/list-global-off
echo 1 > "$K/enable"
listed files/list-global-off-enabled
sed 's/ .*//' $T/enabled_functions | same_counts files/enabled_functions-global-off
echo 1 > $P/enabled
listed files/list-global-on
echo 0 > "$O"
listed files/list-no-jumps
echo 1 > "$O"
listed files/list-jumps
rmmod kprobe_target
listed files/list-gone
echo 0 > "$K/enable"
insmod /run/modules/kprobe_target.ko
listed files/list-back
echo > $T/kprobe_events
listed files/list-end
no_addresses < $T/kprobe_events | same_counts files/kprobe_events-end

grep -c . $P/blacklist > /dev/null
for f in notify_die asm_exc_int3 do_int3 exc_int3 entry_SYSCALL_64 memcpy panic printk vfs_read \
	register_kprobe kprobe_target_forbidden poke_int3_handler __fentry__ preempt_count_add; do
	same "files/blacklist/$f" "$(awk -v f="$f" '$2 == f { n++ } END { print (n > 0) }' $P/blacklist)"
done

# Check which functions of the API, its callers and handlers can be traced.
for f in register_kprobe register_kprobes unregister_kprobe unregister_kprobes enable_kprobe disable_kprobe \
	register_kretprobe register_kretprobes unregister_kretprobe unregister_kretprobes kprobe_lookup_name \
	preempt_count_add preempt_count_sub perf_trace_buf_alloc trace_call_bpf bpf_send_signal \
	kprobe_dispatcher kretprobe_dispatcher text_poke_bp text_poke text_poke_finish arch_jump_label_transform \
	ftrace_set_filter_ip kallsyms_lookup notify_die; do
	same "files/available_filter_functions/$f" "$(grep -cx "$f" $T/available_filter_functions)"
done
grep -vE 'kprobe|kretprobe' $T/available_filter_functions | sed 's/ .*//' | sort -u |
	while read -r f; do same "files/filter/$f" there; done
# The filter is not compared for a function that only one kernel has.
sed -n 's/^[^ ]* [tTwW] \([^\t]*\).*/SYMBOL \1/p' /proc/kallsyms | sort -u
