#include "protocol/modern_client/known_tools.hpp"

#include "protocol/message/lists.hpp"
#include "protocol/message/message.hpp"

#include <utility>

namespace troupe::protocol {

void known_tools::fetch(time_point now, face_requests& ours, stateless_effects& out) {
  if (is_ != phase::unknown || now < next_try_)
    return;
  is_ = phase::asked;
  pages_ = 0;
  was_begun_again_ = false;
  ask_first(ours, out);
}

void known_tools::ask_first(face_requests& ours, stateless_effects& out) {
  reading_.reset();
  has_changed_ = false;
  ours.ask({face_requests::purpose::tools_page}, "tools/list", "{}", out);
}

/// A list that changes all the time is taken as it is: who asks next reads it again.
void known_tools::take_page(const message& answer, time_point now, face_requests& ours, stateless_effects& out) {
  auto result = find_member(answer.text, {"result"}).value_or("");
  auto is_read = result.starts_with('{');
  learn(reading_, result);
  auto has_room = ++pages_ < most_tool_pages;
  if (is_read && has_changed_ && has_room && !std::exchange(was_begun_again_, true))
    return ask_first(ours, out);
  auto cursor = is_read ? find_member(result, {"nextCursor"}).value_or("") : "";
  if (goes_on(cursor, answer.claims_modern) && has_room)
    return ours.ask({face_requests::purpose::tools_page}, "tools/list", R"({"cursor":)" + std::string{cursor} + "}",
                    out);
  if (is_read || !was_read_)
    known_ = std::move(reading_);
  is_ = is_read && !has_changed_ ? phase::known : phase::unknown;
  was_read_ = was_read_ || is_read;
  if (!is_read)
    next_try_ = now + tool_list_pause;
}

void known_tools::learn(std::string_view result) {
  learn(known_, result);
  if (is_ == phase::asked)
    learn(reading_, result);
}

void known_tools::learn(kept_tools& to, std::string_view result) {
  if (!to)
    to = std::make_unique<tools>();
  to->learn(result);
  if (to->is_empty())
    to.reset();
}

void known_tools::tools::learn(std::string_view result) {
  if (!result.starts_with('{'))
    return;
  arguments.learn(result);
  auto all = find_member(result, {"tools"}).value_or("");
  if (!all.starts_with('['))
    return;
  for (array_reader each{all}; each.next();)
    learn_tool(each.value());
}

void known_tools::tools::learn_tool(std::string_view tool) {
  if (!tool.starts_with('{'))
    return;
  auto name = string_member(tool, {"name"});
  tasks.erase(name);
  if (string_member(tool, {"execution", "taskSupport"}) == "required" && tasks.size() < most_task_tools &&
      name.size() <= most_tool_name)
    tasks.insert(std::move(name));
}

void known_tools::changed() {
  has_changed_ = true;
  if (is_ == phase::known)
    is_ = phase::unknown;
}

std::optional<rejection> known_tools::refuse(const message& tools_call, const request_envelope& envelope) const {
  return known_ ? known_->arguments.refuse(tools_call, envelope.arguments) : std::nullopt;
}

bool known_tools::needs_task(const message& tools_call) const {
  return known_ && !known_->tasks.empty() && known_->tasks.contains(name_param(tools_call));
}

} // namespace troupe::protocol
