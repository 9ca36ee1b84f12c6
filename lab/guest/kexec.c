// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * kexec: start the next kernel, for which busybox has no command.
 *
 *   kexec load KERNEL INITRAMFS COMMAND-LINE
 *   kexec panic KERNEL INITRAMFS COMMAND-LINE	loads one for a panic
 *   kexec go					starts the loaded one
 *
 * Built with the kernel's nolibc.
 */
#include <linux/kexec.h>

static int load(char **argv, unsigned long flags)
{
	int kernel = open(argv[0], O_RDONLY);
	int initramfs = open(argv[1], O_RDONLY);
	/* A call within the system call's arguments would clobber registers. */
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
