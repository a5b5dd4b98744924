# CAF as troupe::caf, for Troupe's own build and for those who link to what is installed: Debian's CAF has no CMake
# package. TROUPE_CAF_PREFIX is a CAF other than the system's.
if(NOT TARGET troupe::caf)
  find_package(Threads REQUIRED)
  find_path(TROUPE_CAF_INCLUDE caf/all.hpp HINTS ${TROUPE_CAF_PREFIX}/include NO_CACHE REQUIRED)
  find_package(OpenSSL REQUIRED)
  foreach(part core io)
    find_library(TROUPE_CAF_${part} caf_${part} HINTS ${TROUPE_CAF_PREFIX}/lib NO_CACHE REQUIRED)
  endforeach()
  add_library(troupe::caf INTERFACE IMPORTED GLOBAL)
  set_target_properties(troupe::caf PROPERTIES INTERFACE_INCLUDE_DIRECTORIES ${TROUPE_CAF_INCLUDE})
  target_link_libraries(troupe::caf INTERFACE ${TROUPE_CAF_io} ${TROUPE_CAF_core}
                                             OpenSSL::SSL OpenSSL::Crypto Threads::Threads)
endif()
