# SPDX-License-Identifier: GPL-2.0-only
# shellcheck shell=bash disable=SC2016,SC2086,SC2154
# Hits of a module's probes. Sourced by run.

echo 0 > "$O"
told off orders seen change nested
echo 1 > "$O"
# On stock this probe is a jump in some runs only.
told on orders seen change nested jump-orders jump-seen jump-change jump-nested |
	grep -v '^SAME on/change/trap/ip-taken-after-other '
