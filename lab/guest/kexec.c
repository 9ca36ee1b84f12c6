// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * kexec: starts the next kernel, which busybox has no command for.
 *
 *   kexec load KERNEL INITRAMFS COMMAND-LINE
 *   kexec panic KERNEL INITRAMFS COMMAND-LINE	has one ready for a panic
 *   kexec go					starts the one that is loaded
 *
 * Built with the kernel's nolibc.
 */
#include <linux/kexec.h>

static int load(char **argv, unsigned long flags)
{
	int kernel = open(argv[0], O_RDONLY);
	int initramfs = open(argv[1], O_RDONLY);
	/* Registers have the arguments, so nothing is called for one. */
	unsigned long len = strlen(argv[2]) + 1;

	if (kernel < 0 || initramfs < 0) {
		perror("kexec: open");
		return 1;
	}
	if (syscall(__NR_kexec_file_load, kernel, initramfs, len, argv[2],
		    flags)) {
		perror("kexec: kexec_file_load");
		return 1;
	}
	return 0;
}

int main(int argc, char **argv)
{
	if (argc == 5 && !strcmp(argv[1], "load"))
		return load(argv + 2, 0);
	if (argc == 5 && !strcmp(argv[1], "panic"))
		return load(argv + 2, KEXEC_FILE_ON_CRASH);
	if (argc == 2 && !strcmp(argv[1], "go"))
		reboot(LINUX_REBOOT_CMD_KEXEC);
	perror("kexec");
	return 1;
}
