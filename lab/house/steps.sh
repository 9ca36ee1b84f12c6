# shellcheck shell=bash disable=SC2034,SC2164
# The checks of how the engine's files are cut. Sourced by check and check-house.

# look WHAT ARGUMENT...: at all of our files, by lab/house/look.
look() {
	cd "$TOP"
	our_files | "$LAB/house/look" "$@"
}

# The lab's modules and programs are no exception.
functions() {
	cd "$TOP"
	{ our_files; printf '%s\n' lab/modules/*.[ch] lab/guest/*.c; } |
		"$LAB/house/look" functions
}

# Objects with as much in them as there can be.
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

# house: all of them; the lock is held, and the tree is in order.
house() {
	local SHOWN=100

	step lines look lines
	step functions functions
	step options look options "$TREE"
	step backends look backends
	step rooms look rooms
	step calls calls
}
