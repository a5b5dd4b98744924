# CAF as troupe::caf, for Troupe's own build and for those who link to what is installed: Debian's CAF has no CMake
# package. TROUPE_CAF_PREFIX is a CAF other than the system's, TROUPE_CAF_PARTS are the libraries, in the order of linking.
if(NOT TARGET troupe::caf)
  find_package(Threads REQUIRED)
  find_path(TROUPE_CAF_INCLUDE caf/all.hpp HINTS ${TROUPE_CAF_PREFIX}/include NO_CACHE REQUIRED)
  find_package(OpenSSL REQUIRED)
  add_library(troupe::caf INTERFACE IMPORTED GLOBAL)
  foreach(part IN LISTS TROUPE_CAF_PARTS)
    find_library(TROUPE_CAF_${part} caf_${part} HINTS ${TROUPE_CAF_PREFIX}/lib NO_CACHE REQUIRED)
    target_link_libraries(troupe::caf INTERFACE ${TROUPE_CAF_${part}})
  endforeach()
  set_target_properties(troupe::caf PROPERTIES INTERFACE_INCLUDE_DIRECTORIES ${TROUPE_CAF_INCLUDE})
  target_link_libraries(troupe::caf INTERFACE OpenSSL::SSL OpenSSL::Crypto Threads::Threads)
endif()
