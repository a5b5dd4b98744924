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
  return result && result->count() > 0 ? result : std::nullopt;
}

CLI::Validator must_be_time() {
  return {[](const std::string& text) {
            return flag_time(text) ? std::string{}
                                   : "'" + text + "' is not a time above 0, such as 90, 90s, 500ms, 1.5m or 1h";
          },
          ""};
}

std::string time_text(std::chrono::milliseconds time) {
  for (const auto& [unit, name] : {std::pair{std::chrono::milliseconds{std::chrono::hours{1}}, "h"},
                                   {std::chrono::minutes{1}, "m"},
                                   {std::chrono::seconds{1}, "s"}})
    if (time.count() > 0 && time % unit == std::chrono::milliseconds::zero())
      return std::to_string(time / unit) + name;
  return std::to_string(time.count()) + "ms";
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
