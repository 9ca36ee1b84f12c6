# SPDX-License-Identifier: GPL-2.0-only
# shellcheck shell=bash
# Functions that the scripts of the lab share: packages, tree, configuration,
# build and boot. Sourced.
set -eu
set -o pipefail
# Do not pass our make's command line to the kernel's make.
unset MAKEFLAGS MFLAGS MAKELEVEL MAKEOVERRIDES

LAB=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
TOP=$(dirname "$LAB")
OUT=${OUT_DIR:-$TOP/out}
# The version of Linux. All but the first build in a directory of their own.
BASE=${BASE:-6.12}
[ "$BASE" = 6.12 ] || OUT=${OUT%"/$BASE"}/$BASE
export BASE
ARCH=${ARCH:-x86_64}
JOBS=${JOBS:-$(($(nproc) + 1))}
# Some packages have other names in Debian 12 than in Debian 13.
DEBIAN=$(. /etc/os-release 2> /dev/null && echo "${VERSION_ID:-}") || true
IN_TAR=linux-source-$BASE
SOURCE_PACKAGES=(xz-utils patch rsync)
case $BASE in
6.12)
	TARBALL=/usr/src/$IN_TAR.tar.xz
	SOURCE_PACKAGES+=("$IN_TAR")
	;;
6.18)
	# Debian keeps the source of a former backport, but no package of it.
	IN_TAR=linux-6.18.15
	TARBALL=$OUT/$IN_TAR.tar.xz
	SOURCE_URL=http://deb.debian.org/debian/pool/main/l/linux/linux_6.18.15.orig.tar.xz
	SOURCE_SUM=SHA256:fdf4c4d487c95b17a41cb38003faef86669e532a44fe702eb31a3390b6a60cca
	;;
*) TARBALL=$OUT/$IN_TAR.tar.xz ;;
esac
# The Debian that has the packages of other bases than 6.12.
SOURCE_SUITE=trixie-backports
# LAB_TREE is built as it is; otherwise our own tree is built.
TREE=${LAB_TREE:-$OUT/linux}
PRISTINE=$OUT/pristine
SELFTESTS=tools/testing/selftests/ftrace
unset OUT_DIR

say() { printf '%s %s\n' "[$(date +%T)]" "$*" >&2; }
die() { printf '%s: %s\n' "$(basename "$0")" "$*" >&2; exit 1; }

[[ $JOBS =~ ^[1-9][0-9]*$ ]] || die "JOBS=$JOBS: not a positive number"
for n in ${CPUS:-}; do
	[[ $n =~ ^[1-9][0-9]*$ ]] || die "CPUS=$CPUS: not a positive number"
done

# shellcheck source=lab/files.sh
. "$LAB/files.sh"
[[ " $BASES " == *" $BASE "* ]] || die "BASE=$BASE: unknown (there is: $BASES)"
[ -f "$LAB/arch/$ARCH.sh" ] ||
	die "ARCH=$ARCH: unknown (there is: $(cd "$LAB/arch" && echo *.sh | sed 's/\.sh//g'))"
# More arguments of the kernel's make and of busybox's, and of the kernel itself,
# by architecture. Without objects of ours, the kernel's own backend serves it.
KMAKE_ARGS=()
BUSYBOX_ARGS=()
APPEND=
CLOCK=
ARCH_OBJECTS=
# shellcheck source=lab/arch/x86_64.sh
. "$LAB/arch/$ARCH.sh"

# need_debian PACKAGE...: die with one line unless apt-get can install them here.
need_debian() {
	local id

	id=$({ . /etc/os-release && echo "$ID-$VERSION_ID-$(dpkg --print-architecture)"; } \
		2> /dev/null) || true
	[[ $id =~ ^debian-1[23]-amd64$ ]] ||
		die "lacks ${*:1:3}${4:+ and others}, and installs them on Debian 12 or 13 for amd64 only; elsewhere, first: docker run -it --rm -v '$TOP:/kprobes' -w /kprobes debian:12 sh -c 'apt-get update && apt-get install -y make git && bash'"
	[ "$(id -u)" = 0 ] || command -v sudo > /dev/null ||
		die "needs root or sudo to install packages; as root: apt-get install $*"
}

