# SPDX-License-Identifier: GPL-2.0-only
# shellcheck shell=bash disable=SC2034
# The part "panic" of torture, on the host: each guest has one slice, and ends
# with its second kernel. Sourced by torture.

possible() {
	grep -q '^CONFIG_KEXEC_FILE=y' "$(build_dir)/.config" &&
		grep -q '^CONFIG_PROC_VMCORE=y' "$(build_dir)/.config"
}

# The next kernel must have the same text although it has one CPU and less
# memory: keep LOCK prefixes, and the size of a table that is part of
# instructions. For arm64, see torture-kexec.sh.
before_part() {
	QEMU_ARGS+=(-m 2048)
	EXTRA="crashkernel=640M noreplace-smp dhash_entries=65536"
	[ "$ARCH" = arm64 ] || return 0
	EXTRA+=' arm64.nolva nokaslr'
	QEMU_ARGS+=(-machine "its=off")
}

# unasked LOG: print complaints, except the one panic that the part provokes:
# allow each of its lines once, from the guest's line that announces the panic
# to the next kernel's first line.
unasked() {
	awk '
		/^LAB-STEP panics at/ { way = $6 }
		/^LAB-CAME/ { way = "" }
		way == "" { print; next }
		way == "bug" && /Oops: invalid opcode: 0000 \[#1\]|Internal error: Oops - BUG: [0-9a-f]+ \[#1\]/ &&
			!said++ { next }
		way != "bug" && /Kernel panic - not syncing: kprobe_panic: on purpose/ && !said++ { next }
		/Call [Tt]race:$/ && !traces++ { next }
		{ print }' "$1" > "$1.rest"
	complaints "$1.rest"
}
