#pragma once

#include "protocol/delivery/effects.hpp"
#include "protocol/message/message.hpp"
#include "protocol/rate_limits.hpp"
#include "protocol/time.hpp"

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace troupe::protocol {

/// Longest `initialize` in a record, in bytes. A session that began with a longer one has no record.
inline constexpr std::size_t longest_kept_initialize = 64 * 1024;
/// Limit of subscriptions in a record. Further ones, and URIs longer than `longest_kept_uri` bytes, are lost when the
/// session is restored.
inline constexpr std::size_t most_kept_subscriptions = 1000;
inline constexpr std::size_t longest_kept_uri = 4096;
/// Limit of the bytes of all URIs, as written in JSON. URIs above it are not recorded.
inline constexpr std::size_t most_kept_uris = 128 * 1024;
/// Longest recorded log level, in bytes: those of the specification have up to nine.
inline constexpr std::size_t longest_kept_level = 64;
/// Longest owner, in bytes: no token has room for a longer one.
inline constexpr std::size_t longest_kept_owner = 16 * 1024;
/// Longest record text, in bytes: a gateway writes no longer one.
inline constexpr std::size_t longest_record = 256 * 1024;

/// Limit of restores of a session: never reached in practice.
inline constexpr std::uint64_t most_lives = 1'000'000;

/// Data for another node to restore a session from.
struct session_record {
  /// Path of the session: a server's name; empty if all are merged.
  std::string path = {};
  /// The client's `initialize`, unchanged.
  std::string initialize = {};
  /// Agreed revision.
  std::string version = {};
  /// The client has sent `notifications/initialized`.
  bool initialized = false;
  /// Level last set by the client with `logging/setLevel`; empty if never.
  std::string level = {};
  std::vector<std::string> subscriptions = {};
  /// Number of restores of the session.
  std::uint64_t life = 0;
  /// Owner of the session, see `identity_of`; empty for anonymous callers.
  std::string owner = {};

  friend bool operator==(const session_record&, const session_record&) = default;
};

std::string record_text(const session_record& record);

/// Reads the text of `record_text`; empty for any other text.
std::optional<session_record> read_record(std::string_view text);

/// Stored data of a session whose node died.
struct restored_session {
  session_record record;
  /// Events in the order of their storing.
  std::vector<saved_event> events;
  /// Random number below `most_offset`. It distinguishes this life from forgotten ones with the same number.
  std::uint32_t offset = 0;
  static constexpr std::uint32_t most_offset = std::uint32_t{1} << 31U;
};

/// Updates a session's record from the messages between client and server.
class record_keeper {
public:
  explicit record_keeper(session_record record);

  const session_record& record() const { return record_; }
  /// Takes the client's `initialize`. False if it is too long to be recorded.
  bool begins(const message& initialize);
  /// The session is restored.
  void restored() { ++record_.life; }
  void agreed(std::string version) { record_.version = std::move(version); }
  /// Notes that the client is initialized. Returns whether the record changed.
  bool initialized() { return !std::exchange(record_.initialized, true); }
  /// Notes a request of the client that went to the server under our id `own`.
  void asked(std::uint64_t own, const message& request);
  /// Notes the server's answer to a request. Returns whether the record changed.
  bool answered(std::uint64_t own, const message& answer);
  /// Forgets a request that gets no answer, or none that counts.
  void request_dropped(std::uint64_t own) { asked_.erase(own); }

private:
  enum class change_kind { level, subscribe, unsubscribe };
  struct change {
    change_kind what = change_kind::level;
    std::string value;
  };

  static std::optional<change_kind> change_kind_of(const message& request);
  static bool is_kept(const change& one);
  bool make(const change& one);
  bool subscribe(const std::string& uri);
  bool unsubscribe(const std::string& uri);

  session_record record_;
  /// Bytes of all URIs, as written in JSON.
  std::size_t uris_ = 0;
  /// Changes requested by the client that the server has not confirmed yet.
  std::map<std::uint64_t, change> asked_;
};

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
  /// Whether the store may have the record, from this life of the session or an earlier one.
  bool is_stored() const { return is_kept() && (is_written_ || record().life > 0); }
  /// The record; requires `is_kept`.
  const session_record& record() const { return keeper_->record(); }
  /// Number after which exchanges are numbered; greater than 0 for a restored session. No stream gets the number of one
  /// from before a restore, not even of a forgotten one.
  exchange_id last_exchange() const { return keeper_ ? (record().life << 32U) + offset_ : 0; }

  // -- changes
  /// Continues from the record of another node; see `restored_session` for `offset`.
  void begin_again(session_record from, std::uint32_t offset);
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
  std::uint32_t offset_ = 0;
  time_point written_at_;
  /// Full again when all writes so far would be done at the allowed rate.
  token_bucket pace_;
  /// True if the record has changed since `written_at_`.
  bool is_changed_ = false;
  bool is_written_ = false;
};

} // namespace troupe::protocol