# need PACKAGE...: install missing packages of Debian.
need() {
	local missing=() sudo=() p why

	for p; do
		dpkg-query -W -f '${Status}' "$p" 2> /dev/null |
			grep -q 'ok installed' || missing+=("$p")
	done
	[ ${#missing[@]} -gt 0 ] || return 0
	need_debian "${missing[@]}"
	mkdir -p "$OUT"
	say "installing ${missing[*]}, log: $OUT/apt.log"
	if [ "$(id -u)" != 0 ]; then
		sudo=(sudo)
		sudo -v || die "sudo refused; as root: apt-get install ${missing[*]}"
	fi
	# Serialize our scripts.  For Debian's own timer, "apt-get update" does not
	# wait, so it is tried again.
	(
		flock 8
		for _ in 1 2 3 4 5 6; do
			"${sudo[@]}" apt-get -q update && break
			sleep 10
		done &&
		"${sudo[@]}" env DEBIAN_FRONTEND=noninteractive apt-get -qy install \
			-o DPkg::Lock::Timeout=600 --no-install-recommends "${missing[@]}"
	) < /dev/null 8< /etc/apt > "$OUT/apt.log" 2>&1 && return
	why=$(grep -m 1 '^E:' "$OUT/apt.log" || tail -n 1 "$OUT/apt.log")
	[[ $why != *linux-source-6.12* ]] ||
		why+=" (Debian 12 has it in bookworm-security: is that in /etc/apt/sources.list?)"
	die "apt-get failed, see $OUT/apt.log: $why"
}

# need_room: die unless the disk has room for the first build.
need_room() {
	local free

	mkdir -p "$OUT"
	[ ! -d "$TREE" ] || return 0
	free=$(df --output=avail -BG "$OUT" | tail -n 1 | tr -dc 0-9)
	[ "$free" -ge 5 ] || die "needs 5 GB in $OUT, whose disk has $free GB; OUT=DIR builds elsewhere"
}

# need_for_build: install all that builds and boots a kernel, in one go.
need_for_build() {
	local llvm packages

	need_room
	packages=("${SOURCE_PACKAGES[@]}" gcc make bison flex bc libelf-dev
		libssl-dev python3 cpio gzip kmod ccache perl git procps
		"${BUILD_PACKAGES[@]}")
	llvm=$(llvm)
	[ -z "$llvm" ] || packages+=("clang-$llvm" "lld-$llvm" "llvm-$llvm")
	[ -n "${BUSYBOX_ARCH:-}${BUSYBOX_LIBC:-}" ] || packages+=(busybox-static)
	[ -z "${QEMU:-}" ] || [ -n "${OBJECTS:-}" ] || packages+=("$QEMU_PACKAGE")
	need "${packages[@]}"
	need_source
	[ "$(type -t arch_tools)" != function ] || arch_tools
	if [ -n "${BUSYBOX_ARCH:-}" ]; then
		foreign_busybox "$BUSYBOX_ARCH" "${BUSYBOX_SUITE:-}"
	elif [ -n "${BUSYBOX_LIBC:-}" ]; then
		built_busybox
	fi
	[ -z "${XEN:-}" ] || fetch_xen
}

# foreign_busybox DEBARCH [SUITE]: fetch Debian's static busybox of another
# architecture, which the machine's own apt and dpkg need not know; set BUSYBOX.
# SUITE is a newer Debian, where the machine's own lacks the architecture.
foreign_busybox() {
	local arch=$1 suite=$2 dir=$OUT/busybox-$1 apt keys

	BUSYBOX=$dir/root/bin/busybox
	[ ! -x "$BUSYBOX" ] || return 0
	say "fetching busybox-static for $arch"
	rm -rf "$dir"
	mkdir -p "$dir"/{lists,cache}/partial "$dir/root"
	apt=(apt-get -q -o "APT::Architecture=$arch" -o "APT::Architectures=$arch"
		-o "Dir::State::lists=$dir/lists" -o "Dir::Cache=$dir/cache"
		-o "APT::Sandbox::User=$(id -un)")
	if [ -n "$suite" ]; then
		keys=/usr/share/keyrings/debian-archive-keyring.gpg
		echo "deb [signed-by=$keys] http://deb.debian.org/debian $suite main" \
			> "$dir/sources.list"
		apt+=(-o "Dir::Etc::SourceList=$dir/sources.list"
			-o "Dir::Etc::SourceParts=/dev/null")
	fi
	{
		# Retry: one mirror may lack a list that another one has.
		for _ in 1 2 3; do
			"${apt[@]}" update || true
			(cd "$dir" && "${apt[@]}" download busybox-static) && break
			sleep 5
		done
		dpkg-deb -x "$dir"/busybox-static_*.deb "$dir/root"
		# Packages of newer Debian have no /bin.
		mkdir -p "$dir/root/bin"
		[ -x "$BUSYBOX" ] || ln -s ../usr/bin/busybox "$BUSYBOX"
		[ -x "$BUSYBOX" ]
	} < /dev/null > "$dir/log" 2>&1 ||
		die "cannot fetch busybox-static for $arch, see $dir/log"
	rm -rf "$dir"/{lists,cache}
}

# debian_apt DIR deb|deb-src SUITE: update package lists of another Debian in
# DIR, apart from the machine's own; set apt.
debian_apt() {
	local dir=$1 keys=/usr/share/keyrings/debian-archive-keyring.gpg

	mkdir -p "$dir"/{lists,cache}/partial
	echo "$2 [signed-by=$keys] http://deb.debian.org/debian $3 main" \
		> "$dir/sources.list"
	apt=(apt-get -q -o "Dir::State::lists=$dir/lists"
		-o "Dir::Cache=$dir/cache" -o "Dir::Etc::SourceParts=/dev/null"
		-o "Dir::Etc::SourceList=$dir/sources.list"
		-o "APT::Sandbox::User=$(id -un)")
	"${apt[@]}" update
}

# need_source: fetch the source of $BASE. For a base that the machine's own Debian
# lacks, the archive is kept in $OUT, and is there only when it is whole.
need_source() {
	local dir=$OUT/source apt

	need "${SOURCE_PACKAGES[@]}"
	[ ! -f "$TARBALL" ] || return 0
	say "fetching the source of Linux $BASE"
	mkdir -p "$OUT"
	(
		flock 8
		[ ! -f "$TARBALL" ] || exit 0
		if [ -n "${SOURCE_URL:-}" ]; then
			/usr/lib/apt/apt-helper download-file "$SOURCE_URL" \
				"$TARBALL.new" "$SOURCE_SUM" &&
			mv "$TARBALL.new" "$TARBALL"
			exit
		fi
		rm -rf "$dir"
		debian_apt "$dir" deb "$SOURCE_SUITE" &&
		(cd "$dir" && "${apt[@]}" download "linux-source-$BASE") &&
		dpkg-deb -f "$dir"/linux-source-*.deb Version > "$TARBALL.version" &&
		dpkg-deb --fsys-tarfile "$dir"/linux-source-*.deb |
			tar -xO "./usr/src/$IN_TAR.tar.xz" > "$TARBALL.new" &&
		mv "$TARBALL.new" "$TARBALL"
	) < /dev/null 8> "$OUT/.source.lock" > "$OUT/source.log" 2>&1 ||
		die "cannot fetch the source of Linux $BASE, see $OUT/source.log"
	rm -rf "$dir"
}

# source_version: print the version of the package that has the source.
source_version() {
	if [ -n "${SOURCE_URL:-}" ]; then
		echo "${IN_TAR#linux-}"
	elif [ "$BASE" = 6.12 ]; then
		dpkg-query -W -f '${Version}' linux-source-6.12
	else
		cat "$TARBALL.version"
	fi
}

# debian_unpack DIR SUITE PACKAGE: unpack a package into DIR/root.
debian_unpack() {
	local apt

	debian_apt "$1" deb "$2" && (
		cd "$1" && "${apt[@]}" download "$3" &&
		dpkg-deb -x "$3"_*.deb root && rm -rf lists cache
	)
}

# debian_source DIR PACKAGE: unpack its source in Debian 12 into DIR/src.
debian_source() {
	local apt

	debian_apt "$1" deb-src bookworm && (
		cd "$1" && "${apt[@]}" source --download-only "$2" &&
		rm -f "$2"_*.asc && mkdir src &&
		tar -C src --strip-components=1 -xf "$2"_*.orig.tar.* &&
		rm -rf lists cache
	)
}

# built_busybox: compile Debian's busybox for an architecture with a compiler
# and a C library in Debian, but no packages; set BUSYBOX.
built_busybox() {
	local dir=$OUT/busybox-$ARCH

	BUSYBOX=$dir/root/bin/busybox
	need "$BUSYBOX_LIBC" dpkg-dev bzip2
	[ ! -x "$BUSYBOX" ] || return 0
	say "compiling busybox for $ARCH, log: $dir/log"
	rm -rf "$dir"
	mkdir -p "$dir/root/bin"
	(
		debian_source "$dir" busybox && cd "$dir" &&
		make -C src defconfig &&
		sed -i 's/^# CONFIG_STATIC is not set/CONFIG_STATIC=y/' src/.config &&
		make -C src -j"$JOBS" CROSS_COMPILE="$CROSS" "${BUSYBOX_ARGS[@]}" \
			SKIP_STRIP=y busybox &&
		cp src/busybox "$BUSYBOX" && rm -rf src
	) < /dev/null > "$dir/log" 2>&1 ||
		die "busybox does not build, see $dir/log"
}

# Serialize builds in $OUT; the lock is held until unlock or the script's end.
lock() {
	mkdir -p "$OUT"
	exec 9> "$OUT/.lock"
	flock -n 9 || { say "waiting for another build in $OUT"; flock 9; }
}
unlock() { exec 9>&-; }

# unpack DIR [stock]: unpack the kernel into DIR, without the replaced set.
unpack() {
	local dir=$1 exclude=() p

	if [ "${2:-}" != stock ]; then
		while read -r p; do
			exclude+=("--exclude=$IN_TAR/$p")
		done < <(replaced_set)
	fi
	say "unpacking $(basename "$TARBALL") into $dir"
	rm -rf "$dir.new" "$dir"
	mkdir -p "$dir.new"
	tar --no-wildcards-match-slash --wildcards "${exclude[@]}" \
		--strip-components=1 -C "$dir.new" -xJf "$TARBALL" ||
		die "cannot unpack $TARBALL"
	mv "$dir.new" "$dir"
}

# pristine [TREE]: keep unmodified copies of the changed files in $PRISTINE, from
# TREE if it is given, which must not have hooks yet, or from the archive.
pristine() {
	local from=${1:-} missing

	mkdir -p "$PRISTINE"
	missing=$(hooked_files stock | while read -r f; do
			[ -f "$PRISTINE/$f" ] || echo "$f"
		done)
	[ -n "$missing" ] || return 0
	if [ -n "$from" ]; then
		echo "$missing" | rsync -a --files-from=- "$from/" "$PRISTINE/" ||
			die "hooks/ name a file that Linux $BASE has not"
		return
	fi
	say "fetching what the hooks touch from $(basename "$TARBALL")"
	echo "$missing" | sed "s#^#$IN_TAR/#" |
		tar --strip-components=1 -C "$PRISTINE" -xJf "$TARBALL" -T - ||
		die "hooks/ name a file that Linux $BASE has not"
}

# touched DIR: copy to DIR those files of a pristine tree that the replaced set,
# the hooks or apply name. Cached in $OUT, because unpacking is slow.
touched() {
	local dir=$1 kept=$OUT/touched now

	now=$(stat -c '%s-%Y' "$TARBALL"; { replaced_set; hooked_files; } | sha1sum)
	if [ "$(cat "$kept/.stamp" 2> /dev/null)" != "$now" ]; then
		say "collecting the files of a pristine tree that we touch"
		rm -rf "$kept.new"
		mkdir -p "$kept.new"
		{
			replaced_set
			hooked_files stock
			printf '%s\n' Makefile Kconfig arch/Kconfig kernel/Makefile
		} | sort -u | sed "s#^#$IN_TAR/#" |
			tar --no-wildcards-match-slash --wildcards -C "$kept.new" \
				--strip-components=1 -xJf "$TARBALL" -T - ||
			die "cannot unpack $TARBALL"
		printf '%s' "$now" > "$kept.new/.stamp"
		rm -rf "$kept"
		mv "$kept.new" "$kept"
	fi
	rm -rf "$dir"
	cp -a "$kept" "$dir"
	rm "$dir/.stamp"
}

# sync_tree: bring $TREE up to date; change only files that differ.
sync_tree() {
	local stamp=$TREE.stamp now

	[ -z "${LAB_TREE:-}" ] || return 0
	now=$(stat -c '%s-%Y' "$TARBALL"; replaced_set | sha1sum)
	if [ ! -d "$TREE" ] || [ "$(cat "$stamp" 2> /dev/null)" != "$now" ]; then
		rm -rf "$stamp" "$PRISTINE" "$TREE.applied"
		unpack "$TREE"
		pristine "$TREE"
		printf '%s' "$now" > "$stamp"
	fi
	pristine
	"$LAB/apply" --hook "$PRISTINE" "$TREE" > /dev/null
}

# copied_tree DIR: make DIR/linux our tree with the files of DIR/files in place
# of ours. Unchanged files are hard links, to save room.
copied_tree() {
	local dir=$1 now

	now=$(cat "$TREE.stamp"; our_files)
	if [ "$(cat "$dir/linux.stamp" 2> /dev/null)" != "$now" ]; then
		rm -rf "$dir/linux" "$dir/linux.stamp"
		cp -al "$TREE" "$dir/linux"
		printf '%s\n' "$now" > "$dir/linux.stamp"
	fi
	# rsync replaces files that differ, so it never writes into shared ones.
	{ our_files; hooked_files; } | sort -u |
		grep -vxFf <(cd "$dir/files" && find . -type f | sed 's#^\./##') |
		rsync -rc --files-from=- "$TREE/" "$dir/linux/"
	rsync -rc "$dir/files/" "$dir/linux/"
}

# stock_tree DIR: unpack the kernel as the package has it, to build beside ours.
stock_tree() {
	local dir=$1 now

	now=$(stat -c '%s-%Y' "$TARBALL")
	[ "$(cat "$dir.stamp" 2> /dev/null)" != "$now" ] || return 0
	mkdir -p "$(dirname "$dir")"
	unpack "$dir" stock
	printf '%s' "$now" > "$dir.stamp"
}

# unmet CONFIG FRAGMENT...: list options of the fragments that CONFIG lacks.
unmet() {
	awk 'function symbol(line) {
		if (match(line, /CONFIG_[A-Za-z0-9_]+/))
			return substr(line, RSTART, RLENGTH)
		return ""
	}
	/^(# )?CONFIG_/ {
		s = symbol($0)
		v = /^#/ ? "n" : substr($0, index($0, "=") + 1)
		if (FNR == NR) has[s] = v; else want[s] = v
	}
	END {
		for (s in want)
			if (want[s] != (s in has ? has[s] : "n"))
				printf " %s=%s", s, want[s]
	}' "$@"
}

# llvm: print the version of LLVM that $VARIANT needs; nothing for gcc. If
# Debian 13 lacks the one of Debian 12, the fragment names both. Newer bases than
# 6.12 need at least version 15.
llvm() {
	local f

	f=$(fragments) || exit 1
	# shellcheck disable=SC2086
	sed -n 's/^# LLVM=//p' $f | tail -n 1 |
		awk -v on="$DEBIAN $BASE" '{ print on == "12 6.12" ? $1 : $NF }'
}

# tools: print the compiler and related tools as arguments of the kernel's make.
tools() {
	local llvm

	llvm=$(llvm)
	if [ -n "$llvm" ]; then
		printf '%s\n' "LLVM=-$llvm" "CC=ccache clang-$llvm"
	else
		printf '%s\n' "CC=ccache ${CROSS}gcc"
	fi
}

# fragments_sum FRAGMENT...: print a checksum of a configuration's sources.
fragments_sum() {
	local name

	{
		cat "$@"
		for name in $(hook_names); do
			hook "$name"
		done
	} | sha1sum
}

# configure TREE BUILD FRAGMENT...: configure by tinyconfig, or by a fragment's
# BASE, plus the fragments, if they changed. Use the compiler of the build,
# because some options depend on it.
configure() {
	local tree=$1 build=$2 now lacks base
	shift 2

	now=$(fragments_sum "$@")
	base=$(sed -n 's/^# BASE=//p' "$@" | tail -n 1)
	[ "$(cat "$build/.fragments" 2> /dev/null)" != "$now" ] || return 0
	say "configuring $(basename "$build")"
	mkdir -p "$build"
	{
		# In order: each target changes the result of the one before.
		for base in ${base:-tinyconfig}; do
			kmake "$tree" "$build" -s "$base"
		done
		(cd "$tree" && scripts/kconfig/merge_config.sh -m -O "$build" \
			"$build/.config" "$@")
		kmake "$tree" "$build" -s olddefconfig
	} > "$build/configure.log" 2>&1 ||
		die "cannot configure, see $build/configure.log"
	lacks=$(unmet "$build/.config" "$@")
	[ -z "$lacks" ] || die "$(basename "$build"): Kconfig refuses$lacks"
	echo "$now" > "$build/.fragments"
}

# kmake TREE BUILD ARGUMENT...: run the kernel's make.
kmake() {
	local tree=$1 build=$2 tools
	shift 2

	mapfile -t tools < <(tools)
	CCACHE_BASEDIR=$OUT CCACHE_NOHASHDIR=1 \
	make -C "$tree" O="$build" ARCH="$KARCH" CROSS_COMPILE="$CROSS" \
		"${tools[@]}" KBUILD_BUILD_TIMESTAMP=0 "${KMAKE_ARGS[@]}" \
		-j"$JOBS" "$@" < /dev/null
}

# kmake_again TREE BUILD ARGUMENT...: kmake with the log BUILD/log, and once more
# without the entries of ccache if one is broken. Two makes in one folder can
# leave one.
kmake_again() {
	kmake "$@" && return
	grep -q '^fixdep: ' "$2/log" || return
	say "compiling again without ccache's entries, because one is broken"
	CCACHE_RECACHE=1 kmake "$@"
}

# build TREE BUILD TARGET...: build with progress messages; log to BUILD/log.
build() {
	local tree=$1 build=$2 start=$SECONDS log=$2/log name rc=0 pid
	shift 2
	name=$(basename "$build")

	say "building $name ($*), log: $log"
	# make inherits the lock, and keeps it if this script is killed.
	kmake_again "$tree" "$build" "$@" > "$log" 2>&1 &
	pid=$!
	while sleep 1; kill -0 $pid 2> /dev/null; do
		[ $(((SECONDS - start) % 30)) != 0 ] ||
			say "  ... $(grep -c '^  [A-Z]' "$log") steps, $((SECONDS - start)) s"
	done
	wait $pid || rc=$?
	if [ $rc != 0 ]; then
		grep -E 'error:|Error [0-9]|undefined' "$log" | head -20 >&2 || true
		die "build failed, see $log"
	fi
	say "built $name in $((SECONDS - start)) s"
}

fragments() {
	local v f=("$LAB/configs/base.config" "$LAB/configs/$ARCH.config")

	# Options that only this base has.
	[ ! -f "$LAB/configs/$ARCH.$BASE.config" ] ||
		f+=("$LAB/configs/$ARCH.$BASE.config")
	for v in ${VARIANT:-}; do
		[ -f "$LAB/configs/variant-$v.config" ] ||
			die "VARIANT=$v: there is no lab/configs/variant-$v.config"
		f+=("$LAB/configs/variant-$v.config")
		[ ! -f "$LAB/configs/variant-$v.$ARCH.config" ] ||
			f+=("$LAB/configs/variant-$v.$ARCH.config")
	done
	# PREEMPT_LAZY has replaced these on Linux 7.3.
	[ "$BASE" != 7.3 ] ||
		! grep -qE '^CONFIG_PREEMPT_(NONE|VOLUNTARY)=y' "${f[@]}" ||
		f+=("$LAB/configs/lazy.config")
	printf '%s\n' "${f[@]}"
}

build_dir() { echo "$OUT/build-$ARCH${DEB:+-debian}${VARIANT:+-${VARIANT// /-}}"; }

# lab_modules TREE BUILD: build the lab's own modules.
lab_modules() {
	local tree=$1 build=$2

	grep -q '^CONFIG_MODULES=y' "$build/.config" || return 0
	say "building the lab's modules and programs"
	mkdir -p "$build/lab-modules"
	rsync -rc "$LAB/modules/" "$build/lab-modules/"
	# The modules' BTF depends on the kernel's, which kbuild does not check.
	[ ! -f "$build/vmlinux" ] ||
		find "$build/lab-modules" -name '*.ko' ! -newer "$build/vmlinux" -delete
	kmake "$tree" "$build" M="$build/lab-modules" modules \
		> "$build/lab-modules/log" 2>&1 ||
		die "the lab's modules do not build, see $build/lab-modules/log"
}

# made_in BUILD DIR: list objects and directories that kbuild makes in DIR.
made_in() {
	make -s -rR -C "$TREE" -f "$LAB/objects.mk" "dir=$2" \
		"config=$1/include/config/auto.conf" objects-of-kbuild
}

# objects_of BUILD DIR: list DIR's objects, if kbuild descends into DIR at all.
objects_of() {
	local dir=$2

	while [[ $dir == arch/*/* || $dir == */* && $dir != arch/* ]]; do
		made_in "$1" "$(dirname "$dir")" | grep -qxF "$dir/" || return 0
		dir=$(dirname "$dir")
	done
	made_in "$1" "$2" | grep '\.o$' || true
}

# nolibc_knows TREE BUILD: succeed if nolibc supports the architecture.
nolibc_knows() {
	"${CROSS}gcc" "${USER_CFLAGS[@]}" -E -I "$2/usr/include" \
		-include "$1/tools/include/nolibc/nolibc.h" -x c /dev/null \
		> /dev/null 2>&1
}

# guest_program TREE BUILD NAME SOURCE: compile SOURCE with the kernel's nolibc.
guest_program() {
	"${CROSS}gcc" "${USER_CFLAGS[@]}" -O2 -Wall -Werror -static -nostdlib \
		-Wl,--build-id -I "$2/usr/include" -o "$2/guest-$3" \
		-include "$1/tools/include/nolibc/nolibc.h" "$4"
}

# guest_programs TREE BUILD: compile the programs that init starts besides
# busybox, as far as the kernel can use them.
guest_programs() {
	local tree=$1 build=$2 log=$2/guest.log kvm=$LAB/guest/kvm.$ARCH.c

	rm -f "$build"/guest-{kvm,perf,bpf,stacks,signals,timers,hits,calls,waits,torture,kexec,vmcore}
	grep -qE '^CONFIG_(KVM|KPROBE_EVENTS)=y' "$build/.config" || return 0
	{
		kmake "$tree" "$build" headers &&
		if nolibc_knows "$tree" "$build"; then
			guest_program "$tree" "$build" torture "$LAB/guest/torture.c" &&
			if grep -q '^CONFIG_KEXEC_FILE=y' "$build/.config"; then
				guest_program "$tree" "$build" kexec "$LAB/guest/kexec.c" &&
				guest_program "$tree" "$build" vmcore "$LAB/guest/vmcore.c"
			fi
		fi &&
		if grep -q '^CONFIG_KVM=y' "$build/.config" && [ -f "$kvm" ]; then
			guest_program "$tree" "$build" kvm "$kvm"
		fi &&
		if grep -q '^CONFIG_KPROBE_EVENTS=y' "$build/.config" &&
			nolibc_knows "$tree" "$build"; then
			guest_program "$tree" "$build" perf "$LAB/guest/perf.c" &&
			guest_program "$tree" "$build" waits "$LAB/guest/waits.c" &&
			if grep -q '^CONFIG_BPF_EVENTS=y' "$build/.config"; then
				guest_program "$tree" "$build" bpf "$LAB/guest/bpf.c" &&
				guest_program "$tree" "$build" stacks "$LAB/guest/stacks.c" &&
				guest_program "$tree" "$build" signals "$LAB/guest/signals.c" &&
				guest_program "$tree" "$build" timers "$LAB/guest/timers.c" &&
				guest_program "$tree" "$build" hits "$LAB/guest/hits.c" &&
				guest_program "$tree" "$build" calls "$LAB/guest/calls.c"
			fi
		fi
	} > "$log" 2>&1 || die "the guest's programs do not build, see $log"
}

# signed BUILD DIR: sign DIR's modules if the kernel checks signatures, with the
# key of its build. A kernel from a package has no key.
signed() {
	local build=$1 hash module

	hash=$(sed -n 's/^CONFIG_MODULE_SIG_HASH="\(.*\)"/\1/p' "$build/.config")
	[ -n "$hash" ] && [ -f "$build/certs/signing_key.pem" ] || return 0
	for module in "$2"/*.ko; do
		"$build/scripts/sign-file" "$hash" "$build/certs/signing_key.pem" \
			"$build/certs/signing_key.x509" "$module"
	done
}

# pack BUILD: put kernel and initramfs, ready to boot, into $BOOT, which is
# private to this script: other scripts may build meanwhile.
pack() {
	local build=$1 root=$BOOT/root program

	rm -rf "$root"
	mkdir -p "$root"/{bin,proc,sys,dev,tmp,mnt,modules}
	cp "$BUSYBOX" "$root/bin/busybox"
	cp "$LAB/guest/init" "$root/init"
	chmod 755 "$root/init"
	# Commands of kprobes-help.rst to be tried: a shell's and two tools'.
	sed -n 's/^\t# //p' "$TOP/Documentation/trace/kprobes-help.rst" > "$root/help"
	mkdir "$root/clients"
	cp "$LAB"/guest/clients/* "$root/clients"
	cp -r "$LAB/guest/same" "$root/same"
	# shellcheck disable=SC2016
	sed -nE 's/^ +- ``((perf|bpftrace) .*)``$/\1/p' \
		"$TOP/Documentation/trace/kprobes-help.rst" > "$root/clients/help"
	cp -r "$LAB/guest/torture" "$root/parts"
	mkdir -p "$root/$SELFTESTS"
	cp -r "$TREE/$SELFTESTS"/{ftracetest,test.d} "$root/$SELFTESTS/"
	for program in "$build"/guest-{kvm,perf,bpf,stacks,signals,timers,hits,calls,waits,torture,kexec,vmcore}; do
		[ ! -f "$program" ] || cp "$program" "$root/bin/${program##*-}"
	done
	# The program that starts another kernel needs an image of it.
	[ ! -f "$root/bin/kexec" ] || cp "$build/$KIMAGE_PATH" "$root/kernel"
	find "$build" -name '*.ko' -exec cp -t "$root/modules" {} +
	signed "$build" "$root/modules"
	(cd "$root" && find . | cpio -o -H newc 2> /dev/null | gzip -1) \
		> "$BOOT/initramfs.gz"
	rm -rf "$root"
	cp "$build/$KIMAGE_PATH" "$BOOT/kernel"
	[ -z "${XEN:-}" ] || zcat "$OUT"/xen/root/boot/xen-*-amd64.gz > "$BOOT/xen"
}

# fetch_xen: unpack Debian's hypervisor without installing it, because the
# package would make the machine itself boot it.
fetch_xen() {
	local dir=$OUT/xen package=xen-hypervisor-4.17-amd64

	[ ! -d "$dir/root" ] || return 0
	[ "$DEBIAN" = 12 ] || package=xen-hypervisor-4.20-amd64
	say "fetching $package"
	rm -rf "$dir"
	mkdir -p "$dir/new"
	{
		(cd "$dir" && apt-get -q -o "APT::Sandbox::User=$(id -un)" \
			download "$package") &&
		dpkg-deb -x "$dir"/xen-hypervisor-*.deb "$dir/new"
	} < /dev/null > "$dir/log" 2>&1 ||
		die "cannot fetch $package, see $dir/log"
	mv "$dir/new" "$dir/root"
}

# image COMMAND-LINE: set image to QEMU's arguments for booting. Xen is a
# multiboot kernel with domain 0's kernel and initramfs as modules. A comma
# separates modules; a literal comma is doubled.
image() {
	if [ -z "${XEN:-}" ]; then
		image=(-kernel "$BOOT/kernel" -initrd "$BOOT/initramfs.gz"
			-append "$1")
	else
		image=(-kernel "$BOOT/xen" -append "$XEN"
			-initrd "$BOOT/kernel ${1//,/,,},$BOOT/initramfs.gz")
	fi
}

boot_dir() {
	[ -n "${QEMU:-}" ] ||
		die "ARCH=$ARCH: no guest of it is known to run: make test compiles it"
	mkdir -p "$OUT"
	BOOT=$(mktemp -d "$OUT/boot.XXXXXX")
	# A guest in the background ignores the interrupt that ends this script.
	trap 'pkill -f -- "-kernel $BOOT/" || true; rm -rf "$BOOT"' EXIT
}

# at_most CPUS: print CPUS, or the architecture's maximum if that is less.
at_most() { echo $(($1 < ${MAX_CPUS:-8} ? $1 : ${MAX_CPUS:-8})); }

# kernel: sync, configure, build and pack the kernel of $VARIANT.
kernel() {
	local build f
	build=$(build_dir)

	need_for_build
	boot_dir
	f=$(fragments) || exit 1
	lock
	sync_tree
	# shellcheck disable=SC2086
	configure "$TREE" "$build" $f
	if grep -q '^CONFIG_MODULES=y' "$build/.config"; then
		build "$TREE" "$build" "$KIMAGE" modules
	else
		build "$TREE" "$build" "$KIMAGE"
	fi
	lab_modules "$TREE" "$build"
	guest_programs "$TREE" "$build"
	pack "$build"
	unlock
}

# boot CPUS SECONDS APPEND [QEMU-ARGUMENT...]: boot the kernel of $BOOT, with
# BOOTARGS= added; stdin and stdout are its console. Fail unless the guest ends
# by itself. No guest uses a network card, which may need another package's ROM.
boot() {
	local cpus=$1 seconds=$2 append=$3 rc=0 image
	shift 3
	image "console=$CONSOLE panic=-1 rcupdate.rcu_cpu_stall_timeout=120 $APPEND ${BOOTARGS:-} $append"

	timeout --foreground "$seconds" "$QEMU" "${QEMU_ARGS[@]}" \
		-smp "$cpus,sockets=$cpus,cores=1,threads=1" \
		-nographic -no-reboot -monitor none -nic none "${image[@]}" "$@" || rc=$?
	if [ $rc = 124 ]; then
		say "the guest did not end within $seconds s"
	elif [ $rc != 0 ]; then
		say "$QEMU failed ($rc)"
	fi
	return $rc
}

# plain: turn a console's output into plain lines, unbuffered.
plain() { stdbuf -o0 tr -d '\r'; }

# A guest hangs if its console is silent for this many seconds.
SILENCE=${SILENCE:-300}

# The command line of the guest that tests tracefs, debugfs and modules. Its
# probes exist before its shell; lab/guest/init checks them.
BOOT_EVENTS='p:boot_read,vfs_read;r:boot_ret,vfs_read;p:boot_init,console_on_rootfs'
# shellcheck disable=SC2034
FILES_APPEND="quiet loglevel=5 kunit.enable=0 lab=test tests=${FILE_TESTS:-probe_*} kprobe_event=$BOOT_EVENTS"

# watched_boot LOG CPUS SECONDS APPEND: boot a guest, and end it when it hangs.
# Write its longest silence to LOG.silence; create LOG.hung if it hung.
watched_boot() {
	local log=$1 pid silent longest=0
	shift

	rm -f "$log.hung"
	(boot "$@" -pidfile "$log.pid" < /dev/null | plain > "$log") &
	pid=$!
	while sleep 1; kill -0 $pid 2> /dev/null; do
		[ -e "$log.pid" ] || continue
		silent=$(($(date +%s) - $(stat -c %Y "$log")))
		[ $silent -le $longest ] || longest=$silent
		[ $silent -gt "$SILENCE" ] || continue
		touch "$log.hung"
		kill -KILL "$(cat "$log.pid")" || true
		break
	done
	echo $longest > "$log.silence"
	rm -f "$log.pid"
	wait $pid
}

# not_scanned LOG: succeed if a kernel with kmemleak has not finished its scan.
not_scanned() {
	grep -qs '^CONFIG_DEBUG_KMEMLEAK=y' "$(build_dir)/.config" &&
		! grep -q '^LAB-SCANNED' "$1"
}

# races_of_ours: copy stdin without data races between functions of which none
# belongs to the engine, its suites or a module of the lab.
races_of_ours() {
	local build

	build=$(build_dir)
	if ! grep -qs '^CONFIG_KCSAN=y' "$build/.config"; then
		grep .
		return
	fi
	find "$build"/{kernel,arch/*/kernel,lib}/kprobes "$build"/lab-modules \
		"$build"/{kernel/kprobes.o,lib/test_kprobes.o} -name '*.o' -exec nm {} + |
		awk 'FNR == NR { if ($2 ~ /^[tTwW]$/) ours[$3] = 1; next }
		/KCSAN: data-race/ {
			sub(/\r$/, "")
			n = split($0, word, " ")
			for (i = 1; i <= n; i++)
				if (word[i] in ours) { print; found = 1; break }
			next
		}
		{ print; found = 1 }
		END { exit !found }' - /dev/fd/4
} 4<&0

# complaints LOG: print messages that a kernel must never log.
complaints() {
	grep -E 'WARNING:|BUG:|Oops|KASAN:|KCSAN:|UBSAN:|possible .*deadlock|suspicious RCU|rcu.*detected.*stall|soft lockup|Call [Tt]race:|Internal error:|INFO: trying to register|Kernel panic|^unreferenced object' "$1" |
		races_of_ours
}
