# shellcheck shell=bash disable=SC2034
# Facts of 32-bit Arm, for lab/common.sh: how to compile for it. No guest is known to
# run.
KARCH=arm
CROSS=arm-linux-gnueabihf-
BUILD_PACKAGES=(gcc-arm-linux-gnueabihf)
BACKEND=(arch/arm/probes/)
