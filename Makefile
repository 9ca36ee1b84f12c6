# Commands of this project. What they do is in lab/.
.DEFAULT_GOAL := help
MAKEFLAGS += --no-print-directory --no-builtin-rules
export ARCH ?= x86_64
export KUNIT VARIANT OUT_DIR

help:
	@echo 'make run              boot a kernel with our probes, show them at work'
	@echo 'make test [KUNIT=G]   pass the tests; only the KUnit cases that match G'
	@echo 'make shell            a busybox shell in that kernel'
	@echo 'make bench            instructions per hit and per call, beside stock'
	@echo 'make check            style, sparse, warnings, scripts, documentation'
	@echo 'make apply KSRC=DIR   put our files and hooks into a 6.12 tree'
	@echo 'make series [OUT=DIR] the same as patches for git am'
	@echo 'make clean            remove out/'
	@echo
	@echo 'ARCH=x86_64 (default) picks the architecture, VARIANT=debug|ftrace|...'
	@echo 'a configuration in lab/configs/.'

run test shell bench check:
	@lab/$@

apply:
	@lab/apply "$(KSRC)"

series:
	@SERIES_OUT="$(OUT)" lab/series

clean:
	rm -rf out

.PHONY: help run test shell bench check apply series clean
