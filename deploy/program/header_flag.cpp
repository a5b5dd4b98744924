#include "deploy/program/header_flag.hpp"

#include "deploy/config/config_file.hpp"
#include "deploy/config/config_problem.hpp"
#include "deploy/config/config_rules.hpp"
#include "protocol/text/json.hpp"
#include "protocol/text/words.hpp"

#include <CLI/CLI.hpp>

#include <set>

namespace troupe::deploy {

namespace {

/// As in a file.
std::string with_variables(const std::string& typed, const std::string& flag, config_variables::callers named) {
  const auto token = protocol::quoted(typed);
  config_report report{token};
  config_variables variables{".", process_variable};
  auto result = variables.expanded(typed, config_value{report, token}, named);
  if (!result)
    throw CLI::ValidationError(flag, report.problems().empty() ? "has a variable without a value"
                                                               : report.problems().front().text);
  return std::move(*result);
}

std::pair<std::string, std::string> read_header(const std::string& typed, config_variables::callers named) {
  const auto colon = typed.find(':');
  auto name = std::string(protocol::trimmed(typed.substr(0, colon)));
  if (colon == std::string::npos || !is_header_name(name)) // not repeated: the value may be secret
    throw CLI::ValidationError("--header", "must be a name, a colon and a value, such as 'X-Team: blue'");
  const auto flag = "--header " + name;
  if (is_own_header(name))
    throw CLI::ValidationError(flag, "is a header that troupe sets itself");
  auto value = with_variables(std::string(protocol::trimmed(typed.substr(colon + 1))), flag, named);
  if (!is_header_value(value))
    throw CLI::ValidationError(flag, "must not contain line breaks or other control characters");
  return {std::move(name), std::move(value)};
}

} // namespace

std::vector<std::pair<std::string, std::string>> typed_headers(const std::vector<std::string>& typed,
                                                               config_variables::callers named) {
  std::vector<std::pair<std::string, std::string>> result;
  std::set<std::string> seen;
  for (const auto& one : typed) {
    result.push_back(read_header(one, named));
    if (const auto& name = result.back().first; !seen.insert(protocol::lower(name)).second)
      throw CLI::ValidationError("--header " + name, "is given twice: case does not tell headers apart");
  }
  return result;
}

} // namespace troupe::deploy
