#include "protocol/catalog/list_page.hpp"

#include "protocol/message/splice.hpp"

#include <utility>

namespace troupe::protocol {

namespace {

message response(std::string_view id, const std::string& result) {
  std::string text = R"({"jsonrpc":"2.0","id":)";
  slice at{text.size(), id.size()};
  (text += id) += R"(,"result":)" + result + "}";
  return {.kind = message_kind::response, .text = std::move(text), .id = std::string{id}, .id_at = at};
}

} // namespace

bool asks_for_first_page(const message& request) {
  auto token = find_member(request.text, {"params", "cursor"});
  return !token || token == "null";
}

std::optional<merged_place> merged_cursor_of(const message& request, const cursor_seal& seal) {
  auto token = find_member(request.text, {"params", "cursor"});
  auto cursor = token ? string_value(*token) : std::nullopt;
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
  const auto is_end = token == "null" || (token.starts_with('"') && !goes_on(token, is_modern));
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
