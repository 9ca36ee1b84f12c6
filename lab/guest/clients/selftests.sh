# SPDX-License-Identifier: GPL-2.0-only
# shellcheck shell=bash disable=SC2086,SC2154,SC2317
# The kernel's own selftests of ftrace for probes, a case each. Sourced by run.

# selftest FILE: require that it passes when run alone.
selftest() {
	cp -r /opt/ftrace .
	(cd ftrace && ./ftracetest -l "$W/logs" "test.d/$1") > said 2>&1 || true
	cat said
	[ "$(sed -n 's/^# of passed: *//p' said)" = 1 ] || {
		# Show the log of the test itself, not that of all tests.
		{ cat logs/*-log.* logs/*/*-log.* 2> /dev/null || true; } | tail -n 20
		fail "$(grep '^\[1\]' said)"
	}
}

# Not probe_storm: with -icount, QEMU 7.2 does not run a CPU while an earlier one
# is busy.
if [ -d /opt/ftrace ]; then
	for file in $(cd /opt/ftrace/test.d &&
		      grep -lrE 'kprobe|fprobe' --include=*.tc --exclude=probe_storm.tc . | sort); do
		file=${file#./}
		name=selftest-$(echo "${file%.tc}" | tr '/_.' '---')
		try "$name" "the kernel's selftest: $(sed -n 's/^# description: //p' /opt/ftrace/test.d/$file)"
		eval "case_${name//-/_}() { selftest $file; }"
	done
fi
