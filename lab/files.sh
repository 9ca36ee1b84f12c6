# SPDX-License-Identifier: GPL-2.0-only
# shellcheck shell=bash disable=SC2034
# Lists of our files and of hooked files. Sourced; needs $TOP.

# Directories of this repository that are copied into the kernel tree.
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

# Places in a kernel tree that belong to us alone: files there that our_files
# does not list are stock's or obsolete ones of ours.
our_places() {
	cat "$TOP/lab/replaced-set"
	printf '%s\n' kernel/kprobes 'include/linux/kprobes_*.h' \
		arch/powerpc/kernel/probes 'arch/*/kernel/kprobes-quirks*' \
		lib/kprobes 'lib/test_kprobes*.[ch]' 'Documentation/trace/kprobes-*.rst'
}
