# find_package(troupe) gives troupe::troupe, and troupe::caf for hosts that use CAF themselves.
include(CMakeFindDependencyMacro)
find_dependency(Threads)
find_dependency(Boost 1.81 COMPONENTS json url)
find_dependency(OpenSSL)
include(${CMAKE_CURRENT_LIST_DIR}/find_caf.cmake)
include(${CMAKE_CURRENT_LIST_DIR}/find_hiredis.cmake)
include(${CMAKE_CURRENT_LIST_DIR}/find_cjose.cmake)
include(${CMAKE_CURRENT_LIST_DIR}/troupe-targets.cmake)
