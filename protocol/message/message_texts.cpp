// Changing messages, and making the gateway's own; reading them is in `message.cpp`.

#include "protocol/message/message.hpp"
#include "protocol/message/same_id.hpp"
#include "protocol/text/whole_number.hpp"

#include <utility>

namespace troupe::protocol {

void replace_ids(message& one, std::string_view id, std::string_view reference) {
  auto replace = [&](slice& at, std::string& known, std::string_view token) {
    if (at.size == 0 || token.empty())
      return;
    one.text.replace(at.at, at.size, token);
    move_parts(one, at.at + at.size, static_cast<std::ptrdiff_t>(token.size()) - static_cast<std::ptrdiff_t>(at.size));
    at.size = token.size();
    known = token;
  };
  replace(one.id_at, one.id, id);
  replace(one.reference_at, one.reference, reference);
}

void move_parts(message& one, std::size_t from, std::ptrdiff_t by) {
  for (auto* part : {&one.id_at, &one.reference_at, &one.name_at})
    if (part->at >= from)
      part->at += static_cast<std::size_t>(by);
  if (one.params_at != 0 && one.params_at >= from)
    one.params_at += static_cast<std::uint32_t>(by);
}

bool has_ids_in_place(const message& one) {
  auto is_inside = [&](const slice& at) { return at.at <= one.text.size() && at.size <= one.text.size() - at.at; };
  auto precedes = [](const slice& a, const slice& b) { return a.at + a.size <= b.at; };
  auto &id = one.id_at, &reference = one.reference_at;
  return is_inside(id) && is_inside(reference) &&
         (id.size == 0 || reference.size == 0 || precedes(id, reference) || precedes(reference, id));
}

message relayed(message from, std::string_view id, std::string_view reference) {
  replace_ids(from, id, reference);
  return from;
}

std::optional<std::uint64_t> own_id(std::string_view token) {
  if (token.size() > 2 && token.front() == '"')
    token = token.substr(1, token.size() - 2);
  return unsigned_number(token);
}

bool names_request(std::string_view answer_id, std::string_view request_id) {
  if (same_id(answer_id, request_id))
    return true;
  const auto own = own_id(request_id);
  return own && own_id(answer_id) == own;
}

// -- messages of our own ---------------------------------------------------------

message own_message(std::string text) { return std::get<message>(read_message(std::move(text))); }

std::string error_text(std::string_view id, int code, std::string_view text) {
  std::string result = R"({"jsonrpc":"2.0","id":)";
  result += id.empty() ? "null" : id;
  result += R"(,"error":{"code":)" + std::to_string(code) + R"(,"message":)" + quoted(text) + "}}";
  return result;
}

std::string empty_result(std::string_view id) {
  return R"({"jsonrpc":"2.0","id":)" + std::string{id} + R"(,"result":{}})";
}

std::string cancelled_text(std::string_view request_id, std::string_view reason) {
  return R"({"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":)" + std::string{request_id} +
         R"(,"reason":)" + quoted(reason) + "}}";
}

} // namespace troupe::protocol
