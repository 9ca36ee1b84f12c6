# SPDX-License-Identifier: GPL-2.0-only
# Print the objects and directories that kbuild makes in $(dir) with
# $(config): make -f objects.mk -C TREE dir=DIR config=auto.conf
include $(config)
src := $(dir)
obj := $(dir)
srctree := .
BITS := $(if $(CONFIG_64BIT),64,32)
include $(firstword $(wildcard $(dir)/Kbuild $(dir)/Makefile))
parts = $(or $(strip $($(1:.o=-y)) $($(1:.o=-objs))),$(1))
.PHONY: objects-of-kbuild
objects-of-kbuild:
	@printf '%s\n' $(addprefix $(dir)/,$(sort $(filter %.o %/,$(foreach o,$(obj-y) $(obj-m) $(lib-y) $(extra-y),$(call parts,$(o))))))
