# shellcheck shell=bash disable=SC2034
# The part "kexec" of torture, on the host: not every kernel can start another. Sourced
# by torture.

possible() { grep -q '^CONFIG_KEXEC_FILE=y' "$(build_dir)/.config"; }

# What 6.12's arm64 cannot do, whether there are probes or not: copy its page tables for
# the next kernel where addresses have 52 bits with pages of 4 KiB, since
# trans_pgd_create_copy() reads through an entry that is not there; and keep the next
# kernel off the table of interrupts that the ITS shares between them, where no EFI
# tells the next one of it. Nor would the text be the same at another place: its veneers
# hold addresses.
before_part() {
	[ "$ARCH" = arm64 ] || return 0
	EXTRA='arm64.nolva nokaslr'
	QEMU_ARGS+=(-machine "its=off")
}
