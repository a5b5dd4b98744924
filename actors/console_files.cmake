# Writes the files of the operators' console as constants: cmake -DFROM=FOLDER -DTO=FILE.cpp -P console_files.cmake
set(types .css text/css .html text/html .js text/javascript)
file(GLOB files RELATIVE ${FROM} ${FROM}/*)
foreach(file IN LISTS files)
  get_filename_component(extension ${file} LAST_EXT)
  list(FIND types ${extension} at)
  if(at EQUAL -1)
    message(FATAL_ERROR "${FROM}/${file}: no type is known for ${extension}")
  endif()
  math(EXPR at "${at} + 1")
  list(GET types ${at} type)
  string(REGEX REPLACE "^console/index\\.html$" "" path "console/${file}")
  file(READ ${FROM}/${file} text)
  string(APPEND entries "    {\"/${path}\", \"${type}; charset=utf-8\", R\"console_file(${text})console_file\"},\n")
endforeach()
file(WRITE ${TO} "#include \"actors/gateway/admin_listener.hpp\"

namespace troupe::actors {

namespace {

constexpr protocol::console_file all_console_files[] = {
${entries}};

} // namespace

std::span<const protocol::console_file> console_files() { return all_console_files; }

} // namespace troupe::actors
")
