#include "protocol/http/stateless_fields.hpp"

#include "protocol/message/header_value.hpp"
#include "protocol/message/naming_param.hpp"
#include "protocol/text/json.hpp"
#include "protocol/text/member_start.hpp"
#include "protocol/text/words.hpp"

#include <algorithm>
#include <array>
#include <utility>

namespace troupe::protocol {

namespace {

/// Params that decide where a request goes, or that are held to a rule here.
constexpr std::array<std::string_view, 8> looked_at{"_meta",     "name",           "uri",          "taskId",
                                                    "arguments", "inputResponses", "requestState", "notifications"};

/// 2026-07-28, transports, "Standard Headers"
std::optional<rejection> refuse_method_field(const known_fields::field& method, const message& request) {
  if (method.count == 0)
    return header_mismatch("Mcp-Method is missing; it repeats the method of the request", request);
  if (method.count > 1)
    return header_mismatch("Mcp-Method may come once", request);
  if (!request.is_method(method.value))
    return header_mismatch("Mcp-Method is not the method of the request", request);
  return std::nullopt;
}

/// The values of a param; peers disagree on which of several counts.
std::vector<std::string_view> values_of_param(const message& of, std::string_view name) {
  std::vector<std::string_view> result;
  for (object_reader params{member_start(of.text, {"params"}).value_or("{}")}; params.next();)
    if (params.key() == name)
      result.push_back(params.value());
  return result;
}

/// 2026-07-28, transports, "Standard Headers". A request without a name needs no field: the server says what it lacks.
std::optional<rejection> refuse_name_field(const known_fields::field& field, const message& request) {
  const auto param = naming_param(request);
  if (param.empty())
    return std::nullopt;
  const auto named = values_of_param(request, param);
  const auto which = "params." + std::string{param};
  if (field.count == 0 && named.empty())
    return std::nullopt;
  if (field.count == 0)
    return header_mismatch("Mcp-Name is missing; it repeats " + which, request);
  if (field.count > 1)
    return header_mismatch("Mcp-Name may come once", request);
  const auto name = decoded_header(field.value);
  if (!name)
    return header_mismatch("Mcp-Name has the marks of base64, but no base64 of UTF-8 between them", request);
  auto is_same = [&](std::string_view token) { return string_value(token) == name; };
  if (named.empty() || !std::ranges::all_of(named, is_same))
    return header_mismatch("Mcp-Name is not " + which, request);
  return std::nullopt;
}

} // namespace

stateless_fields::stateless_fields(const std::vector<http_field>& fields) {
  for (auto& one : fields)
    note(one);
}

void stateless_fields::note(const http_field& one) {
  constexpr std::string_view argument = "Mcp-Param-";
  if (same_word(one.name, "Mcp-Method"))
    method.note(one.value);
  else if (same_word(one.name, "Mcp-Name"))
    name.note(one.value);
  else if (same_word(one.name, "Troupe-Affinity"))
    affinity.note(one.value);
  else if (same_word(one.name.substr(0, argument.size()), argument))
    arguments.emplace_back(one.name.substr(argument.size()), without_blanks(one.value));
}

rejection header_mismatch(std::string why, const message& request) {
  return {400, error_code::header_mismatch, "Header mismatch: " + std::move(why), request.id};
}

std::optional<rejection> refuse_version_field(const known_fields::field& version, std::string_view claimed,
                                              const message& request) {
  if (version.count == 0)
    return header_mismatch("MCP-Protocol-Version is missing; it repeats the version in params._meta", request);
  if (version.count > 1)
    return header_mismatch("MCP-Protocol-Version may come once", request);
  if (version.value != claimed)
    return header_mismatch("MCP-Protocol-Version is not the version in params._meta", request);
  return std::nullopt;
}

std::optional<rejection> refuse_routing_fields(const stateless_fields& fields, const message& request) {
  auto bad = refuse_method_field(fields.method, request);
  return bad ? bad : refuse_name_field(fields.name, request);
}

std::optional<rejection> refuse_doubled_params(const message& request) {
  std::array<bool, looked_at.size()> is_there{};
  for (object_reader params{member_start(request.text, {"params"}).value_or("{}")}; params.next();)
    if (auto at = std::ranges::find(looked_at, params.key()); at != looked_at.end())
      if (std::exchange(is_there[static_cast<std::size_t>(at - looked_at.begin())], true))
        return rejection{400, error_code::invalid_params,
                         "Invalid params: params." + std::string{*at} + " is there twice", request.id};
  return std::nullopt;
}

std::optional<rejection> refuse_affinity(const known_fields::field& affinity, const message& request) {
  auto is_visible = [](char c) { return c > ' ' && c < 0x7f; };
  if (affinity.count == 0)
    return std::nullopt;
  if (affinity.count == 1 && !affinity.value.empty() && affinity.value.size() <= longest_affinity &&
      std::ranges::all_of(affinity.value, is_visible))
    return std::nullopt;
  return rejection{400, error_code::invalid_request,
                   "Bad Request: Troupe-Affinity may come once, with 1 to " + std::to_string(longest_affinity) +
                       " characters of visible ASCII",
                   request.id};
}

} // namespace troupe::protocol
