# Writes the schema of configuration files as a constant: cmake -DFROM=FILE.json -DTO=FILE.cpp -P config_schema.cmake
file(READ ${FROM} text)
file(WRITE ${TO} "#include \"deploy/help/manual.hpp\"

namespace troupe::deploy {

std::string_view config_schema() {
  static constexpr std::string_view text = R\"config_schema(${text})config_schema\";
  return text;
}

} // namespace troupe::deploy
")
