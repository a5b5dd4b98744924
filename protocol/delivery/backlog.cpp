#include "protocol/delivery/backlog.hpp"

#include "protocol/message/same_id.hpp"

#include <algorithm>

namespace troupe::protocol {

namespace {

bool is_log(const message& one) { return one.is_method("notifications/message"); }

bool is_other(const message& one) { return !is_request(one); }

/// True if two changes announce the same list or resource: one of them is enough.
bool says_the_same(const message& a, const message& b) {
  if (is_request(a) || is_log(a) || a.method != b.method)
    return false;
  return a.method.ends_with("/list_changed") || a.text == b.text;
}

} // namespace

bool backlog::push(message one) {
  auto same = [&](const message& other) { return says_the_same(one, other); };
  if (std::any_of(waiting_.begin(), waiting_.end(), same))
    return true;
  if (!make_room(one)) {
    dropped_ += is_request(one) ? 0 : 1;
    return !is_request(one);
  }
  bytes_.add(one.text.size());
  waiting_.push_back(std::move(one));
  return true;
}

void backlog::withdraw(const std::string& id) {
  auto found = std::find_if(waiting_.begin(), waiting_.end(),
                            [&](const message& one) { return is_request(one) && same_id(one.id, id); });
  if (found == waiting_.end())
    return;
  bytes_.remove(found->text.size());
  waiting_.erase(found);
}

std::vector<message> backlog::take() {
  bytes_.remove(bytes_.bytes());
  return std::exchange(waiting_, {});
}

bool backlog::fits(std::size_t bytes) const {
  return waiting_.size() < most_messages_ && bytes_.bytes() + bytes <= room();
}

bool backlog::make_room(const message& one) {
  if (one.text.size() > room())
    return false;
  while (!fits(one.text.size()))
    if (!drop_first(is_log) && (is_log(one) || !drop_first(is_other)))
      return false;
  return true;
}

bool backlog::drop_first(bool (*matches)(const message&)) {
  auto found = std::find_if(waiting_.begin(), waiting_.end(), matches);
  if (found == waiting_.end())
    return false;
  bytes_.remove(found->text.size());
  waiting_.erase(found);
  ++dropped_;
  return true;
}

} // namespace troupe::protocol
