# cjose as troupe::cjose, for Troupe's own build and for those who link to what is installed: it brings nothing for CMake.
if(NOT TARGET troupe::cjose)
  find_path(TROUPE_CJOSE_INCLUDE cjose/cjose.h NO_CACHE REQUIRED)
  find_library(TROUPE_CJOSE cjose NO_CACHE REQUIRED)
  add_library(troupe::cjose INTERFACE IMPORTED GLOBAL)
  set_target_properties(troupe::cjose PROPERTIES INTERFACE_INCLUDE_DIRECTORIES ${TROUPE_CJOSE_INCLUDE})
  target_link_libraries(troupe::cjose INTERFACE ${TROUPE_CJOSE})
endif()
