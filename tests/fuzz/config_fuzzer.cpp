// Any text is either a valid configuration file, or has an error with a line number.

#include "deploy/config/config_file.hpp"
#include "tests/fuzz/fuzzer.hpp"

using namespace troupe::deploy;
using troupe::fuzz::require;

namespace {

std::optional<std::string> variable(const std::string& name) {
  if (name == "A")
    return "value";
  if (name == "LONG")
    return std::string(100'000, 'x');
  return std::nullopt;
}

} // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* bytes, std::size_t size) {
  std::string text{reinterpret_cast<const char*>(bytes), size};
  const auto file = read_config(text, "/etc", variable);
  const auto lines = 1 + static_cast<std::size_t>(std::ranges::count(text, '\n'));
  bool usable = true;
  for (const auto& problem : file.problems) {
    require(problem.line <= lines, "a problem is in the file");
    require(problem_line("f", problem).find('\n') == std::string::npos, "a problem is told in one line");
    usable = usable && problem.severity != severity::error;
  }
  require(!usable || !file.gateway.servers.empty(), "a file without error has a server");
  return 0;
}
