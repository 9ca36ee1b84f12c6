# SPDX-License-Identifier: GPL-2.0-only
# shellcheck shell=bash disable=SC2034
# Kernels of Debian packages: Debian's own cloud kernel, and the kernels that
# lab/deb makes. Sourced after common.sh.
DEBS=$OUT/deb
# A suffix of our packages, of the kernel's files, and of its version.
FLAVOUR=-kprobes-anew

# debians_names VERSION PATTERN [OPTION...]: list Debian's packages of this
# version; with options of apt-cache.
debians_names() {
	local version=$1 all

	all=$(apt-cache "${@:3}" search --names-only "$2" | cut -d' ' -f1)
	[ -n "$all" ] || return 0
	# shellcheck disable=SC2086
	apt-cache "${@:3}" show $all |
		awk -v v="$version" '$1 == "Package:" { name = $2 }
			$1 == "Version:" && $2 == v { print name }' | sort -u
}

# debians_packages: fetch Debian's packages of the version that we build, kernel
# and headers, into $DEBS/stock.
debians_packages() {
	local version names dir=$DEBS/stock

	version=$(dpkg-query -W -f '${Version}' linux-source-6.12)
	[ "$(cat "$dir/version" 2> /dev/null)" != "$version" ] || return 0
	say "fetching Debian's kernel $version"
	rm -rf "$dir"
	mkdir -p "$dir"
	names=$(debians_names "$version" \
		'^linux-(image|headers)-6\.12\.[^ ]*-(cloud-amd64|common)$|^linux-kbuild-6\.12\.')
	[ "$(echo "$names" | wc -w)" = 4 ] ||
		die "Debian has no packages of a cloud kernel $version: run apt-get update"
	# shellcheck disable=SC2086
	(cd "$dir" && apt-get -q -o APT::Sandbox::User=root download $names) \
		> "$dir/log" 2>&1 || die "cannot fetch $names, see $dir/log"
	echo "$version" > "$dir/version"
}

