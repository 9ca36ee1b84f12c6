# SPDX-License-Identifier: GPL-2.0-only
# Commands of this project. The scripts are in lab/.
.DEFAULT_GOAL := help
MAKEFLAGS += --no-print-directory --no-builtin-rules
ARCH ?= x86_64
export ARCH BASE OBJECTS KUNIT VARIANT JOBS FROM KSRC BRANCH N SEED ONLY GUESTS
# Of torture.
export PARTS WORLD TIME SLICE SIZE QUICK CPUS
export PACK := $(if $(PACK),$(abspath $(PACK)))

# OUT=DIR: where everything is built, or, for `series`, where the patches go.
ifneq ($(filter series,$(MAKECMDGOALS)),)
export SERIES_OUT := $(if $(OUT),$(abspath $(OUT)))
else ifneq ($(OUT),)
export OUT_DIR := $(abspath $(OUT))
endif

help:
	@echo 'make run              boot Debian'\''s kernel and ours: waits on both, probes at work'
	@echo 'make test [KUNIT=G]   all tests, or KUnit suites that match G; V=1: each case'
	@echo 'make test-all         the same on all architectures (ARCHS="..."), and a table'
	@echo 'make test-clients     tools of Debian 13 on stock and on ours, side by side'
	@echo 'make same             what users see on stock and on ours, compared'
	@echo 'make deb [CONFIG=FILE] Debian packages of a kernel with our probes; make run DEB=1'
	@echo 'make shell            a busybox shell there; MODULES=DIR adds modules, DEBUG=1 gdb'
	@echo 'make torture          looks for crashes: TIME=minutes, SEED=, PARTS="...", CPUS='
	@echo 'make torture PACK=DIR all that this needs on another machine, in DIR'
	@echo 'make ways             ways into functions, from outside, and jumps over them'
	@echo 'make bench            what hits and calls cost, beside stock'
	@echo 'make differ           instructions with and without probes, compared (SEED=, N=)'
	@echo 'make check            style, sparse, warnings, scripts, combinations'
	@echo 'make apply KSRC=DIR   put our files and hooks into a 6.12, 6.18 or 7.3 tree'
	@echo 'make series [OUT=DIR] [FROM="Name <mail>"] the same as patches for git am'
	@echo 'make series KSRC=CLONE BRANCH=NAME  and as commits of a git clone'
	@echo 'make series-check     apply these one by one, and check each'
	@echo 'make model            search the models of what runs at the same time'
	@echo 'make mutants [N=100]  defects made by rule, and which of them the tests see'
	@echo 'make coverage         which statements of the engine the tests execute'
	@echo 'make check-house      sizes, calls and order of the files of the core'
	@echo 'make clean            remove what was built'
	@echo
	@echo 'BASE=6.18 or BASE=7.3 takes that version of Linux in place of 6.12.'
	@echo 'ARCH=x86_64 (default) picks the architecture, VARIANT=debug|none|...'
	@echo 'a configuration in lab/configs/, OUT=DIR another place than out/.'

run test test-all same deb ways shell bench differ check check-house torture mutants coverage series series-check:
	@lab/$@

test-clients:
	@lab/clients

model:
	@lab/model/check

apply:
	@lab/apply "$(KSRC)"

# A directory that we have built in has a lock.
clean:
	@d="$${OUT_DIR:-out}"; [ ! -e "$$d" ] || [ -e "$$d/.lock" ] || [ "$$d" = out ] || \
		{ echo "clean: $$d is no directory that we have built in" >&2; exit 1; }; \
	for l in "$$d/.lock" "$$d"/*/.lock; do [ ! -e "$$l" ] || flock -n "$$l" true || \
		{ echo "clean: a build still uses $${l%/.lock}" >&2; exit 1; }; done; rm -rf "$$d"

.PHONY: help run test test-all test-clients same deb ways shell bench differ check model check-house torture mutants coverage apply series series-check clean
