# SPDX-License-Identifier: GPL-2.0-only
# shellcheck shell=bash
# Default of VARIANT= for test, run and shell: the kernel of x86-64 has what
# changes function entries of Debian's, the function tracer and IBT. VARIANT=none
# is the plain configuration. Sourced before common.sh.
[ "${ARCH:-x86_64}${DEB:-}" != x86_64 ] || VARIANT=${VARIANT:-ftrace}
[ "${VARIANT:-}" != none ] || VARIANT=
