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
#include <string>
#include <string_view>

namespace troupe::protocol {

/// How old the record in the store may get before it is written again: while the client sends requests, and while it
/// only listens, waits or is silent.
struct record_age {
  static constexpr std::chrono::milliseconds spoken = std::chrono::minutes{1};
  static std::chrono::milliseconds silent(std::chrono::milliseconds idle) { return std::max(spoken, idle / 2); }
};

/// How fast a session's record may be written: small changes at once, large ones about once a second.
struct record_pace {
  static constexpr std::size_t bytes_a_second = 64 * 1024;
  /// How far writing may run ahead of that.
  static constexpr std::chrono::milliseconds ahead = std::chrono::seconds{1};
};

/// The record of a session that is to survive its node, and when it is written: as a whole, once client and server have
/// agreed, whenever it has changed and the pace allows, and again before the store forgets it. A session that is not to
/// survive has none; then nothing here has an effect.
class record_schedule {
public:
  explicit record_schedule(std::optional<session_record> begins_as);

  bool is_kept() const { return keeper_ != nullptr; }
  /// Only of a record that is kept.
  const session_record& record() const { return keeper_->record(); }
  /// The number after which exchanges are numbered: not 0 for a session that was restored.
  exchange_id last_exchange() const { return keeper_ ? first_of_life(record()) : 0; }

  // -- what changes it
  /// The session goes on from the record of another node.
  void begin_again(session_record from);
  /// The client's `initialize`. When it is too long, the record is given up.
  void begin(const message& initialize);
  void agreed(std::string_view version, time_point now, effects& out);
  void client_initialized(time_point now, effects& out);
  /// A request of the client went to the server, under an id of ours.
  void asked(std::uint64_t own, const message& request);
  /// The server answered it.
  void answered(std::uint64_t own, const message& answer, time_point now, effects& out);
  /// No answer to it will come, or none that counts.
  void forsaken(std::uint64_t own);

  // -- when it is written
  /// Only of a record that is kept.
  void write(time_point now, effects& out);
  /// Writes it once more, if client and server have agreed.
  void write_again(time_point now, effects& out);
  /// Writes a record that is as old as that, or has a change for which the pace now allows.
  void refresh(std::chrono::milliseconds age, time_point now, effects& out);
  /// Writes a change whatever the pace: nothing is written afterwards.
  void finish(time_point now, effects& out);
  /// When `refresh` at the age of a silent session has something to do. `idle` is how long a session may be idle.
  time_point deadline(std::chrono::milliseconds idle) const;

private:
  void write_in_time(time_point now, effects& out);

  /// Null without a record.
  std::unique_ptr<record_keeper> keeper_;
  time_point written_at_;
  /// When all that was written until now would be done at that pace.
  time_point paced_until_;
  /// Since `written_at_`.
  bool is_changed_ = false;
  bool is_written_ = false;
};

} // namespace troupe::protocol
