# SPDX-License-Identifier: GPL-2.0-only
# shellcheck shell=bash disable=SC2034,SC2154
# The part "count" of torture, on the host: one CPU, whose clock counts
# instructions, and a plugin of QEMU that counts executions at probed addresses.
# Guest and plugin must count the same hits. Sourced by torture.

# address NAME: print a kernel symbol's address, which nokaslr preserves.
address() { awk -v name="$1" '$3 == name { print $1 }' "$(build_dir)/System.map"; }

# before_part: limit each guest to one slice.
before_part() {
	local plugin=$OUT/torture/count.so

	need gcc
	gcc -O2 -Wall -Werror -shared -fPIC -o "$plugin" "$LAB/torture-count.c"
	CPUS=1
	EXTRA="nokaslr tsc=reliable noapictimer"
	QEMU_ARGS=("${QEMU_ARGS[@]/thread=multi/thread=single}")
	MORE=(-icount "shift=0,sleep=off" -plugin
		"$plugin,start=$(address _stext),end=$(address _etext),out=$OUT/torture/counted")
	rm -f "$OUT/torture/counted"
}

# after_guest LOG: compare the guest's hits with QEMU's counts, except in
# modules, which QEMU does not count.
after_guest() {
	local said rc=0

	# A guest that died fails anyway.
	[ -s "$OUT/torture/counted" ] || return 0
	said=$(sed -n 's/^LAB-HITS //p' "$1" | awk -v start="$(address _stext)" \
		-v end="$(address _etext)" '
		FILENAME != "-" { counted[$1] = $2; next }
		$1 >= start && $1 < end {
			n++; hits += $2
			if ($2 != counted[$1] + 0 && wrong++ < 8)
				print $1, "is hit", $2, "times and executed", counted[$1] + 0
		}
		END {
			print n + 0, "probes,", hits + 0, "hits,", wrong + 0, "counts differ from the emulator'"'"'s"
			exit wrong || !hits
		}' "$OUT/torture/counted" -) || rc=$?
	if [ $rc = 0 ]; then
		ok "$part: slice $slice: $said"
	else
		bad "$part" "$slice" "slice $slice: $said"
	fi
}
