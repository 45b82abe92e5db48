# Debian's cross compiler for s390x; tests run under qemu-user (packages: script/packages, group s390x; first: script/sysroot s390x).
include(${CMAKE_CURRENT_LIST_DIR}/debian-cross.cmake)
snag_debian_cross(s390x s390x-linux-gnu s390x)
