# SPDX-License-Identifier: GPL-2.0-only
# shellcheck shell=bash disable=SC2016,SC2086,SC2154
# Calls of the API. Sourced by run.

insmod /run/modules/kprobe_target.ko
told calls arrays places
# The reasons of ours, for rules of lab/same-expected.
[ ! -e $P/explain ] || sed -n 's/^\(place.kprobe.*\) = -.*/\1/p' \
	/sys/kernel/debug/kprobe_same/said | while read -r place; do
	write "${place#place/kprobe/}" $P/explain || continue
	same "why/calls/$place" "$(sed -n 's/^refused: \([^ ]*\).*/\1/p' $P/explain)"
done
told calls calls
told calls gone-prepare
listed calls/gone/listed-before
rmmod kprobe_target
listed calls/gone/listed
told calls gone
listed calls/gone/listed-after
told calls gone-remove
listed calls/gone/listed-removed
write watch /sys/kernel/debug/kprobe_same/run
insmod /run/modules/kprobe_target.ko
rmmod kprobe_target
insmod /run/modules/kprobe_target.ko fail=1 2> /dev/null
sed "s|^|SAME calls/|" /sys/kernel/debug/kprobe_same/said
