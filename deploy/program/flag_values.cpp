#include "deploy/program/flag_values.hpp"

#include "deploy/config/config_file.hpp"
#include "deploy/config/config_keys.hpp"
#include "deploy/config/config_problem.hpp"
#include "protocol/text/json.hpp"
#include "protocol/text/words.hpp"

namespace troupe::deploy {

namespace {

/// Replaces variables as in a configuration file.
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
  if (colon == std::string::npos || !is_header_name(name)) // not repeated: may be secret
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

std::optional<std::chrono::milliseconds> flag_time(const std::string& text) {
  auto result = duration_of(std::string_view{text});
  if (double seconds = 0; !result && CLI::detail::lexical_cast(text, seconds))
    result = duration_of(seconds);
  return result;
}

CLI::Validator must_be_time(protocol::bounds within) {
  const std::string above = within.least > 0 ? " above 0" : "";
  return {[=](const std::string& text) {
            const auto time = flag_time(text);
            const auto is_good = time && time->count() >= static_cast<std::int64_t>(within.least);
            return is_good ? "" : "'" + text + "' is not a time" + above + ", such as 90, 90s, 500ms, 1.5m or 1h";
          },
          ""};
}

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
