#include "protocol/stateless/known_tools.hpp"

#include "protocol/message/message_parts.hpp"

#include <utility>

namespace troupe::protocol {

void known_tools::fetch(face_requests& ours, stateless_effects& out) {
  if (is_ == phase::asked)
    return;
  is_ = phase::asked;
  pages_ = 0;
  ask_first(ours, out);
}

void known_tools::ask_first(face_requests& ours, stateless_effects& out) {
  forget();
  has_changed_ = false;
  ours.ask({face_requests::purpose::tools_page}, "tools/list", "{}", out);
}

void known_tools::take_page(const message& answer, face_requests& ours, stateless_effects& out) {
  auto result = find_member(answer.text, {"result"}).value_or("");
  learn(result);
  ++pages_;
  auto cursor = result.starts_with('{') ? find_member(result, {"nextCursor"}).value_or("") : "";
  if (has_changed_ && pages_ < most_tool_pages)
    return ask_first(ours, out);
  if (cursor.starts_with('"') && pages_ < most_tool_pages)
    return ours.ask({face_requests::purpose::tools_page}, "tools/list", R"({"cursor":)" + std::string{cursor} + "}",
                    out);
  is_ = phase::known;
}

void known_tools::learn(std::string_view result) {
  if (!result.starts_with('{'))
    return;
  arguments_.learn(result);
  auto tools = find_member(result, {"tools"}).value_or("");
  if (!tools.starts_with('['))
    return;
  for (array_reader all{tools}; all.next();)
    learn_tool(all.value());
}

void known_tools::learn_tool(std::string_view tool) {
  if (!tool.starts_with('{'))
    return;
  auto name = string_member(tool, {"name"});
  task_tools_.erase(name);
  if (string_member(tool, {"execution", "taskSupport"}) == "required" && task_tools_.size() < most_task_tools)
    task_tools_.insert(std::move(name));
}

void known_tools::changed() {
  has_changed_ = true;
  if (is_ == phase::known)
    is_ = phase::unknown;
}

void known_tools::server_lost() {
  forget();
  is_ = phase::unknown;
}

std::optional<rejection> known_tools::refuse(const message& tools_call, const request_envelope& envelope) const {
  return arguments_.refuse(tools_call, envelope.arguments);
}

bool known_tools::needs_task(const message& tools_call) const {
  return !task_tools_.empty() && task_tools_.contains(string_param(tools_call, "name"));
}

void known_tools::forget() {
  arguments_.forget();
  task_tools_.clear();
}

} // namespace troupe::protocol
