# SPDX-License-Identifier: GPL-2.0-only
# shellcheck shell=bash disable=SC2034,SC2153
# Lists of our files and of hooked files. Sourced; needs $TOP and $BASE, the
# version of Linux.

# Versions of Linux that our files and hooks fit.
BASES='6.12 6.18 7.3'

# Directories of this repository that are copied into the kernel tree.
KERNEL_DIRS=(kernel include arch lib samples scripts tools Documentation)

our_files() {
	local d

	(cd "$TOP" && for d in "${KERNEL_DIRS[@]}"; do
		[ ! -d "$d" ] || find "$d" -type f ! -name '*~' \
			! -name '*.orig' ! -name '*.rej' \
			'(' ! -name '.*' -o -name .kunitconfig ')'
	done) | sort
}

# hook_names: list the hooks of this base in order.
hook_names() {
	(cd "$TOP/hooks" && printf '%s\n' ./*.patch "$BASE"/*.patch) |
		sed -n 's#^.*/\([^*]*\)\.patch$#\1#p' | sort -u
}

# hook NAME: print a hook for this base. Each section of hooks/BASE/NAME.patch
# replaces the section of the same file in hooks/NAME.patch, or drops it if it is
# no more than its first line. A section with the line "as OTHER" in place of a
# diff is that of hooks/OTHER/NAME.patch.
hook() {
	local own=$TOP/hooks/$BASE/$1.patch all=$TOP/hooks/$1.patch

	[ -f "$own" ] || own=/dev/null
	[ -f "$all" ] || all=/dev/null
	awk -v own="$own" -v hooks="$TOP/hooks" -v name="$1.patch" '
	# Append the section of another base, which has no such lines itself.
	function add_section_of(base, line, here) {
		while ((getline line < (hooks "/" base "/" name)) > 0) {
			if (line ~ /^diff --git /)
				here = line == head
			else if (here)
				add(line)
		}
		close(hooks "/" base "/" name)
	}
	function add(line) {
		section[head] = section[head] line "\n"
		lines[head]++
	}
	function print_own(head) {
		if (lines[head] > 1)
			printf "%s", section[head]
		delete section[head]
	}
	BEGIN {
		while ((getline i < own) > 0) {
			if (i ~ /^as [0-9]/) {
				add_section_of(substr(i, 4))
				continue
			}
			if (i ~ /^diff --git /) {
				head = i
				order[++n] = i
			}
			add(i)
		}
	}
	/^diff --git / {
		skips = $0 in section
		if (skips)
			print_own($0)
	}
	!skips
	END {
		for (i = 1; i <= n; i++)
			if (order[i] in section)
				print_own(order[i])
	}' "$all"
}

# hooks DIR: write all hooks of this base to DIR.
hooks() {
	local name

	mkdir -p "$1"
	for name in $(hook_names); do
		hook "$name" > "$1/$name.patch"
	done
}

# hooked_files [stock]: list the files that the hooks change or create; with
# stock, leave out created files.
hooked_files() {
	local name side=${1:+'--- a'}

	for name in $(hook_names); do
		hook "$name"
	done | sed -n "s#^${side:-+++ b}/\([^[:space:]]*\).*#\1#p" | sort -u
}

# replaced_set: list the stock files of this base that ours replace.
replaced_set() {
	sed -n "s/ $BASE\$//; / /!p" "$TOP/lab/replaced-set"
}

# Places in a kernel tree that belong to us alone: files there that our_files
# does not list are stock's or obsolete ones of ours.
our_places() {
	replaced_set
	printf '%s\n' kernel/kprobes 'include/linux/kprobes_*.h' \
		include/linux/trace_irqs.h \
		arch/powerpc/kernel/probes 'arch/*/kernel/kprobes-quirks*' \
		lib/kprobes 'lib/test_kprobes*.[ch]' 'Documentation/trace/kprobes-*.rst' \
		'tools/testing/selftests/ftrace/test.d/kprobe/probe_*'
}

# series_kinds: print lab/series.kinds for this base.
series_kinds() {
	sed -E "/^#/d; s/^([A-Z_]+)@(\S+,)?$BASE(,\S+)? /\1 /; /^[A-Z_]+@/d" \
		"$TOP/lab/series.kinds"
}
