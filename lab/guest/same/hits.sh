# shellcheck shell=bash disable=SC2016,SC2086,SC2154
# Hits of a module's probes. Sourced by run.

echo 0 > "$O"
told off orders seen change nested
echo 1 > "$O"
# Stock has made this one a jump in some runs, and not yet in others.
told on orders seen change nested jump-orders jump-seen jump-change jump-nested |
	grep -v '^SAME on/change/trap/ip-taken-after-other '
