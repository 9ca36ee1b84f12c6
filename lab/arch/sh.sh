# SPDX-License-Identifier: GPL-2.0-only
# shellcheck shell=bash disable=SC2034
# Settings for SH-4, read by lab/common.sh. The guest stops at its first probe.
KARCH="sh"
CROSS=sh4-linux-gnu-
BUILD_PACKAGES=(gcc-sh4-linux-gnu g++)
case $DEBIAN in
12) BUILD_PACKAGES+=(gcc-12-plugin-dev-sh4-linux-gnu) ;;
*) BUILD_PACKAGES+=(gcc-14-plugin-dev-sh4-linux-gnu) ;;
esac
# Debian 12's compiler drops comparisons with zero unless a plugin prevents it.
# Debian's C library was compiled without the plugin.
SH_TOOLS=$OUT/tools-sh
KMAKE_ARGS=("KCFLAGS=-fplugin=$SH_TOOLS/plugin.so")
BUSYBOX_LIBC=linux-libc-dev-sh4-cross
BUSYBOX_ARGS=("CC=$SH_TOOLS/libc/bin/musl-gcc")
KIMAGE=zImage
KIMAGE_PATH=arch/sh/boot/zImage
QEMU_PACKAGE=qemu-system-misc
QEMU=qemu-system-sh4
# The second serial line is the board's console.
QEMU_ARGS=(-machine r2d -serial null -serial stdio)
MAX_CPUS=1
CONSOLE=ttySC1
# The board cannot reboot.
APPEND=END=poweroff
SRCARCH="sh"

# arch_tools: build the plugin, and musl with it.
arch_tools() {
	local headers dir=$SH_TOOLS

	[ ! -x "$dir/libc/bin/musl-gcc" ] || return 0
	need linux-libc-dev-sh4-cross dpkg-dev
	say "compiling a compiler's plugin and a C library, log: $dir/log"
	rm -rf "$dir"
	mkdir -p "$dir"
	headers=$("${CROSS}gcc" -print-file-name=plugin)/include
	printf '%s\n' '#!/bin/sh' \
		"exec ccache ${CROSS}gcc -fplugin=$dir/plugin.so \"\$@\"" > "$dir/cc"
	chmod +x "$dir/cc"
	(
		g++ -shared -fPIC -fno-rtti -O1 "-I$headers" \
			-o "$dir/plugin.so" "$LAB/arch/sh-plugin.cc" &&
		debian_source "$dir" musl &&
		cd "$dir/src" &&
		CC=$dir/cc CROSS_COMPILE=$CROSS ./configure --target=sh4-linux-gnu \
			"--prefix=$dir/libc" --disable-shared --enable-wrapper=gcc &&
		make -j"$JOBS" && make install &&
		ln -s /usr/sh4-linux-gnu/include/{linux,asm,asm-generic,mtd} \
			"$dir/libc/include/" &&
		rm -rf "$dir/src"
	) < /dev/null > "$dir/log" 2>&1 ||
		die "the tools for sh do not build, see $dir/log"
}
