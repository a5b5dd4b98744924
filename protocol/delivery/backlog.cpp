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
  if (std::ranges::any_of(waiting_.items(), same))
    return true;
  if (!make_room(one)) {
    dropped_ += is_request(one) ? 0 : 1;
    return !is_request(one);
  }
  waiting_.push(std::move(one));
  return true;
}

void backlog::withdraw(const std::string& id) {
  waiting_.remove_first([&](const message& one) { return is_request(one) && same_id(one.id, id); });
}

bool backlog::make_room(const message& one) {
  const auto bytes = one.text.size();
  const auto most = [&] { return waiting_.allowed(most_bytes_, least_bytes); };
  if (bytes > most())
    return false;
  while (waiting_.size() >= most_messages_ || !waiting_.fits(bytes, most()))
    if (!drop_first(is_log) && (is_log(one) || !drop_first(is_other)))
      return false;
  return true;
}

bool backlog::drop_first(bool (*matches)(const message&)) {
  const auto is_dropped = waiting_.remove_first(matches);
  dropped_ += is_dropped ? 1 : 0;
  return is_dropped;
}

} // namespace troupe::protocol
