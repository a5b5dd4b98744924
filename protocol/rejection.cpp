#include "protocol/rejection.hpp"

#include <algorithm>
#include <array>

namespace troupe::protocol {

namespace {

constexpr std::string_view kind_field = "Troupe-Refusal";

struct known_kind {
  refusal_kind kind;
  std::string_view name;
  /// Reason in the text, by which nodes of release 1.0.0 recognise the refusal: it must not change.
  std::string_view reason;
};
constexpr std::array<known_kind, 2> known_kinds{
    {{refusal_kind::owner_unknown, "owner-unknown", "nobody can tell yet who owns the session"},
     {refusal_kind::gateway_stops, "gateway-stops", "the gateway is stopping"}}};

constexpr std::string_view unavailable_prefix = "Service Unavailable: ";

bool has_reason(std::string_view text, std::string_view reason) {
  return text.starts_with(unavailable_prefix) && text.substr(unavailable_prefix.size()) == reason;
}

const known_kind* find_kind(refusal_kind kind) {
  const auto found = std::ranges::find(known_kinds, kind, &known_kind::kind);
  return found == known_kinds.end() ? nullptr : found;
}

rejection unavailable_as(refusal_kind kind, std::string request) {
  auto result = unavailable(std::string{find_kind(kind)->reason}, std::move(request));
  result.is = kind;
  return result;
}

} // namespace

rejection refusal(int status, std::string text) { return {status, error_code::invalid_request, std::move(text)}; }

rejection method_not_allowed(std::string_view methods) {
  return {405, error_code::invalid_request, "Method Not Allowed", {}, {{"Allow", std::string{methods}}}};
}

rejection state_refused(std::string id) {
  return {200, error_code::invalid_params, "requestState is invalid or expired", std::move(id)};
}

rejection session_not_found() {
  return {404, error_code::invalid_request, "Session not found: it ended, or never was; start again with initialize"};
}

rejection gateway_stops(std::string request) { return unavailable_as(refusal_kind::gateway_stops, std::move(request)); }

rejection owner_unknown() { return unavailable_as(refusal_kind::owner_unknown, {}); }

rejection end_unconfirmed(std::string request) {
  return unavailable(
      "the session has ended here, but the store has not confirmed it, and the session may be restored if "
      "this node is lost; repeat DELETE",
      std::move(request));
}

rejection node_unreachable() {
  return unavailable("the node of the session cannot be reached, and the session may still be live; try again");
}

rejection another_process_serves() {
  return refusal(307, "Temporary Redirect: another process accepts clients now; connect again");
}

rejection session_moves() { return unavailable("the session moves to another node"); }

rejection unavailable(std::string why, std::string id, std::chrono::seconds retry) {
  return {503,
          error_code::internal_error,
          std::string{unavailable_prefix} + std::move(why),
          std::move(id),
          {{"Retry-After", std::to_string(retry.count())}}};
}

rejection too_many_requests(std::string why, std::chrono::seconds retry, std::string id) {
  return {429,
          error_code::internal_error,
          "Too Many Requests: " + std::move(why),
          std::move(id),
          {{"Retry-After", std::to_string(retry.count())}}};
}

rejection server_not_found() { return {404, error_code::invalid_request, "Not Found: no server has this name"}; }

header_fields fields_for_node(const rejection& why) {
  auto result = why.headers;
  if (auto* known = find_kind(why.is))
    result.emplace_back(kind_field, known->name);
  return result;
}

void read_kind(rejection& from_node) {
  auto& fields = from_node.headers;
  const auto field = std::ranges::find(fields, kind_field, &header_fields::value_type::first);
  const auto means = [&](const known_kind& one) {
    return field == fields.end() ? has_reason(from_node.text, one.reason) : field->second == one.name;
  };
  const auto known = std::ranges::find_if(known_kinds, means);
  from_node.is = known == known_kinds.end() ? refusal_kind::other : known->kind;
  if (field != fields.end())
    fields.erase(field);
}

} // namespace troupe::protocol
