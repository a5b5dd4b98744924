#include "protocol/modern_client/lone_questions.hpp"

#include <algorithm>
#include <utility>

namespace troupe::protocol {

namespace {

bool contains_name(const std::vector<std::string>& all, const std::string& name) {
  return std::ranges::find(all, name) != all.end();
}

} // namespace

bool lone_questions::are_of(const face_call& call) const { return !all_.empty() && contains_name(all_, name_of(call)); }

void lone_questions::asked_together(const face_call& call, std::size_t count) {
  if (count != 1 || all_.size() >= most)
    return;
  auto name = name_of(call);
  if (name.size() <= longest_name && !contains_name(all_, name))
    all_.push_back(std::move(name));
}

void lone_questions::came_late(const face_call& call) { std::erase(all_, name_of(call)); }

} // namespace troupe::protocol
