# shellcheck shell=bash disable=SC2034
# The part "panic" of torture, on the host: a slice for each guest, of which a second
# kernel is the end. Sourced by torture.

possible() {
	grep -q '^CONFIG_KEXEC_FILE=y' "$(build_dir)/.config" &&
		grep -q '^CONFIG_PROC_VMCORE=y' "$(build_dir)/.config"
}

# The next kernel has one CPU, and less memory: it is to have the same text nevertheless,
# with LOCK prefixes, and the size of a table is part of instructions. As to arm64, see
# torture-kexec.sh.
before_part() {
	QEMU_ARGS+=(-m 2048)
	EXTRA="crashkernel=640M noreplace-smp dhash_entries=65536"
	[ "$ARCH" = arm64 ] || return 0
	EXTRA+=' arm64.nolva nokaslr'
	QEMU_ARGS+=(-machine "its=off")
}

# unasked LOG: complaints, but for the one panic that the part asks for: each line of it
# once, from where the guest says in which way it panics to where the next kernel says
# that it came.
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
