#include "tests/simulation/redis_line.hpp"

#include <algorithm>
#include <utility>

namespace troupe::tests::simulation {

namespace {

constexpr span_of_time first_pause = 100ms;
constexpr span_of_time longest_pause = 1s;

} // namespace

// -- the connection --------------------------------------------------------------------------

void redis_line::connect() {
  time().after(delay(), [weak = weak_from_this()] {
    if (auto self = weak.lock(); self && self->at_->is_alive)
      self->try_to_connect();
  });
}

void redis_line::try_to_connect() {
  if (to_.hangs() || at_->is_paused())
    return connect_later();
  is_up_ = true;
  pause_ = first_pause;
  told_({});
}

void redis_line::connect_later() {
  auto pause = std::exchange(pause_, std::min(pause_ * 2, longest_pause));
  time().after(pause, [weak = weak_from_this()] {
    if (auto self = weak.lock())
      self->connect();
  });
}

/// Commands that the store has received are carried out, or not.
void redis_line::lose(const std::string& why) {
  if (!std::exchange(is_up_, false))
    return;
  ++connection_;
  if (time().luck().one_in(2))
    inbox_.clear();
  for (auto& one : std::exchange(waiting_, {}))
    one.lost();
  told_(why);
  connect_later();
}

/// A store that hangs is given up after the limit of a command.
void redis_line::watch() {
  if (std::exchange(is_watching_, true))
    return;
  time().after(limit_ / 4, [weak = weak_from_this()] {
    auto self = weak.lock();
    if (!self || !self->at_->is_alive)
      return;
    self->is_watching_ = false;
    if (self->waiting_.empty())
      return;
    if (!self->at_->is_paused() && self->at_->now() >= self->waiting_.front().since + self->limit_)
      return self->lose("it did not answer in time");
    self->watch();
  });
}

// -- commands --------------------------------------------------------------------------------

void redis_line::send(command what, std::function<void()> lost) {
  if (!is_up_)
    return lost();
  waiting_.push_back({std::move(lost), at_->now()});
  watch();
  last_arrival_ = std::max(last_arrival_ + span_of_time{1}, time().now() + delay());
  // Commands that a node has sent arrive even if the node is gone.
  time().at(last_arrival_,
            [weak = weak_from_this(), kept = std::make_shared<command>(std::move(what)), &to = to_, &clock = time()] {
              if (auto self = weak.lock())
                self->arrive(kept);
              else if (!to.hangs())
                (*kept)(to.data, clock.now());
            });
}

void redis_line::arrive(const std::shared_ptr<command>& what) {
  inbox_.emplace_back(connection_, what);
  carry_out();
}

void redis_line::carry_out() {
  if (to_.hangs()) {
    time().at(to_.hangs_until(), [weak = weak_from_this()] {
      if (auto self = weak.lock())
        self->carry_out();
    });
    return;
  }
  for (auto& [connection, one] : std::exchange(inbox_, {})) {
    auto then = (*one)(to_.data, time().now());
    last_reply_ = std::max(last_reply_ + span_of_time{1}, time().now() + delay());
    time().at(last_reply_, [weak = weak_from_this(), connection = connection, then = std::move(then)]() mutable {
      if (auto self = weak.lock(); self && self->at_->is_alive)
        self->reply(connection, std::move(then));
    });
  }
}

void redis_line::reply(std::uint64_t connection, std::function<void()> then) {
  if (connection != connection_ || waiting_.empty())
    return;
  if (at_->is_paused()) {
    last_reply_ = std::max(last_reply_ + span_of_time{1}, at_->paused_until);
    return time().at(last_reply_, [weak = weak_from_this(), connection, then = std::move(then)]() mutable {
      if (auto self = weak.lock(); self && self->at_->is_alive)
        self->reply(connection, std::move(then));
    });
  }
  if (at_->now() >= waiting_.front().since + limit_)
    return lose("it did not answer in time");
  waiting_.pop_front();
  then();
}

} // namespace troupe::tests::simulation
