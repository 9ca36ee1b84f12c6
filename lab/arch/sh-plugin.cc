// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * A plugin for Debian 12's gcc for sh.  The compiler's pass sh_treg_combine
 * takes any load for a condition that was stored, and leaves out the comparison
 * of it with zero that follows.  There is no option against the pass.
 */
#include <cstring>
#include "gcc-plugin.h"
#include "tree-pass.h"
#include "context.h"

int plugin_is_GPL_compatible;

static void gate(void *result, void *)
{
	const char *name = current_pass ? current_pass->name : NULL;

	if (name && !strncmp(name, "sh_treg_combine", strlen("sh_treg_combine")))
		*static_cast<bool *>(result) = false;
}

int plugin_init(struct plugin_name_args *info, struct plugin_gcc_version *)
{
	register_callback(info->base_name, PLUGIN_OVERRIDE_GATE, gate, NULL);
	return 0;
}
