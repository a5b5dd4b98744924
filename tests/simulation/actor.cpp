#include "tests/simulation/actor.hpp"

#include <algorithm>
#include <utility>

namespace troupe::tests::simulation {

namespace {

constexpr span_of_time usual_delay = 20us;
/// Delay of one run in `rare`, as on a machine whose processors are busy.
constexpr span_of_time long_delay = 4ms;
constexpr std::size_t rare = 64;

} // namespace

time_point process::local(time_point real) const {
  auto passed = static_cast<double>((real - begun_).count()) * speed_;
  return begun_ + span_of_time{static_cast<span_of_time::rep>(passed)};
}

/// Time that the machine was suspended up to now, by its own clock.
span_of_time process::asleep() const {
  auto rest = std::max(suspended_until_, time.now()) - time.now();
  return span_of_time{static_cast<span_of_time::rep>(static_cast<double>((suspended_ - rest).count()) * speed_)};
}

time_point process::real(time_point steady) const {
  constexpr auto far = 24h;
  if (steady > begun_ + far)
    return time_point::max();
  auto passed = static_cast<double>((steady - begun_).count()) / speed_;
  return begun_ + suspended_ + span_of_time{static_cast<span_of_time::rep>(passed) + 1};
}

void process::suspend(span_of_time how_long) {
  auto until = time.now() + how_long;
  suspended_ += std::max(until - std::max(time.now(), suspended_until_), span_of_time{0});
  suspended_until_ = std::max(suspended_until_, until);
  paused_until = std::max(paused_until, until);
}

time_point process::next_run(bool goes_on) {
  auto& luck = time.luck();
  auto most = luck.one_in(rare) ? long_delay : goes_on ? usual_delay / 10 : usual_delay;
  return std::max(time.now(), paused_until) + luck.between(span_of_time{1}, most);
}

void actor::post(action message) {
  if (has_ended_ || !at_->is_alive)
    return;
  mailbox_.push_back(std::move(message));
  if (!is_planned_)
    plan(false);
}

/// An actor with messages lives on even if nobody else knows it.
void actor::plan(bool goes_on) {
  is_planned_ = true;
  at_->time.at(at_->next_run(goes_on), [self = shared_from_this()] { self->run(); });
}

void actor::run() {
  is_planned_ = false;
  if (has_ended_ || !at_->is_alive || mailbox_.empty())
    return;
  if (at_->is_paused())
    return plan(false);
  auto next = std::move(mailbox_.front());
  mailbox_.pop_front();
  next();
  if (!mailbox_.empty() && !is_planned_)
    plan(true);
}

void actor::remind(time_point deadline) {
  auto when = deadline == time_point::max() ? deadline : at_->real(deadline);
  if (when >= reminded_)
    return;
  reminded_ = when;
  at_->time.at(when, [weak = weak_from_this(), when, deadline] {
    auto self = weak.lock();
    if (!self || self->reminded_ != when)
      return;
    self->reminded_ = time_point::max();
    if (self->at_->real(deadline) > when) // the machine was suspended meanwhile
      return self->remind(deadline);
    self->post([self = self.get()] { self->tick(); });
  });
}

void actor::remind_by_boot(time_point deadline) {
  if (deadline != time_point::max())
    remind(now() + (std::max(deadline, boot_now()) - boot_now()));
}

/// Drops what waits, but only after the current message, which may be one of it.
void actor::quit() {
  if (std::exchange(has_ended_, true))
    return;
  ended();
  auto dropped = std::exchange(mailbox_, {});
}

} // namespace troupe::tests::simulation
