# shellcheck shell=bash
# What all scripts of the lab share. Sourced, with $0 in lab/.
set -eu

LAB=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
TOP=$(dirname "$LAB")
OUT=${OUT_DIR:-$TOP/out}
ARCH=${ARCH:-x86_64}
JOBS=${JOBS:-$(($(nproc) + 1))}
TARBALL=/usr/src/linux-source-6.12.tar.xz
TREE=$OUT/linux

# The directories of this repository that go into the kernel tree.
KERNEL_DIRS="kernel include arch lib samples Documentation"

say() { printf '%s %s\n' "[$(date +%T)]" "$*" >&2; }
die() { printf '%s: %s\n' "$(basename "$0")" "$*" >&2; exit 1; }

[ -f "$LAB/arch/$ARCH.sh" ] ||
	die "ARCH=$ARCH: not there yet (there is: $(cd "$LAB/arch" && echo *.sh | sed 's/\.sh//g'))"
# shellcheck source=lab/arch/x86_64.sh
. "$LAB/arch/$ARCH.sh"

# need PACKAGE...: install what is missing of Debian's packages.
need() {
	local missing=() p sudo=

	for p; do
		dpkg-query -W -f '${Status}' "$p" 2>/dev/null |
			grep -q 'ok installed' || missing+=("$p")
	done
	[ ${#missing[@]} -gt 0 ] || return 0
	if [ "$(id -u)" != 0 ]; then
		command -v sudo >/dev/null ||
			die "not root and no sudo; please install: ${missing[*]}"
		sudo=sudo
	fi
	say "installing ${missing[*]}"
	mkdir -p "$OUT"
	if ! { $sudo apt-get -q update &&
	       $sudo env DEBIAN_FRONTEND=noninteractive apt-get -qy install \
			--no-install-recommends "${missing[@]}"; } \
			> "$OUT/apt.log" 2>&1; then
		die "apt-get failed, see $OUT/apt.log"
	fi
}

need_for_build() {
	need linux-source-6.12 gcc make bison flex bc libelf-dev libssl-dev \
		python3 xz-utils patch rsync cpio gzip kmod ccache perl \
		busybox-static
}

# unpack DIR [stock]: the kernel tree into DIR, without the replaced set.
unpack() {
	local dir=$1 exclude=() p

	if [ "${2:-}" != stock ]; then
		while read -r p; do
			exclude+=("--exclude=linux-source-6.12/$p")
		done < "$LAB/replaced-set"
	fi
	rm -rf "$dir.new" "$dir"
	mkdir -p "$dir.new"
	tar --no-wildcards-match-slash --wildcards "${exclude[@]}" \
		--strip-components=1 -C "$dir.new" -xJf "$TARBALL" ||
		die "cannot unpack $TARBALL"
	mv "$dir.new" "$dir"
}

# The files that hooks touch, and those of ours, relative to the tree.
hooked_files() { sed -n 's#^+++ b/\([^ \t]*\).*#\1#p' "$TOP"/hooks/*.patch | sort -u; }
our_files() { (cd "$TOP" && for d in $KERNEL_DIRS; do [ ! -d "$d" ] || find "$d" -type f; done) | sort; }

# sync_tree: bring $TREE up to date, touching only what differs.
sync_tree() {
	local stamp=$TREE.stamp now f

	now=$(stat -c '%s-%Y' "$TARBALL" && cat "$LAB/replaced-set" "$TOP"/hooks/*.patch | sha1sum)
	if [ ! -d "$TREE" ] || [ "$(cat "$stamp" 2>/dev/null)" != "$now" ]; then
		say "unpacking the kernel without its kprobes into $TREE"
		# Objects stay good: only what the hooks touch is new.
		if [ -d "$TREE" ]; then mv "$TREE" "$TREE.old"; fi
		unpack "$TREE"
		"$LAB/apply" "$TREE" > /dev/null
		rm -rf "$TREE.old"
		printf '%s' "$now" > "$stamp"
	fi
	# Ours: new and changed ones in, deleted ones out.
	our_files > "$TREE.ours.new"
	if [ -f "$TREE.ours" ]; then
		comm -23 "$TREE.ours" "$TREE.ours.new" | while read -r f; do
			rm -f "$TREE/$f"
		done
	fi
	mv "$TREE.ours.new" "$TREE.ours"
	rsync -rc --files-from="$TREE.ours" "$TOP/" "$TREE/"
}

# configure TREE BUILD FRAGMENT...: tinyconfig plus fragments, if they changed.
configure() {
	local tree=$1 build=$2 now
	shift 2

	now=$(cat "$@" | sha1sum)
	[ "$(cat "$build/.fragments" 2>/dev/null)" != "$now" ] || return 0
	mkdir -p "$build"
	make -s -C "$tree" O="$build" ARCH="$KARCH" tinyconfig > /dev/null
	(cd "$tree" && scripts/kconfig/merge_config.sh -m -O "$build" \
		"$build/.config" "$@") > "$build/merge.log"
	make -s -C "$tree" O="$build" ARCH="$KARCH" olddefconfig > /dev/null
	printf '%s' "$now" > "$build/.fragments"
}

# build TREE BUILD TARGET...: with progress; the log is BUILD/log.
build() {
	local tree=$1 build=$2 start=$SECONDS
	shift 2

	say "building $(basename "$build") ($*); log: $build/log"
	make -C "$tree" O="$build" ARCH="$KARCH" CROSS_COMPILE="$CROSS" \
		CC="ccache ${CROSS}gcc" KBUILD_BUILD_TIMESTAMP=0 \
		-j"$JOBS" "$@" > "$build/log" 2>&1 || {
		grep -E 'error|Error|warning' "$build/log" | head -20 >&2
		die "build failed, see $build/log"
	}
	say "built $(basename "$build") in $((SECONDS - start)) s"
}

fragments() {
	local v

	echo "$LAB/configs/base.config" "$LAB/configs/$ARCH.config"
	for v in ${VARIANT:-}; do
		[ -f "$LAB/configs/variant-$v.config" ] ||
			die "VARIANT=$v: there is no lab/configs/variant-$v.config"
		echo "$LAB/configs/variant-$v.config"
	done
}

build_dir() { echo "$OUT/build-$ARCH${VARIANT:+-${VARIANT// /-}}"; }

# kernel: sync, configure and build the kernel of $VARIANT.
kernel() {
	local dir f
	dir=$(build_dir)

	need_for_build
	mkdir -p "$OUT"
	exec 9> "$OUT/.lock"
	flock -n 9 || { say "waiting for another build"; flock 9; }
	sync_tree
	f=$(fragments)
	# shellcheck disable=SC2086
	configure "$TREE" "$dir" $f
	build "$TREE" "$dir" "$KIMAGE" modules
	exec 9>&-
}

# initramfs BUILD FILE: busybox, lab/guest and the modules.
initramfs() {
	local build=$1 file=$2 root

	root=$(mktemp -d)
	mkdir -p "$root"/{bin,proc,sys,dev,tmp,modules}
	cp "${BUSYBOX:-/bin/busybox}" "$root/bin/busybox"
	cp "$LAB/guest/init" "$root/init"
	chmod 755 "$root/init"
	find "$build" -name '*.ko' -exec cp -t "$root/modules" {} +
	(cd "$root" && find . | cpio -o -H newc 2> /dev/null | gzip -1) > "$file"
	rm -rf "$root"
}

# boot BUILD CPUS SECONDS APPEND [QEMU-ARGUMENT...]: console to stdout.
boot() {
	local build=$1 cpus=$2 seconds=$3 append=$4 rc=0
	shift 4

	need "$QEMU_PACKAGE"
	initramfs "$build" "$build/initramfs.gz"
	timeout --foreground "$seconds" "$QEMU" "${QEMU_ARGS[@]}" -smp "$cpus" \
		-nographic -no-reboot -monitor none -kernel "$build/$KIMAGE_PATH" \
		-initrd "$build/initramfs.gz" \
		-append "console=$CONSOLE panic=-1 $append" "$@" || rc=$?
	[ $rc != 124 ] || die "the guest did not end within $seconds s"
}
