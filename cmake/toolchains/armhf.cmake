# Debian's cross compiler for armhf; tests run under qemu-user (packages: script/packages, group armhf; first: script/sysroot armhf).
include(${CMAKE_CURRENT_LIST_DIR}/debian-cross.cmake)
snag_debian_cross(arm arm-linux-gnueabihf armhf)
