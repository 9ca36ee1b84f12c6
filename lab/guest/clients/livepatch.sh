# SPDX-License-Identifier: GPL-2.0-only
# shellcheck shell=bash disable=SC2154,SC2317
# Live patching of probed functions with the kernel's own selftest module, which
# replaces the function for /proc/cmdline. Sourced by run.
[ -f /run/modules/test_klp_livepatch.ko ] || return 0
patch_enabled=/sys/kernel/livepatch/test_klp_livepatch/enabled

patched() { grep -q 'live patched' /proc/cmdline; }
# patch_on: load the patch and wait until each task uses the new function.
patch_on() {
	insmod /run/modules/test_klp_livepatch.ko
	soon grep -q 0 "${patch_enabled%enabled}transition"
}
patch_off() {
	echo 0 > "$patch_enabled"
	soon rmmod test_klp_livepatch 2> /dev/null
}

# shown TIMES: require TIMES calls and returns, by grep, of the function that
# shows the command line. Loading a module reads it, too.
shown() {
	want calls "$(lines ' grep-.* shown: ')" "$1"
	want returns "$(lines ' grep-.* back: ')" "$1"
	echo 1 > "$T/tracing_on"
}

try livepatch-of-probed "a function with a kprobe and a return probe is live patched, and no longer"
case_livepatch_of_probed() {
	event 'p:shown cmdline_proc_show' 'r:back cmdline_proc_show'
	on
	refused patched
	shown 1
	patch_on
	patched
	shown 2
	patch_off
	refused patched
	shown 3
	gone
}

try livepatch-probed "a live patched function gets a kprobe and a return probe, which stay when it is no longer"
case_livepatch_probed() {
	patch_on
	patched
	event 'p:shown cmdline_proc_show' 'r:back cmdline_proc_show'
	on
	patched
	shown 1
	patch_off
	refused patched
	shown 2
	gone
}

try kpatch "kpatch loads and unloads a patch of a function with a kprobe and a return probe"
case_kpatch() {
	event 'p:shown cmdline_proc_show' 'r:back cmdline_proc_show'
	on
	refused patched
	shown 1
	kpatch load /run/modules/test_klp_livepatch.ko
	patched
	shown 2
	kpatch list > listed
	cat listed
	grep -qxF 'test_klp_livepatch [enabled]' listed
	kpatch unload test_klp_livepatch
	refused patched
	shown 3
	kpatch list > listed
	refused grep -q '^test_klp_livepatch \[' listed
	gone
}
