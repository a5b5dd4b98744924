#pragma once

#include "protocol/log.hpp"
#include "protocol/message/era.hpp"
#include "protocol/message/message.hpp"

#include <string>
#include <variant>
#include <vector>

namespace troupe::protocol {

// What becomes of messages between a user of the session era and a server of 2026-07-28. To be carried out in the order
// in which they stand.

/// Tell the user, as a server of the session era would.
struct show_user {
  message what;
  /// For a question, and for a log message of which it is known: the user's request in the course of which it comes, by
  /// the user's id. Empty for all else.
  std::string concerns = {};
  friend bool operator==(const show_user&, const show_user&) = default;
};

/// Write to the server.
struct send_server {
  message what;
  friend bool operator==(const send_server&, const send_server&) = default;
};

/// It was found out that the server speaks this era and not the other, and that is not what was known.
struct note_era {
  server_era is = server_era::automatic;
  /// What came in the place of an answer for the other era, which the server may speak as well; empty when it has
  /// refused that.
  std::string doubt = {};
  friend bool operator==(const note_era&, const note_era&) = default;
};

/// How logs say it, in the words of the configuration.
inline log_note line_of(const note_era& found) {
  log_note result{log_note::weight::info,
                  "found out which revisions the server speaks",
                  {{"era", found.is == server_era::session ? "legacy" : "modern"}}};
  if (!found.doubt.empty())
    result.facts.emplace_back("doubt", found.doubt);
  return result;
}

/// Start another process in the place of one that ended because of what the face has asked, or begin anew with a remote
/// server: what follows is for that.
struct start_again {
  friend bool operator==(const start_again&, const start_again&) = default;
};

/// The server is of no use, as the user was told: nothing more is sent to it.
struct give_up {
  std::string why;
  friend bool operator==(const give_up&, const give_up&) = default;
};

using face_effect = std::variant<show_user, send_server, note_era, start_again, give_up, log_note>;
using face_effects = std::vector<face_effect>;

} // namespace troupe::protocol
