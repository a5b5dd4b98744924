// A client's file with any text is either not imported, or becomes a file that the gateway accepts.

#include "deploy/config/config_command.hpp"
#include "deploy/config/config_file.hpp"
#include "deploy/import/merged_import.hpp"
#include "tests/fuzz/fuzzer.hpp"

using namespace troupe::deploy;
using troupe::fuzz::require;

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* bytes, std::size_t size) {
  const std::string text{reinterpret_cast<const char*>(bytes), size};
  merged_import merged{"/src/shop"};
  const auto file = merged.add({"Client", "/src/shop/.gemini/settings.json", size % 2 == 0}, text);
  require(file.taken <= file.servers && file.taken == merged.size(), "each server is taken once at most");
  merged.add({"Other", "/home/ann/other.json"}, text);
  require(read_env_file(text).bad_line <= size, "a bad line is in the file");
  if (merged.empty())
    return 0;
  merged.take_secrets();
  auto variable = [](const std::string&) { return std::optional<std::string>("http://value"); };
  require(!has_error(read_config(merged.text("schema"), "/", variable).problems), "what is made can be served");
  return 0;
}
