#pragma once

#include "protocol/log.hpp"
#include "protocol/message/era.hpp"
#include "protocol/message/message.hpp"

#include <string>
#include <variant>
#include <vector>

namespace troupe::protocol {

// Effects of messages between a session-era user and a stateless (2026-07-28) server, to be carried out in order.

/// Send a message to the user, as a session-era server would.
struct deliver_to_user {
  message what;
  /// User's id of the request that caused a question or, if known, a log message. Otherwise empty.
  std::string concerns = {};
  friend bool operator==(const deliver_to_user&, const deliver_to_user&) = default;
};

/// Send a message to the server.
struct deliver_to_server {
  message what;
  friend bool operator==(const deliver_to_server&, const deliver_to_server&) = default;
};

/// Record the era found: the server speaks it, not the other one, and that differs from the known era.
struct note_era {
  server_era is = server_era::automatic;
  /// Failure in place of an answer in the other era, which the server may still speak; empty if the server refused that
  /// era.
  std::string doubt = {};
  friend bool operator==(const note_era&, const note_era&) = default;
};

/// Returns the log line, in the words of the configuration.
inline log_note line_of(const note_era& found) {
  log_note result{log_note::weight::info,
                  "found out which revisions the server speaks",
                  {{"era", found.is == server_era::session ? "legacy" : "modern"}}};
  if (!found.doubt.empty())
    result.facts.emplace_back("doubt", found.doubt);
  return result;
}

/// Start a process in place of one that ended because of a probe, or start over with a remote server. The effects after
/// this are for the new one.
struct start_again {
  friend bool operator==(const start_again&, const start_again&) = default;
};

/// Stop sending to an unusable server; the user has received an error.
struct give_up {
  std::string why;
  friend bool operator==(const give_up&, const give_up&) = default;
};

using adapter_effect = std::variant<deliver_to_user, deliver_to_server, note_era, start_again, give_up, log_note>;
using adapter_effects = std::vector<adapter_effect>;

} // namespace troupe::protocol
