#include "protocol/cluster/restore_pace.hpp"

#include <algorithm>
#include <utility>

namespace troupe::protocol {

namespace {

constexpr std::chrono::seconds second{1};

} // namespace

bool restore_pace::has_turn(time_point now) {
  while (!begun_.empty() && begun_.front() + second <= now)
    begun_.pop_front();
  return begun_.size() + sought_.size() < most_;
}

restore_pace::turn restore_pace::asked(const std::string& session, time_point now) {
  if (waiting_.empty() && has_turn(now)) {
    sought_.insert(session);
    return turn::now;
  }
  if (waiting_.size() >= most_ * static_cast<std::size_t>(patience.count()))
    return turn::never;
  waiting_.push_back(session);
  return turn::later;
}

void restore_pace::found(const std::string& session, bool begins, time_point now) {
  if (sought_.erase(session) != 0 && begins)
    begun_.push_back(now);
}

std::vector<std::string> restore_pace::due(time_point now) {
  std::vector<std::string> result;
  while (!waiting_.empty() && has_turn(now)) {
    sought_.insert(waiting_.front());
    result.push_back(std::move(waiting_.front()));
    waiting_.pop_front();
  }
  return result;
}

time_point restore_pace::deadline() const {
  if (waiting_.empty())
    return time_point::max();
  if (begun_.size() + sought_.size() < most_)
    return time_point::min();
  return begun_.empty() ? time_point::max() : begun_.front() + second;
}

std::chrono::seconds restore_pace::pause() const {
  return std::chrono::seconds{std::max<std::size_t>(1, (waiting_.size() + most_ - 1) / most_)};
}

} // namespace troupe::protocol
