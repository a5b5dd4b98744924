#include "net/client/call_turns.hpp"

#include <algorithm>

namespace troupe::net {

namespace {

bool fits(std::size_t size, std::size_t used, std::size_t limit) { return size <= limit - std::min(used, limit); }

} // namespace

call_turns::answer call_turns::asks(user& whose, number call, std::size_t size, bool ahead) {
  if (whose.running_ == 0 || (running_ < limits_.running && whose.waiting_.empty())) {
    ++whose.running_;
    ++running_;
    return answer::begins;
  }
  if (!may_wait(whose, size))
    return answer::refused;
  if (whose.waiting_.empty())
    next_.push_back(&whose);
  whose.waiting_.insert(ahead ? whose.waiting_.begin() : whose.waiting_.end(), {call, size});
  whose.bytes_ += size;
  bytes_ += size;
  ++waiting_;
  return answer::waits;
}

bool call_turns::may_wait(const user& whose, std::size_t size) const {
  auto in_number = whose.waiting_.size() < limits_.waiting && waiting_ < limits_.waiting * limits_.full_users;
  auto in_bytes = whose.waiting_.empty() || fits(size, whose.bytes_, limits_.bytes);
  return in_number && in_bytes && fits(size, bytes_, limits_.bytes * limits_.full_users);
}

std::vector<call_turns::number> call_turns::ended(user& whose) {
  std::vector<number> result;
  --whose.running_;
  --running_;
  if (whose.running_ == 0 && !whose.waiting_.empty())
    begin_first(whose, result);
  while (running_ < limits_.running && !next_.empty()) {
    next_.splice(next_.end(), next_, next_.begin());
    begin_first(*next_.back(), result);
  }
  return result;
}

void call_turns::begin_first(user& whose, std::vector<number>& out) {
  out.push_back(whose.waiting_.front().call);
  remove(whose, whose.waiting_.begin());
  ++whose.running_;
  ++running_;
}

void call_turns::gave_up(user& whose, number call) {
  auto is_it = [&](auto& one) { return one.call == call; };
  if (auto at = std::find_if(whose.waiting_.begin(), whose.waiting_.end(), is_it); at != whose.waiting_.end())
    remove(whose, at);
}

void call_turns::remove(user& whose, std::list<user::waiting_call>::iterator at) {
  --waiting_;
  bytes_ -= at->size;
  whose.bytes_ -= at->size;
  whose.waiting_.erase(at);
  if (whose.waiting_.empty())
    next_.remove(&whose);
}

} // namespace troupe::net