# debians_kernel DIR: fetch Debian's kernel of the version that we build to
# DIR/vmlinuz, without installing the package; log to DIR.log.
debians_kernel() {
	local version name dir=$1 kind=image
	local apt=(apt-get -q -o "APT::Sandbox::User=$(id -un)")

	version=$(source_version)
	[ "$(cat "$dir/version" 2> /dev/null)" != "$version" ] || return 0
	say "fetching Debian's kernel $version, to compare with"
	rm -rf "$dir"
	mkdir -p "$dir"
	{
		if [ "$BASE" != 6.12 ]; then
			kind=binary
			debian_apt "$dir" deb "$SOURCE_SUITE"
		fi &&
		name=$(debians_names "$version" \
			"^linux-$kind-${BASE/./\\.}\.[^ ]*cloud-amd64$" "${apt[@]:2}") &&
		if [ -z "$name" ]; then
			echo "E: no package list has a cloud kernel $version"
			return 1
		fi &&
		(cd "$dir" && "${apt[@]}" download "$name") &&
		dpkg-deb --fsys-tarfile "$dir"/*.deb |
			tar -xO --wildcards '*/vmlinuz*' > "$dir/vmlinuz" &&
		rm -rf "$dir"/*.deb "$dir"/{lists,cache} &&
		echo "$version" > "$dir/version"
	} < /dev/null > "$dir.log" 2>&1
}

# debians_config: print Debian's configuration.
debians_config() {
	if [ -n "${CONFIG:-}" ]; then
		cat "$CONFIG"
	else
		xz -dc /usr/src/linux-config-6.12/config.amd64_none_cloud-amd64.xz
	fi
}

# set_config: change the options in which our package must differ from Debian's.
# The build makes its own key to sign modules, because Debian's is private. The
# samples are modules; the suites are built in and run only with kunit.enable=1
# on the command line, for users of the package.
set_config() {
	"$TREE/scripts/config" --file "$DEBS/build/.config" \
		--set-str LOCALVERSION "$FLAVOUR" --disable LOCALVERSION_AUTO \
		--set-str BUILD_SALT "" --set-str SYSTEM_TRUSTED_KEYS "" \
		--set-str MODULE_SIG_KEY certs/signing_key.pem \
		--enable MODULE_SIG_ALL \
		--enable RUNTIME_TESTING_MENU --enable KUNIT \
		--disable KUNIT_DEFAULT_ENABLED \
		--enable KPROBES_SANITY_TEST --enable SAMPLES \
		--module SAMPLE_KPROBES --module SAMPLE_KRETPROBES \
		--module SAMPLE_JPROBES
}

# debians_configuration: configure $DEBS/build if the configuration changed.
debians_configuration() {
	local now

	need linux-config-6.12 dwarves libdw-dev
	mkdir -p "$DEBS/build"
	debians_config > "$DEBS/config"
	now=$(cat "$DEBS/config" "$LAB/debian.sh" "$TOP"/hooks/*.patch | sha1sum)
	if [ "$(cat "$DEBS/config.stamp" 2> /dev/null)" != "$now" ]; then
		rm -f "$DEBS/config.stamp"
		say "configuring as $(head -n 3 "$DEBS/config" | sed -n 's/^# \(Linux.*\) Kernel Configuration/\1/p')"
		cp "$DEBS/config" "$DEBS/build/.config"
		set_config
		kmake "$TREE" "$DEBS/build" olddefconfig > "$DEBS/config.log" 2>&1 ||
			die "cannot configure, see $DEBS/config.log"
		grep -q '^CONFIG_KPROBES=y' "$DEBS/build/.config" ||
			die "that configuration has no kprobes"
		echo "$now" > "$DEBS/config.stamp"
	fi
}

# our_packages: die unless lab/deb has made packages.
our_packages() {
	ls "$DEBS"/linux-image-*"$FLAVOUR"_*.deb > /dev/null 2>&1 ||
		die "there are no packages yet: make deb"
}

# packages_of NAME: list the package files of NAME, stock or ours.
packages_of() {
	case $1 in
	stock) ls "$DEBS"/stock/*.deb ;;
	ours) ls "$DEBS"/linux-{image,headers}-*"$FLAVOUR"_*.deb ;;
	esac
}

# release_of NAME: print the release (uname -r) of NAME's kernel.
release_of() {
	local package

	package=$(packages_of "$1" | grep /linux-image-)
	package=${package##*/linux-image-}
	echo "${package%%_*}"
}

# Packages for loading these kernels, and for compiling the lab's modules.
ROOT_PACKAGES="linux-base initramfs-tools busybox-static kmod procps zstd gcc make libelf1 pahole"

# in_root COMMAND...: run in the root, with a /proc that is always unmounted.
# shellcheck disable=SC2016
in_root() {
	unshare -m sh -c 'mount -t proc proc "$0/proc" && exec chroot "$0" "$@"' \
		"$DEBS/root" env DEBIAN_FRONTEND=noninteractive LC_ALL=C "$@"
}

