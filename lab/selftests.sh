# SPDX-License-Identifier: GPL-2.0-only
# shellcheck shell=bash disable=SC2154
# The kernel's selftests of BPF for kprobes, compiled in the Debian 13 with
# compilers of lab/clients. Sourced by it, after debian.sh.

# Files of prog_tests that are cases: each uses kprobes or fprobes.
BPF_TESTS="attach_probe bpf_cookie custom_sec_handlers fill_link_info
	get_func_ip_test helper_restricted kprobe_multi_test
	kprobe_multi_testmod_test map_in_map map_kptr missed module_attach
	perf_buffer probe_user stacktrace_build_id test_bpf_syscall_macro
	test_overhead vmlinux"
# Two more files, with functions that bpf_cookie calls.
BPF_NEEDED="test_lsm uprobe_multi_test"
# Files that the sources do not include, but their build needs.
BPF_TREE="scripts/subarch.include scripts/bpf_doc.py tools/build tools/scripts
	tools/lib tools/include tools/arch tools/bpf kernel/bpf/disasm.c
	kernel/bpf/disasm.h tools/testing/selftests/*.mk
	tools/testing/selftests/kselftest*.h"
BPF_DIR=tools/testing/selftests/bpf

# bpf_programs TEST: list the programs that a file of prog_tests uses.
bpf_programs() {
	sed -nE 's/.*"(\.\/)?([a-z0-9_]+)\.(skel\.h|bpf\.o)".*/\2/p' "$1"
}

# bpf_tree TREE DIR: copy the needed part of the kernel tree.
bpf_tree() {
	local tree=$1 dir=$2 test program

	rm -rf "$dir"
	mkdir -p "$dir"
	# shellcheck disable=SC2086
	(cd "$tree" && rsync -aR $BPF_TREE "$dir/" &&
		rsync -aR --exclude='/*/*/*/*/prog_tests/*.c' \
			--exclude='/*/*/*/*/progs/*.c' "$BPF_DIR" "$dir/")
	for test in $BPF_TESTS $BPF_NEEDED; do
		cp "$tree/$BPF_DIR/prog_tests/$test.c" "$dir/$BPF_DIR/prog_tests/"
		for program in $(bpf_programs "$tree/$BPF_DIR/prog_tests/$test.c"); do
			cp "$tree/$BPF_DIR/progs/$program.c" "$dir/$BPF_DIR/progs/"
		done
	done
}

# bpf_selftests NAME TREE VMLINUX: build test_progs and its files in
# $results/NAME-bpf, against the types of that kernel. Its file "tests" lists
# the names of the cases.
bpf_selftests() {
	local tree=$2 log=$results/$1-bpf.log built=$results/$1-bpf types now
	local dir test

	compiler
	types=$results/$1.btf
	objcopy --dump-section .BTF="$types" "$3" "$types.elf"
	rm "$types.elf"
	now=$(cat "$compiler.stamp" "$LAB/selftests.sh" "$types" | sha1sum)
	[ "$(cat "$built/stamp" 2> /dev/null)" != "$now" ] || return 0
	say "compiling the kernel's selftests of BPF for $1, log: $log"
	dir=$compiler/usr/src/bpf
	bpf_tree "$tree" "$dir"
	cp "$types" "$dir/types"
	# No test here has light or linked skeletons. The file of types is read
	# as vmlinux would be.
	# shellcheck disable=SC2016
	compile make -C "/usr/src/bpf/$BPF_DIR" -j"$JOBS" VMLINUX_BTF=/usr/src/bpf/types \
		BPFTOOL=/usr/sbin/bpftool TRUNNER_BPFTOOL= LSKELS= LSKELS_EXTRA= LINKED_SKELS= \
		TRUNNER_EXTRA_FILES='$(OUTPUT)/urandom_read $(OUTPUT)/liburandom_read.so' \
		test_progs > "$log" 2>&1 || die "$1: the selftests of BPF do not compile, see $log"
	rm -rf "$built"
	mkdir -p "$built"
	dir=$dir/$BPF_DIR
	cp "$dir"/{test_progs,urandom_read,liburandom_read.so} "$dir"/*.bpf.o "$built/"
	for test in $BPF_TESTS; do
		sed -nE 's/^void (serial_)?test_([a-z0-9_]+)\(.*/\2/p' "$dir/prog_tests/$test.c"
	done > "$built/tests"
	rm -rf "$compiler/usr/src/bpf"
	echo "$now" > "$built/stamp"
}

# selftest_modules TREE BUILD: build the modules of the BPF and live patching
# selftests, for a kernel of the lab.
selftest_modules() {
	local tree=$1 build=$2 dir=$2/selftest-modules

	mkdir -p "$dir"
	rsync -rc "$tree/$BPF_DIR"/bpf_testmod/*.[ch] "$dir/"
	rsync -rc "$tree/tools/testing/selftests/livepatch/test_modules/test_klp_livepatch.c" "$dir/"
	{
		# shellcheck disable=SC2016
		echo 'CFLAGS_bpf_testmod.o = -I$(src)'
		echo "obj-m := bpf_testmod.o"
		! grep -q '^CONFIG_LIVEPATCH=y' "$build/.config" || echo "obj-m += test_klp_livepatch.o"
	} > "$dir/Makefile"
	kmake "$tree" "$build" M="$dir" modules > "$dir/log" 2>&1 ||
		die "the modules of selftests do not build, see $dir/log"
}
