#include "deploy/config/option_reader.hpp"

#include "protocol/http/known_paths.hpp"
#include "protocol/text/ip_address.hpp"

namespace troupe::deploy {

namespace {

using protocol::text_form;

/// Reads a text that must have no fault. The fault is a part of a sentence about the text.
std::optional<std::string> without_fault(const config_value& value, std::string (*fault_of)(const std::string& text)) {
  auto text = value.text();
  if (!text)
    return text;
  if (const auto why = fault_of(*text); !why.empty()) {
    value.error(why);
    return std::nullopt;
  }
  return text;
}

std::string fault_of_path(const std::string& text) {
  const auto why = protocol::fault_of_path(text);
  return why.empty() ? why : "'" + text + "' " + why;
}

std::string fault_of_network(const std::string& text) {
  return protocol::ip_networks::is_valid(text) ? "" : "must be an address or a network such as 10.0.0.0/8";
}

} // namespace

std::optional<std::string> read_option_text(const config_value& value, text_form form, config_variables& variables) {
  if (form == text_form::readable_file)
    return readable_path(value, variables);
  if (form == text_form::file)
    return path_of(value, variables);
  if (form == text_form::http_path)
    return without_fault(value, fault_of_path);
  if (form == text_form::network)
    return without_fault(value, fault_of_network);
  const auto text = value.nonempty_text();
  return text && form != text_form::filled ? variables.expanded(*text, value) : text;
}

std::vector<std::string> read_option_texts(const config_value& value, text_form form, config_variables& variables) {
  std::vector<std::string> result;
  for (const auto& one : value.elements())
    if (auto text = read_option_text(one, form, variables))
      result.push_back(std::move(*text));
  return result;
}

std::optional<std::chrono::milliseconds> read_option_time(const config_value& value, protocol::bounds within) {
  return within.least > 0 ? value.duration() : value.duration_or_zero();
}

} // namespace troupe::deploy
