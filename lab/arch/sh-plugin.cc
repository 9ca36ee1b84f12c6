// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * A plugin for Debian 12's gcc for sh that disables the pass sh_treg_combine.
 * The pass mistakes any load for a stored condition and drops the following
 * comparison with zero.  No option of gcc disables it.
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
