# SPDX-License-Identifier: GPL-2.0-only
# shellcheck shell=bash disable=SC2034
# The part "kexec" of torture, on the host: arguments and conditions for a
# kernel that starts another. Sourced by torture.

possible() { grep -q '^CONFIG_KEXEC_FILE=y' "$(build_dir)/.config"; }

# Limits of 6.12's arm64, with or without probes. It cannot copy its page tables
# for the next kernel with 52-bit addresses and 4 KiB pages, because
# trans_pgd_create_copy() reads through an entry that does not exist. Without
# EFI, nothing keeps the next kernel off the interrupt table that the ITS shares
# between both kernels. And veneers hold addresses, so the text would differ at
# another address.
before_part() {
	[ "$ARCH" = arm64 ] || return 0
	EXTRA='arm64.nolva nokaslr'
	QEMU_ARGS+=(-machine "its=off")
}
