# SPDX-License-Identifier: GPL-2.0
#
# gdb helper commands and functions for Linux kernel debugging
#
#  list the sites of kprobes
#

import gdb

from linux import lists
from linux import utils

site_type = utils.CachedType("struct kprobe_site")
probe_type = utils.CachedType("struct kprobe")


def short(value, prefix):
    """Return the name of an enumerator as users know it."""
    return str(value).replace(prefix, "").lower().replace("_", "-")


def obstacle(site):
    """Return why no jump can replace the site's breakpoint, or nothing."""
    what = site['obstacle'].cast(gdb.lookup_type("enum kprobe_obstacle"))
    return ", no jump: " + short(what, "KPROBE_NOJUMP_") if int(what) else ""


def where(address):
    """Return an address and its symbol."""
    return str(address.cast(gdb.lookup_type("long").pointer()))


class LxKprobes(gdb.Command):
    """Print the sites of kprobes, and the probes on them.

For each site: its address, the state of its text, the state that its probes
ask for if that differs, and the obstacle to a jump. For each probe, newest
first: struct kprobe, its handlers, and whether it is enabled."""

    def __init__(self):
        super().__init__("lx-kprobes", gdb.COMMAND_DATA)

    def probe(self, probe):
        handlers = [str(probe[name]).partition(" ")[2]
                    for name in ('run_pre', 'run_post') if int(probe[name])]
        gdb.write("    {:#x} {} {}\n".format(
            int(probe), " ".join(handlers),
            "enabled" if probe['enabled'] else "disabled"))

    def site(self, site):
        state = short(site['state'], "KPROBE_SITE_")
        target = short(site['target'], "KPROBE_SITE_")
        gdb.write("{} {}{}{}\n".format(
            where(site['addr']), state,
            "" if target == state else " -> " + target, obstacle(site)))
        for probe in lists.hlist_for_each_entry(
                site['probes'], probe_type.get_type().pointer(), 'hlist'):
            self.probe(probe)

    def invoke(self, arg, from_tty):
        for name in ("kprobe_sites", "kprobe_gone_sites"):
            for site in lists.list_for_each_entry(
                    gdb.parse_and_eval(name),
                    site_type.get_type().pointer(), 'all'):
                self.site(site)


LxKprobes()
