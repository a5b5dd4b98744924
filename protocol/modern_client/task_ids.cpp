#include "protocol/modern_client/task_ids.hpp"

#include "protocol/message/methods.hpp"
#include "protocol/message/splice.hpp"
#include "protocol/text/json.hpp"

#include <cstddef>
#include <string>
#include <utility>
#include <vector>

namespace troupe::protocol {

namespace {

constexpr char seal_mark = '.';

/// Nothing else that is sealed begins so.
std::string task_text(std::string_view id) { return "task " + std::string{id}; }

std::string sealed_id(std::string id, const state_seal& seal) {
  auto end = seal(task_text(id)).front();
  return std::move(id) + seal_mark + end;
}

std::optional<std::string> read_sealed_id(std::string_view text, const state_seal& seal) {
  auto mark = text.rfind(seal_mark);
  if (mark == text.npos)
    return std::nullopt;
  auto id = text.substr(0, mark);
  return is_sealed(task_text(id), text.substr(mark + 1), seal) ? std::optional{std::string{id}} : std::nullopt;
}

/// Most results do not have the word at all, unless it is written with escapes.
bool may_tell_of_task(std::string_view text) {
  return text.find("taskId") != text.npos || text.find("\\u") != text.npos;
}

/// The `taskId` of a request: an empty token when it has none, nothing when it has several, of which the server might
/// take another.
std::optional<std::string_view> task_named(const message& request) {
  std::string_view result;
  auto params = find_member(request.text, {"params"});
  if (!params || !params->starts_with('{'))
    return result;
  for (object_reader each{*params}; each.next();)
    if (each.key() == "taskId" && !std::exchange(result, each.value()).empty())
      return std::nullopt;
  return result;
}

} // namespace

bool may_be_of_tasks(std::string_view method) { return may_be_of(method, "tasks"); }

/// The id stands in the result, as the extension has it, or in its `task`, as in 2025-11-25.
message with_sealed_task(message answer, std::string_view method, const state_seal& seal) {
  if (!may_tell_of_task(answer.text))
    return answer;
  auto result = find_member(answer.text, {"result"});
  if (!result || !result->starts_with('{') ||
      (!may_be_of_tasks(method) && string_member(*result, {"resultType"}) != "task"))
    return answer;
  std::vector<edit> edits;
  for (auto token : {find_member(*result, {"taskId"}), find_member(*result, {"task", "taskId"})})
    if (auto id = token ? string_value(*token) : std::nullopt)
      edits.push_back(replacing(answer.text, *token, quoted(sealed_id(std::move(*id), seal))));
  return spliced(std::move(answer), std::move(edits));
}

/// One that names no task is for the server to refuse.
std::optional<message> with_unsealed_task(message request, const state_seal& seal) {
  auto token = task_named(request);
  if (token && token->empty())
    return request;
  auto text = token ? string_value(*token) : std::nullopt;
  auto id = text ? read_sealed_id(*text, seal) : std::nullopt;
  if (!id)
    return std::nullopt;
  auto by = replacing(request.text, *token, quoted(*id));
  return spliced(std::move(request), {std::move(by)});
}

} // namespace troupe::protocol
