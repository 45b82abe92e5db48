# Debian's cross compiler for aarch64; tests run under qemu-user (packages: script/packages, group aarch64; first: script/sysroot arm64).
include(${CMAKE_CURRENT_LIST_DIR}/debian-cross.cmake)
snag_debian_cross(aarch64 aarch64-linux-gnu arm64)
