# SPDX-License-Identifier: GPL-2.0-only
# shellcheck shell=bash disable=SC2016,SC2086,SC2154,SC2317
# Try the commands of kprobes-help.rst for perf and bpftrace. Sourced by run.

# load: produce hits until it is killed.
load() {
	while :; do
		reads 100
		/run/b/cat /etc/debian_version > /dev/null
		sleep 0.1
	done
}

# commands TOOL: write the page's commands to a file, with a valid offset.
commands() {
	grep "^$1 " /run/clients/help | sed "s/vfs_read+9/vfs_read+$(within)/" > commands
}

try help-perf "kprobes-help.rst: each command of perf"
case_help_perf() {
	local pid

	load &
	pid=$!
	commands perf
	least commands "$(wc -l < commands)" 5
	while read -r command; do
		echo "== $command"
		sh -c "$command" > said 2>&1 || fail "$command: $(tail -n 1 said)"
		cat said
		case $command in
		*'perf stat'*) grep -qE '^ +[1-9][0-9,]* +(probe:|kprobe)' said || fail "$command counts nothing" ;;
		*'perf script'* | *'perf trace'*) grep -q probe: said || fail "$command shows nothing" ;;
		esac
	done < commands
	kill $pid
}

try help-bpftrace "kprobes-help.rst: each command of bpftrace"
case_help_bpftrace() {
	local pid

	load &
	pid=$!
	commands bpftrace
	least commands "$(wc -l < commands)" 5
	while read -r command; do
		echo "== $command"
		spawn said sh -c "exec $command"
		soon soon grep -q Attaching said || fail "$command: $(tail -n 1 said)"
		sleep 5
		kill -INT $!
		wait $! || fail "$command: $(tail -n 1 said)"
		tail -n 5 said
		# Use no pipe: its reader would end before the writer.
		grep -vE '^(Attaching|$)' said > shown || true
		grep -q '[1-9]' shown || fail "$command shows nothing"
	done < commands
	kill $pid
}
