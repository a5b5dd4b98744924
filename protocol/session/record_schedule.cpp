#include "protocol/session/record_schedule.hpp"

#include <utility>

namespace troupe::protocol {

record_schedule::record_schedule(std::optional<session_record> begins_as) {
  if (begins_as)
    keeper_ = std::make_unique<record_keeper>(std::move(*begins_as));
}

// -- changes -------------------------------------------------------------------------------

void record_schedule::begin_again(session_record from) {
  keeper_ = std::make_unique<record_keeper>(std::move(from));
  keeper_->restored();
}

void record_schedule::begin(const message& initialize) {
  if (keeper_ && !keeper_->begins(initialize))
    keeper_.reset();
}

void record_schedule::agreed(std::string_view version, time_point now, effects& out) {
  if (!keeper_)
    return;
  keeper_->agreed(std::string{version});
  write(now, out);
}

void record_schedule::client_initialized(time_point now, effects& out) {
  if (keeper_ && keeper_->initialized())
    write(now, out);
}

void record_schedule::asked(std::uint64_t own, const message& request) {
  if (keeper_)
    keeper_->asked(own, request);
}

void record_schedule::answered(std::uint64_t own, const message& answer, time_point now, effects& out) {
  if (keeper_ && keeper_->answered(own, answer))
    write_in_time(now, out);
}

void record_schedule::request_dropped(std::uint64_t own) {
  if (keeper_)
    keeper_->request_dropped(own);
}

// -- writes --------------------------------------------------------------------------------

void record_schedule::write(time_point now, effects& out) {
  auto text = record_text(keeper_->record());
  written_at_ = now;
  is_written_ = true;
  is_changed_ = false;
  paced_until_ =
      std::max(paced_until_, now) + std::chrono::milliseconds{text.size() * 1000 / record_pace::bytes_a_second};
  out.push_back(remember{std::move(text)});
}

void record_schedule::write_again(time_point now, effects& out) {
  if (keeper_ && !record().version.empty())
    write(now, out);
}

/// Writes the whole record, if the rate allows, however small the change.
void record_schedule::write_in_time(time_point now, effects& out) {
  is_changed_ = true;
  if (now + record_pace::ahead >= paced_until_)
    write(now, out);
}

/// The store forgets records that are not written for a session's idle time or longer.
void record_schedule::refresh(std::chrono::milliseconds age, time_point now, effects& out) {
  if (!is_written_)
    return;
  if (now >= written_at_ + age)
    write(now, out);
  else if (is_changed_)
    write_in_time(now, out);
}

void record_schedule::finish(time_point now, effects& out) {
  if (is_changed_)
    write(now, out);
}

time_point record_schedule::deadline(std::chrono::milliseconds idle) const {
  if (!is_written_)
    return time_point::max();
  auto due = written_at_ + record_age::silent(idle);
  return is_changed_ ? std::min(due, paced_until_ - record_pace::ahead) : due;
}

} // namespace troupe::protocol