# install_packages NAME: install them in the root with apt.
install_packages() {
	local package

	for package in $(packages_of "$1"); do
		cp "$package" "$DEBS/root/var/tmp/"
	done
	in_root sh -c 'apt-get -qy install --no-install-recommends /var/tmp/*.deb' &&
	rm "$DEBS/root"/var/tmp/*.deb
}

# removed_again: check that removing our packages leaves Debian's kernel.
removed_again() {
	local release left

	release=$(release_of ours)
	in_root apt-get -qy purge "linux-image-$release" "linux-headers-$release" || return
	left=$(in_root find /boot /lib/modules /usr/src -name "*$FLAVOUR*") || return
	if [ -n "$left" ]; then
		echo "these are left behind: $left"
		return 1
	fi
	[ -e "$DEBS/root/boot/initrd.img-$(release_of stock)" ]
}

# lab_in_root: compile the lab's modules there against the packaged headers,
# like any other external module, and install the guest's files.
lab_in_root() {
	local name release to

	mkdir -p "$DEBS/root/lab"
	cp "$LAB/guest/init" "$DEBS/root/lab/init"
	for name in stock ours; do
		release=$(release_of $name)
		to=/lab/$release
		rm -rf "${DEBS:?}/root$to"
		cp -r "$LAB/modules" "$DEBS/root$to"
		# The kernel's own module for the selftest of live patching.
		cp "$TREE/tools/testing/selftests/livepatch/test_modules/test_klp_livepatch.c" \
			"$DEBS/root$to"
		echo "obj-m += test_klp_livepatch.o" >> "$DEBS/root$to/Makefile"
		in_root make -C "/lib/modules/$release/build" "M=$to" modules || return
	done
	# Take the samples from our package; the guest's busybox loads them.
	find "$DEBS/root/lib/modules/$release/kernel/samples" -name '*_example.ko*' \
		-exec cp -t "$DEBS/root$to" {} + &&
	if ls "$DEBS/root$to"/*.xz > /dev/null 2>&1; then unxz "$DEBS/root$to"/*.xz; fi
	# With another compression they would silently not load.
	[ -f "$DEBS/root$to/kprobe_example.ko" ]
}

# debian_root: build the machine's Debian with both kernels installed, in $DEBS/root.
debian_root() {
	local now suite log=$DEBS/root.log

	[ "$ARCH" = x86_64 ] || die "ARCH=$ARCH: there are packages of x86_64 only"
	debians_packages
	our_packages
	now=$(packages_of stock | cat - <(packages_of ours | xargs sha1sum) \
		"$LAB/debian.sh" "$LAB/guest/init" "$LAB"/modules/* | sha1sum)
	[ "$(cat "$DEBS/root.stamp" 2> /dev/null)" != "$now" ] || return 0
	[ "$(id -u)" = 0 ] || die "only root can make the files of a Debian"
	need mmdebstrap
	say "installing Debian with its kernel and with ours, log: $log"
	rm -rf "$DEBS/root.stamp" "$DEBS/root"
	suite=$(. /etc/os-release && echo "$VERSION_CODENAME")
	mmdebstrap --variant=minbase --format=directory \
		--include="$(echo "$ROOT_PACKAGES" | tr ' ' ,)" "$suite" "$DEBS/root" \
		> "$log" 2>&1 9>&- || die "no Debian, see $log"
	{
		install_packages stock && install_packages ours && removed_again &&
		install_packages ours && lab_in_root
	} < /dev/null >> "$log" 2>&1 9>&- ||
		die "the packages cannot be installed, see $log"
	echo "$now" > "$DEBS/root.stamp"
}

# debian_guest NAME: put that Debian on a disk, and NAME's kernel into $BOOT;
# set disk to arguments for QEMU.
debian_guest() {
	local release

	need e2fsprogs
	release=$(release_of "$1")
	cp "$DEBS/root/boot/vmlinuz-$release" "$BOOT/kernel"
	cp "$DEBS/root/boot/initrd.img-$release" "$BOOT/initramfs.gz"
	rm -rf "$DEBS/root/modules"
	ln -s "lab/$release" "$DEBS/root/modules"
	/sbin/mke2fs -q -F -t ext4 -d "$DEBS/root" "$BOOT/disk" 4G > "$BOOT/disk.log" 2>&1 ||
		die "no disk for the guest: $(cat "$BOOT/disk.log")"
	disk=(-m 2048 -drive "file=$BOOT/disk,if=virtio,format=raw")
	APPEND+=" root=/dev/vda rw init=/lab/init"
}

# as_build NAME BUILD: fill BUILD as pack() expects it: NAME's kernel, modules
# of the lab and samples.
as_build() {
	local root=$DEBS/root build=$2 release

	release=$(release_of "$1")
	rm -rf "$build"
	mkdir -p "$build/$(dirname "$KIMAGE_PATH")"
	cp "$root/boot/vmlinuz-$release" "$build/$KIMAGE_PATH"
	cp "$root/boot/config-$release" "$build/.config"
	cp "$root/lab/$release"/*.ko "$build/"
}

# installed_kernel NAME: put NAME's kernel and its tests' files into $BOOT.
installed_kernel() {
	local build
	build=$(build_dir)

	need_for_build
	boot_dir
	lock
	sync_tree
	debian_root
	as_build "$1" "$build"
	guest_programs "$TREE" "$build"
	pack "$build"
	unlock
}
