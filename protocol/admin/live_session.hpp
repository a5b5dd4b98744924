#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace troupe::protocol {

/// A request of a client that has no answer yet. `method` is valid for ever.
struct live_call {
  /// Among those of its session.
  std::uint64_t number = 0;
  std::string_view method;
  /// The tool or prompt that it names; empty when it names none.
  std::string name;
  /// The server that it went to; empty when that is none yet, or several.
  std::string server;
  std::chrono::milliseconds age = {};
};

/// A session or a lease, as operators see it.
struct live_session {
  std::uint64_t number = 0;
  /// As logs show it.
  std::string id;
  /// `streamable_http`, `http_sse`, or `stateless` for a lease.
  std::string_view transport;
  /// The server in its path; empty where all are merged.
  std::string server;
  /// Who has it, as rules name him; empty for nobody in particular.
  std::string caller;
  std::chrono::milliseconds age = {};
  /// How long nobody has used it; nothing while somebody does.
  std::optional<std::chrono::milliseconds> idle = {};
  std::vector<live_call> calls = {};
  /// Event streams that a connection carries, by what they are for.
  std::size_t primary = 0, shadow = 0, of_calls = 0, listens = 0;
  /// Questions of servers, or calls that are parked with them.
  std::size_t questions = 0;
};

/// One as a JSON object.
std::string live_session_text(const live_session& one);
/// A page of them, in the order of their numbers, and how many there are in all. `last` is the number after which the
/// next page begins; nothing on the last page.
std::string live_sessions_text(std::vector<live_session> page, std::size_t total, std::optional<std::uint64_t> last);
/// Their calls, the oldest first, `limit` of them at most, and how many there are in all.
std::string live_calls_text(const std::vector<live_session>& all, std::size_t limit);

} // namespace troupe::protocol
