#include "protocol/supervised/start_queue.hpp"

#include "protocol/message/message.hpp"
#include "protocol/message/same_id.hpp"

#include <algorithm>
#include <utility>

namespace troupe::protocol {

bool start_queue::has_room_for(user_id user, const message& what) const {
  auto of_user = of_users_.find(user);
  if (of_user != of_users_.end() && of_user->second >= most_of_user_)
    return false;
  return is_initialize(what) || bytes_ + what.text.size() <= most_bytes_;
}

void start_queue::add(user_id user, message&& what) {
  ++of_users_[user];
  bytes_ += what.text.size();
  entries_.push_back({user, std::move(what)});
}

bool start_queue::withdraw(user_id user, std::string_view id) {
  auto found = std::find_if(entries_.begin(), entries_.end(), [&](auto& one) {
    return one.user == user && is_request(one.what) && same_id(one.what.id, id);
  });
  if (found == entries_.end() || is_initialize(found->what))
    return false;
  bytes_ -= found->what.text.size();
  --of_users_.at(user);
  entries_.erase(found);
  return true;
}

void start_queue::drop(user_id user) {
  if (of_users_.erase(user) == 0)
    return;
  std::erase_if(entries_, [&](auto& one) {
    bytes_ -= one.user == user ? one.what.text.size() : 0;
    return one.user == user;
  });
}

std::deque<start_queue::entry> start_queue::take_all() {
  of_users_.clear();
  bytes_ = 0;
  return std::exchange(entries_, {});
}

const start_queue::entry* start_queue::first_initialize() const {
  auto found = std::find_if(entries_.begin(), entries_.end(), [](auto& one) { return is_initialize(one.what); });
  return found == entries_.end() ? nullptr : &*found;
}

} // namespace troupe::protocol
