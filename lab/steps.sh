# SPDX-License-Identifier: GPL-2.0-only
# shellcheck shell=bash disable=SC2034
# Counted checks. Sourced by scripts that end with "ending".

passed=0
failed=0

# step NAME COMMAND...: run a check, and show its output if it fails.
step() {
	local name=$1 start=$SECONDS log
	log=$OUT/$(basename "$0")-${1//[^A-Za-z0-9_]/-}.log
	shift

	# Run it in the background, because a condition would disable set -e.
	(set -e; "$@") > "$log" 2>&1 < /dev/null &
	if wait $!; then
		passed=$((passed + 1))
		echo "ok    $name ($((SECONDS - start)) s)"
	else
		failed=$((failed + 1))
		echo "FAIL  $name, see $log"
		tail -n "${SHOWN:-30}" "$log" | sed 's/^/      | /'
	fi
}

ending() {
	echo "$passed passed, $failed failed"
	[ "$failed" = 0 ]
}
