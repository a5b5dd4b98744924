# Troupe's library as an overlay port, of the sources that this file lies in:
#
#   vcpkg install troupe --overlay-ports=TROUPE/deploy/vcpkg
#
# What Troupe needs comes from the distribution, all of it: vcpkg has no cjose, and a CAF that is too new for us. These two
# are linked to the distribution's OpenSSL, and one process must not have two of them. For the same reason a host takes
# Boost, which is in the headers of servers of its own, and OpenSSL from the distribution. On Debian and Ubuntu:
#
#   apt-get install libboost-dev libboost-json-dev libboost-url-dev libcaf-dev libcjose-dev libhiredis-dev libssl-dev \
#     prometheus-cpp-dev
#
# vcpkg does not see when the sources change: `vcpkg remove troupe` comes before a build of newer ones.
vcpkg_check_linkage(ONLY_STATIC_LIBRARY)
get_filename_component(SOURCE_PATH "${CMAKE_CURRENT_LIST_DIR}/../../.." ABSOLUTE)

vcpkg_check_features(OUT_FEATURE_OPTIONS features FEATURES
  cluster TROUPE_CLUSTER
  redis TROUPE_REDIS
)
vcpkg_cmake_configure(SOURCE_PATH "${SOURCE_PATH}" OPTIONS ${features} -DTROUPE_PROGRAM=OFF -DTROUPE_TESTS=OFF)
vcpkg_cmake_install()
vcpkg_cmake_config_fixup(CONFIG_PATH lib/cmake/troupe)

file(REMOVE_RECURSE "${CURRENT_PACKAGES_DIR}/debug/include" "${CURRENT_PACKAGES_DIR}/debug/share")
file(INSTALL "${CMAKE_CURRENT_LIST_DIR}/usage" DESTINATION "${CURRENT_PACKAGES_DIR}/share/${PORT}")
vcpkg_install_copyright(FILE_LIST "${SOURCE_PATH}/LICENSE")
