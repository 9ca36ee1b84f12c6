# shellcheck shell=bash
# The part "kexec" of torture, on the host: not every kernel can start another. Sourced
# by torture.

possible() { grep -q '^CONFIG_KEXEC_FILE=y' "$(build_dir)/.config"; }
