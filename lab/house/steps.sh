# SPDX-License-Identifier: GPL-2.0-only
# shellcheck shell=bash disable=SC2034,SC2164
# Checks of the engine's structure. Sourced by check and check-house.

# look WHAT ARGUMENT...: run lab/house/look on all of our files.
look() {
	cd "$TOP"
	our_files | "$LAB/house/look" "$@"
}

# Include the lab's modules and programs.
functions() {
	cd "$TOP"
	{ our_files; printf '%s\n' lab/modules/*.[ch] lab/guest/*.c; } |
		"$LAB/house/look" functions
}

# words: fail on new occurrences of words that lab/house/idiom lists.
words() {
	cd "$TOP"
	# Results are reports, and same-expected is output of the kernel.
	{ our_files; printf '%s\n' Makefile README.md CONTRIBUTING.md; find hooks lab -type f \
		! -path 'lab/results/*' ! -path 'lab/house/idiom*' \
		! -name same-expected ! -path '*/__pycache__/*'; } |
		sort | "$LAB/house/words"
}

# licences: list files without an SPDX identifier. COPYING has the rule for
# files that need none: lists, reports, recorded output, and patches.
licences() {
	cd "$TOP"
	! { our_files; printf '%s\n' Makefile README.md CONTRIBUTING.md .ci/run; find lab -type f \
		! -path 'lab/results/*' ! -path 'lab/series.d/*' ! -name '*.patch' ! -path '*/__pycache__/*' \
		! -path lab/replaced-set ! -path lab/same-expected; } |
		grep -vxE 'lab/house/(backends|functions|idiom|idiom-left|jobs|limits|order|pointers)|lab/mutants.d/(survivors|unreached)' |
		while read -r f; do head -n 5 "$f" | grep -q SPDX-License-Identifier || echo "$f"; done |
		grep .
}

# Use the configuration with the most calls between objects.
calls() {
	local VARIANT=ftrace dir=$OUT/build-$ARCH-combination f

	f=$(fragments)
	# shellcheck disable=SC2086
	configure "$TREE" "$dir" $f
	rm -f "$dir"/kernel/kprobes/*.o
	kmake "$TREE" "$dir" kernel/kprobes.o kernel/kprobes/ > "$dir/log" 2>&1 ||
		{ cat "$dir/log"; return 1; }
	cd "$TOP"
	"$LAB/house/look" calls "$dir"
}

# house: run all of them; the caller holds the lock and has synced the tree.
house() {
	local SHOWN=100

	step lines look lines
	step functions functions
	step options look options "$TREE"
	step backends look backends
	step headers look headers
	step quirks look quirks
	step rooms look rooms
	step words words
	step licences licences
	step calls calls
}
