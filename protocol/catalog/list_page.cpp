#include "protocol/catalog/list_page.hpp"

#include "protocol/message/splice.hpp"
#include "protocol/text/base_encodings.hpp"
#include "protocol/text/json.hpp"
#include "protocol/text/number.hpp"
#include "protocol/text/words.hpp"

#include <algorithm>
#include <bit>

namespace troupe::protocol {

namespace {

/// Element before the servers' cursors.
constexpr std::string_view public_mark = R"("public")";

constexpr std::size_t encoded_size(std::size_t bytes) { return (bytes * 4 + 2) / 3; }

/// Omits the page count and mark of a first cursor, which follow from the token.
std::string part_text(const server_cursor& part) {
  auto result = "[" + std::to_string(part.server) + "," + part.token;
  if (part.pages > 1)
    result += "," + std::to_string(part.pages) + "," + std::to_string(part.seen);
  return result += "]";
}

std::optional<server_cursor> read_part(std::string_view text) {
  if (text.front() != '[')
    return std::nullopt;
  array_reader parts{text};
  auto server = parts.next() ? read_number(parts.value()) : std::nullopt;
  if (!server || !parts.next() || parts.value().front() != '"')
    return std::nullopt;
  server_cursor result{*server, std::string{parts.value()}};
  if (!parts.next())
    return result;
  const auto pages = read_number(parts.value());
  const auto seen = parts.next() ? read_number(parts.value()) : std::nullopt;
  if (!pages || !seen || parts.next())
    return std::nullopt;
  result.pages = *pages;
  result.seen = *seen;
  return result;
}

std::size_t bytes_of_seal(const cursor_seal& seal) { return seal ? seal({}).front().size() : 0; }

std::string sealed(const std::string& text, const cursor_seal& seal) {
  return base64url(seal ? seal(text).front() + text : text);
}

/// Returns the text that `sealed` was given; empty if the seal is not ours for this caller.
std::optional<std::string> unsealed(std::string_view cursor, const cursor_seal& seal) {
  auto read = from_base64url(cursor);
  const auto size = bytes_of_seal(seal);
  if (!read || read->size() < size)
    return std::nullopt;
  auto text = read->substr(size);
  read->resize(size);
  if (seal && std::ranges::none_of(seal(text), [&](auto& one) { return same_secret(one, *read); }))
    return std::nullopt;
  return text;
}

/// More servers than are ever merged. A limit is needed as each part is compared with all others.
constexpr std::size_t most_parts = 1000;

bool has(const std::vector<server_cursor>& all, std::uint64_t server) {
  return std::any_of(all.begin(), all.end(), [&](auto& one) { return one.server == server; });
}

/// True for requests whose answers have a cursor (2025-11-25, pagination, "Operations Supporting Pagination"; tasks).
bool asks_for_list(const message& request) { return list_asked_by(request.method) || request.is_method("tasks/list"); }

/// Replaces each non-empty text member of that name. False if `change` gives no replacement.
template <class Change>
bool change_texts(std::string_view text, std::string_view object, std::string_view name, Change change,
                  std::vector<edit>& edits) {
  for (object_reader members{object}; members.next();) {
    auto before = members.key() == name ? string_value(members.value()) : std::nullopt;
    if (!before || before->empty())
      continue;
    std::optional<std::string> after = change(*before);
    if (!after)
      return false;
    edits.push_back(replacing(text, members.value(), quoted(*after)));
  }
  return true;
}

/// True if an object has a text member of that name, even an empty one.
bool has_text(std::string_view object, std::string_view name) {
  const auto value = find_member(object, {name});
  return value && value->starts_with('"');
}

message response(std::string_view id, const std::string& result) {
  std::string text = R"({"jsonrpc":"2.0","id":)";
  slice at{text.size(), id.size()};
  (text += id) += R"(,"result":)" + result + "}";
  return {.kind = message_kind::response, .text = std::move(text), .id = std::string{id}, .id_at = at};
}

} // namespace

server_cursor server_cursor::followed_by(std::string_view next) const {
  server_cursor result{server, std::string{next}, pages + 1};
  if (!std::has_single_bit(result.pages))
    result.seen = seen;
  return result;
}

std::string merged_cursor(const merged_place& place, const cursor_seal& seal) {
  auto text = place.is_public ? "[" + std::string{public_mark} : "[";
  for (auto& part : place.parts)
    text += (text.size() > 1 ? "," : "") + part_text(part);
  text += ']';
  return sealed(text, seal);
}

std::vector<std::uint64_t> cut_to_fit(merged_place& place, const cursor_seal& seal) {
  std::vector<std::uint64_t> result;
  auto size = bytes_of_seal(seal) + std::string_view{"[]"}.size() + (place.is_public ? public_mark.size() : 0);
  auto is_first = !place.is_public;
  std::erase_if(place.parts, [&](auto& part) {
    const auto more = (is_first ? 0 : 1) + part_text(part).size();
    if (encoded_size(size + more) > longest_cursor) {
      result.push_back(part.server);
      return true;
    }
    size += more;
    is_first = false;
    return false;
  });
  return result;
}

std::optional<merged_place> read_merged_cursor(std::string_view cursor, const cursor_seal& seal) {
  auto text = cursor.size() > longest_cursor ? std::nullopt : unsealed(cursor, seal);
  if (!text || json_error(*text) || trimmed(*text).front() != '[')
    return std::nullopt;
  merged_place result;
  for (array_reader parts{*text}; parts.next();) {
    if (!result.is_public && result.parts.empty() && parts.value() == public_mark) {
      result.is_public = true;
      continue;
    }
    auto part = read_part(parts.value());
    if (!part || result.parts.size() == most_parts || has(result.parts, part->server))
      return std::nullopt;
    result.parts.push_back(std::move(*part));
  }
  return result;
}

/// Seals them with a prefix that no other sealed text has.
sealed_cursors::sealed_cursors(cursor_seal seal)
    : seal_{[seal = std::move(seal)](std::string_view cursor) { return seal("cursor " + std::string{cursor}); }} {}

std::optional<message> sealed_cursors::refuse(message& to_server) {
  if (is_cancellation(to_server))
    lists_.erase(to_server.reference);
  if (!is_request(to_server) || !asks_for_list(to_server))
    return std::nullopt;
  std::vector<edit> edits;
  const auto params = find_member(to_server.text, {"params"}).value_or("");
  if (!change_texts(
          to_server.text, params, "cursor", [this](auto& cursor) { return unsealed(cursor, seal_); }, edits))
    return gateway_message(error_text(to_server.id, error_code::invalid_params, "Invalid cursor"));
  lists_.insert_or_assign(to_server.id, has_text(params, "cursor"));
  to_server = spliced(std::move(to_server), std::move(edits));
  return std::nullopt;
}

message sealed_cursors::for_client(message from_server) {
  if (from_server.kind != message_kind::response)
    return from_server;
  const auto list = lists_.extract(from_server.id);
  if (list.empty())
    return from_server;
  std::vector<edit> edits;
  const auto result = find_member(from_server.text, {"result"}).value_or("");
  change_texts(
      from_server.text, result, "nextCursor", [this](auto& cursor) { return std::optional{sealed(cursor, seal_)}; },
      edits);
  if (list.mapped() || has_text(result, "nextCursor"))
    make_private(from_server.text, result, edits);
  return spliced(std::move(from_server), std::move(edits));
}

bool asks_for_first_page(const message& request) {
  auto token = find_member(request.text, {"params", "cursor"});
  return !token || token == "null";
}

std::optional<merged_place> merged_cursor_of(const message& request, const cursor_seal& seal) {
  auto cursor = find_string(request.text, {"params", "cursor"});
  return cursor ? read_merged_cursor(*cursor, seal) : std::nullopt;
}

message with_cursor(message request, std::string_view token) {
  auto params = find_member(request.text, {"params"});
  if (!params || !find_member(*params, {"cursor"}))
    return request;
  if (token.empty()) {
    auto first =
        gateway_message(spliced(request.text, {replacing(request.text, *params, without_member(*params, "cursor"))}));
    first.requester = std::move(request.requester);
    first.trace = std::move(request.trace);
    return first;
  }
  std::vector<edit> edits;
  for (object_reader members{*params}; members.next();)
    if (members.key() == "cursor")
      edits.push_back(replacing(request.text, members.value(), std::string{token}));
  return spliced(std::move(request), std::move(edits));
}

bool has_object_result(std::string_view answer) {
  auto result = answer.empty() ? std::nullopt : find_member(answer, {"result"});
  return result && result->front() == '{';
}

std::string_view continuation_in(std::string_view answer, bool is_modern) {
  const auto token = find_member(answer, {"result", "nextCursor"}).value_or("null");
  const auto is_end = token == "null" || (token.starts_with('"') && !has_next_page(token, is_modern));
  return is_end ? std::string_view{} : token;
}

std::string_view next_cursor(std::string_view answer, bool is_modern) {
  const auto token = continuation_in(answer, is_modern);
  return token.starts_with('"') ? token : std::string_view{};
}

message list_answer(std::string_view id, list_kind kind, std::string_view items, const merged_place& next,
                    const cursor_seal& seal, const std::optional<cache_hints>& hints) {
  auto result = "{" + quoted(items_member(kind)) + ":[";
  (result += items) += "]";
  if (!next.parts.empty())
    result += R"(,"nextCursor":")" + merged_cursor(next, seal) + '"';
  if (hints)
    result += "," + cache_members(*hints);
  auto answer = response(id, result + "}");
  answer.claims_modern = hints.has_value();
  return answer;
}

} // namespace troupe::protocol
