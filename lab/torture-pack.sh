# SPDX-License-Identifier: GPL-2.0-only
# shellcheck shell=bash disable=SC2034,SC2154,SC2317
# Make a folder that runs parts of torture on any x86-64 Linux machine: kernel,
# initramfs, the newer QEMU with its libraries and firmware, and the scripts
# that read results. The machine needs bash and awk; with python3, stale
# translations of QEMU are dropped. Sourced by torture, after emulator.sh.

# Firmware for a PC without a network card, and for a kernel that QEMU loads.
FIRMWARE="bios-256k.bin kvmvapic.bin linuxboot_dma.bin vgabios-stdvga.bin"

# packed_qemu DIR: copy QEMU from $newer, which newer_debian sets. Its own
# loader starts it, so that the machine's libraries do not matter.
packed_qemu() {
	local dir=$1 name path

	mkdir -p "$dir"/{lib,share,modules}
	cp "$newer/usr/bin/$QEMU" "$dir/qemu"
	cp "$newer/lib64/ld-linux-x86-64.so.2" "$dir/ld.so"
	# Some QEMUs have accelerators as modules.
	cp "$newer"/usr/lib/x86_64-linux-gnu/qemu/accel-tcg-*.so "$dir/modules" 2> /dev/null || true
	chroot "$newer" sh -c 'ldd "$@"' sh "/usr/bin/$QEMU" | awk '$2 == "=>" { print $3 }' |
	while read -r path; do
		cp -L "$newer/$path" "$dir/lib"
	done
	for name in $FIRMWARE; do
		for path in "$newer"/usr/share/{qemu,seabios}/"$name"; do
			[ ! -e "$path" ] || cp -L "$path" "$dir/share"
		done
		[ -e "$dir/share/$name" ] || die "QEMU's $name was not found"
	done
	cat > "$dir/run" <<-'END'
		#!/bin/sh
		here=${0%/*}
		export QEMU_MODULE_DIR="$here/modules"
		exec "$here/ld.so" --library-path "$here/lib" "$here/qemu" -L "$here/share" "$@"
	END
	chmod 755 "$dir/run"
}

# write_pack DIR: write the folder for the kernel in $BOOT.
write_pack() {
	local dir=$1 size

	[ "$ARCH" = x86_64 ] || die "PACK= is for x86_64"
	[ ! -e "$dir" ] || [ -e "$dir/torture" ] || die "$dir is there and no pack"
	newer_debian
	rm -rf "$dir"
	mkdir -p "$dir"/{boot,lab/arch}
	packed_qemu "$BOOT/qemu"
	tar -C "$BOOT" -czf "$dir/boot/qemu.tgz" qemu
	cp "$BOOT"/{kernel,initramfs.gz} "$(build_dir)"/{.config,System.map} "$dir/boot"
	cp "$LAB"/{torture,torture-*.sh,common.sh,files.sh,emulator.sh,qemu-forget} "$dir/lab"
	cp "$LAB/arch/x86_64.sh" "$dir/lab/arch"
	mkdir "$dir/lab/guest" && cp -r "$LAB/guest/torture" "$dir/lab/guest"
	cat > "$dir/torture" <<-END
		#!/bin/bash
		# Of $(git -C "$TOP" describe --always --dirty 2> /dev/null), ${VARIANT:-no variant}.
		# CPUS= (all), TIME= minutes (10), PARTS= ("races world abuse"), SEED=, SLICE=,
		# SIZE=; logs go to OUT_DIR= (out in this folder).
		set -eu
		PACKED=\$(cd "\$(dirname "\$0")" && pwd)
		for word; do export "\${word?}"; done
		export PACKED VARIANT="${VARIANT:-none}" CPUS=\${CPUS:-\$(nproc)}
		export PARTS=\${PARTS:-races world abuse} OUT_DIR=\${OUT_DIR:-\$PACKED/out}
		unset PACK QUICK WORLD
		exec bash "\$PACKED/lab/torture"
	END
	chmod 755 "$dir/torture"
	size=$(du -sm "$dir" | cut -f 1)
	[ "$size" -le 60 ] || die "$dir takes $size MiB, of 60"
	say "$dir takes $size MiB: copy it, and run $(basename "$dir")/torture CPUS=16 TIME=10"
}

# packed_kernel: use the result of write_pack() in $PACKED instead of a build.
packed_kernel() {
	need() { :; }
	build_dir() { echo "$PACKED/boot"; }
	boot_dir
	ln -s "$PACKED"/boot/{kernel,initramfs.gz} "$BOOT"
	tar -C "$BOOT" -xzf "$PACKED/boot/qemu.tgz"
	QEMU=$BOOT/qemu/run
}
