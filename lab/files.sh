# shellcheck shell=bash disable=SC2034
# Which files are ours and which the hooks change. Sourced; needs $TOP.

# The directories of this repository that go into the kernel tree.
KERNEL_DIRS=(kernel include arch lib samples Documentation)

our_files() {
	local d

	(cd "$TOP" && for d in "${KERNEL_DIRS[@]}"; do
		[ ! -d "$d" ] || find "$d" -type f ! -name '*~' \
			! -name '*.orig' ! -name '*.rej' \
			'(' ! -name '.*' -o -name .kunitconfig ')'
	done) | sort
}

hooked_files() {
	sed -n 's#^+++ b/\([^[:space:]]*\).*#\1#p' "$TOP"/hooks/*.patch | sort -u
}

# The places, in a kernel tree, that are ours alone: what is there and not in
# our_files comes from stock or from an older state of ours.
our_places() {
	cat "$TOP/lab/replaced-set"
	printf '%s\n' kernel/kprobes 'include/linux/kprobes_*.h' \
		arch/powerpc/kernel/probes \
		lib/kprobes 'lib/test_kprobes*.[ch]' 'Documentation/trace/kprobes-*.rst'
}
