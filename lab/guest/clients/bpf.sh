# SPDX-License-Identifier: GPL-2.0-only
# shellcheck shell=bash disable=SC2154,SC2317
# The kernel's own selftests of BPF for kprobes, a case each. Sourced by run.

# bpf_selftest NAME: require that it passes, except parts that it skips itself.
bpf_selftest() {
	local said=$W/said

	cd /opt/bpf || exit
	./test_progs -a "$1" > "$said" 2>&1 || {
		tail -n 40 "$said"
		fail "$(sed -nE 's/^#[0-9/]+ +([^:]*):FAIL.*/\1/p' "$said" | sort -u | tr '\n' ' '): $(grep -m 1 ':FAIL:' "$said" | tr '|' ' ')"
	}
	cat "$said"
	# test_progs does not fail on an unknown name.
	want tests "$(sed -n 's#^Summary: \([0-9]*\)/.*#\1#p' "$said")" 1
	# A test without work passes, too, unless all of its parts are skipped.
	refused grep -qE "^#[0-9]+ +$1:SKIP" "$said"
	figures "$1: $(sed -n 's#^Summary: 1/\([0-9]*\) PASSED, \([0-9]*\) SKIPPED.*#\1 in it passed, \2 skipped#p' "$said") $(sed -nE 's/^#[0-9/]+ +(.*):SKIP$/\1/p' "$said" | tr '\n' ' ')"
}

if [ -d /opt/bpf ]; then
	while read -r test; do
		name=bpf-selftest-${test//_/-}
		try "$name" "the kernel's selftest of BPF: $test"
		eval "case_${name//-/_}() { bpf_selftest $test; }"
	done < /opt/bpf/tests
fi
