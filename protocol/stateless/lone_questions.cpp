#include "protocol/stateless/lone_questions.hpp"

#include "protocol/text/json.hpp"

#include <algorithm>
#include <string_view>
#include <utility>

namespace troupe::protocol {

namespace {

std::string name_of(const face_call& call) {
  auto name = call.uri.empty() ? find_member(call.params, {"name"}).value_or("") : std::string_view{call.uri};
  return (call.method + " ").append(name);
}

} // namespace

bool lone_questions::are_of(const face_call& call) const {
  return !all_.empty() && std::find(all_.begin(), all_.end(), name_of(call)) != all_.end();
}

void lone_questions::asked_together(const face_call& call, std::size_t count) {
  auto name = name_of(call);
  if (count == 1 && all_.size() < most && name.size() <= longest_name && !are_of(call))
    all_.push_back(std::move(name));
}

void lone_questions::came_late(const face_call& call) { std::erase(all_, name_of(call)); }

} // namespace troupe::protocol
