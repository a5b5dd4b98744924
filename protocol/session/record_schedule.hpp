#pragma once

#include "protocol/delivery/effects.hpp"
#include "protocol/message/message.hpp"
#include "protocol/session/session_record.hpp"
#include "protocol/time.hpp"

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string_view>

namespace troupe::protocol {

/// Age at which the record is written to the store again: `spoken` while the client sends requests, `silent` otherwise.
struct record_age {
  static constexpr std::chrono::milliseconds spoken = std::chrono::minutes{1};
  static std::chrono::milliseconds silent(std::chrono::milliseconds idle) { return std::max(spoken, idle / 2); }
};

/// Rate limit for writing a session's record: small changes at once, large ones about once a second.
struct record_pace {
  static constexpr std::size_t bytes_a_second = 64 * 1024;
  /// How far writes may run ahead of the rate.
  static constexpr std::chrono::milliseconds ahead = std::chrono::seconds{1};
};

/// Record of a session that survives its node, and the times of writing it. It is written as a whole: after
/// `initialize`, after a change if the rate allows, and before the store forgets it. A session that does not survive
/// has no record; then no function here has an effect.
class record_schedule {
public:
  explicit record_schedule(std::optional<session_record> begins_as);

  bool is_kept() const { return keeper_ != nullptr; }
  /// The record; requires `is_kept`.
  const session_record& record() const { return keeper_->record(); }
  /// Number after which exchanges are numbered; greater than 0 for a restored session.
  exchange_id last_exchange() const { return keeper_ ? first_of_life(record()) : 0; }

  // -- changes
  /// Continues from the record of another node.
  void begin_again(session_record from);
  /// Takes the client's `initialize`. One that is too long ends the record.
  void begin(const message& initialize);
  void agreed(std::string_view version, time_point now, effects& out);
  void client_initialized(time_point now, effects& out);
  /// Notes a request of the client that went to the server under our id `own`.
  void asked(std::uint64_t own, const message& request);
  /// Notes the server's answer to a request.
  void answered(std::uint64_t own, const message& answer, time_point now, effects& out);
  /// Forgets a request that gets no answer, or none that counts.
  void request_dropped(std::uint64_t own);

  // -- writes
  /// Writes the record; requires `is_kept`.
  void write(time_point now, effects& out);
  /// Writes the record again, if client and server have agreed.
  void write_again(time_point now, effects& out);
  /// Writes a record of that age, or one with a change that the rate allows now.
  void refresh(std::chrono::milliseconds age, time_point now, effects& out);
  /// Writes a pending change regardless of the rate; the last write.
  void finish(time_point now, effects& out);
  /// When `refresh`, for a silent session, has something to do. `idle`: how long a session may be idle.
  time_point deadline(std::chrono::milliseconds idle) const;

private:
  void write_in_time(time_point now, effects& out);

  /// Null without a record.
  std::unique_ptr<record_keeper> keeper_;
  time_point written_at_;
  /// Time at which all writes so far would be done at the allowed rate.
  time_point paced_until_;
  /// True if the record has changed since `written_at_`.
  bool is_changed_ = false;
  bool is_written_ = false;
};

} // namespace troupe::protocol
