# SPDX-License-Identifier: GPL-2.0-only
# shellcheck shell=bash disable=SC2034,SC2154
# The part "races" of torture, on the host. With ICOUNT=1 there is one CPU,
# whose clock counts instructions, and SEED determines all that is random: two
# runs print the same digest. SIZE= is then the calls per thread. Sourced by
# torture.

before_part() {
	[ -n "${ICOUNT:-}" ] || return 0
	CPUS=1
	SIZE=${SIZE:-400}
	QEMU_ARGS=("${QEMU_ARGS[@]/thread=multi/thread=single}")
	MORE=(-icount "shift=1,sleep=off" -rtc "base=2026-01-01,clock=vm"
		-seed "$SEED")
}
