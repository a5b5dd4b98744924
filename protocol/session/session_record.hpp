#pragma once

#include "protocol/delivery/saved_event.hpp"
#include "protocol/message/message.hpp"

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace troupe::protocol {

/// Longest `initialize` of a session that is kept, in bytes; a session that began with a longer one is not.
inline constexpr std::size_t longest_kept_initialize = 64 * 1024;
/// Subscriptions that are kept; of further ones, and of URIs longer than `longest_kept_uri` bytes, the client hears no
/// more once its session was restored.
inline constexpr std::size_t most_kept_subscriptions = 1000;
inline constexpr std::size_t longest_kept_uri = 4096;
/// Bytes of all their URIs together, as they are written; what is above that is not kept either.
inline constexpr std::size_t most_kept_uris = 128 * 1024;
/// Longest level that is kept: that of the specification has nine bytes at most.
inline constexpr std::size_t longest_kept_level = 64;
/// Longest owner: no token has room for a longer one.
inline constexpr std::size_t longest_kept_owner = 16 * 1024;
/// Longest record as text: a longer one was not written by a gateway.
inline constexpr std::size_t longest_record = 256 * 1024;

/// Most times that a session may be restored: never reached in practice.
inline constexpr std::uint64_t most_lives = 1'000'000;

/// What another node needs to restore a session.
struct session_record {
  /// The server in the session's path; empty when all are merged.
  std::string path = {};
  /// The client's `initialize`, as it came.
  std::string initialize = {};
  /// The revision that was agreed on.
  std::string version = {};
  /// The client has sent `notifications/initialized`.
  bool initialized = false;
  /// What the client set last with `logging/setLevel`; empty when it never did.
  std::string level = {};
  std::vector<std::string> subscriptions = {};
  /// How often the session was restored.
  std::uint64_t life = 0;
  /// Whom the session belongs to, see `identity_of`; empty for nobody in particular.
  std::string owner = {};

  friend bool operator==(const session_record&, const session_record&) = default;
};

/// The number after which exchanges are numbered, after so many restores: no stream gets the number of one from before
/// a restore, not even of a forgotten one.
exchange_id first_of_life(const session_record& record);

std::string record_text(const session_record& record);

/// Reads what `record_text` wrote; nothing when the text is anything else.
std::optional<session_record> read_record(std::string_view text);

/// What the store has of a session whose node died.
struct restored_session {
  session_record record;
  /// In the order in which they were kept.
  std::vector<saved_event> events;
};

/// Keeps a session's record up to date from the messages between client and server.
class record_keeper {
public:
  explicit record_keeper(session_record record);

  const session_record& record() const { return record_; }
  /// The client's `initialize`. False when it is too long to be kept.
  bool begins(const message& initialize);
  /// The session is restored.
  void restored() { ++record_.life; }
  void agreed(std::string version) { record_.version = std::move(version); }
  /// The client is initialized; whether that changed anything.
  bool initialized() { return !std::exchange(record_.initialized, true); }
  /// A request of the client went to the server, under an id of ours.
  void asked(std::uint64_t own, const message& request);
  /// The server answered it; whether that changed anything.
  bool answered(std::uint64_t own, const message& answer);
  /// No answer to it will come, or none that counts.
  void forsaken(std::uint64_t own) { asked_.erase(own); }

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
  /// Bytes of all URIs as they are written.
  std::size_t uris_ = 0;
  /// What the client asked for and the server has not granted yet.
  std::map<std::uint64_t, change> asked_;
};

} // namespace troupe::protocol
