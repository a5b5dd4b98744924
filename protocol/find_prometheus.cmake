# prometheus-cpp's core as troupe::prometheus, for Troupe's own build and for those who link to what is installed: its
# own package for CMake asks for what the other parts need, too.
if(NOT TARGET troupe::prometheus)
  find_path(TROUPE_PROMETHEUS_INCLUDE prometheus/text_serializer.h NO_CACHE REQUIRED)
  find_library(TROUPE_PROMETHEUS prometheus-cpp-core NO_CACHE REQUIRED)
  add_library(troupe::prometheus INTERFACE IMPORTED GLOBAL)
  set_target_properties(troupe::prometheus PROPERTIES INTERFACE_INCLUDE_DIRECTORIES ${TROUPE_PROMETHEUS_INCLUDE})
  target_link_libraries(troupe::prometheus INTERFACE ${TROUPE_PROMETHEUS})
endif()
