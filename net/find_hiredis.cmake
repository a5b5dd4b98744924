# hiredis as troupe::hiredis, for Troupe's own build and for those who link to what is installed: what it brings for CMake
# differs from release to release.
if(NOT TARGET troupe::hiredis)
  find_path(TROUPE_HIREDIS_INCLUDE hiredis/hiredis.h NO_CACHE REQUIRED)
  find_library(TROUPE_HIREDIS hiredis NO_CACHE REQUIRED)
  add_library(troupe::hiredis INTERFACE IMPORTED GLOBAL)
  set_target_properties(troupe::hiredis PROPERTIES INTERFACE_INCLUDE_DIRECTORIES ${TROUPE_HIREDIS_INCLUDE})
  target_link_libraries(troupe::hiredis INTERFACE ${TROUPE_HIREDIS})
endif()
