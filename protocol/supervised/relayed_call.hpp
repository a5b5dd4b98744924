#pragma once

#include "protocol/byte_budget.hpp"
#include "protocol/ids.hpp"
#include "protocol/message/message.hpp"
#include "protocol/message/request_table.hpp"
#include "protocol/message/severity.hpp"
#include "protocol/time.hpp"

#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace troupe::protocol {

/// A request as its user has sent it.
struct kept_request {
  message what;
  byte_budget::share bytes;
};

using kept_requests = std::vector<std::pair<user_id, message>>;

/// A request to a server that many may use.
struct relayed_call {
  /// What its answer means.
  enum class kind {
    relay,
    tools_list,
    subscription,
    log_level,
    /// Of the gateway itself; no user waits for the answer.
    ours,
    /// The server is ready when it has answered; no user waits for the answer.
    initialize
  };
  kind is = kind::relay;
  /// When it is about a subscription: it begins it, and does not end it.
  bool subscribes = false;
  /// Whether the server may have questions for the user while it works on it.
  bool is_interactive = false;
  /// Who asked, if a user did.
  user_id user = 0;
  /// The asker's id, a JSON token.
  std::string id = {};
  /// The asker's progress token; empty when it wants no progress.
  std::string token = {};
  /// What a subscription is to.
  std::string uri = {};
  /// The least severity of log messages that it asks a server of 2026-07-28 for; nothing when it asks for none.
  std::optional<severity> logs = {};
  /// When it has failed, unless progress is made; never later than `cap`.
  time_point deadline = {};
  time_point cap = {};
  /// Null unless it is to be sent again when the server has forgotten the session.
  std::unique_ptr<kept_request> kept = {};

  /// Whether a user waits for the answer.
  bool has_user() const { return is != kind::ours && is != kind::initialize; }
  /// Whether a server of 2026-07-28 may log at that level for it, or at one that is not known.
  bool asks_to_log(std::optional<severity> level) const { return logs && (!level || *level >= *logs); }
  /// It goes on as one of the gateway's own.
  void disown() {
    is = kind::ours;
    token.clear();
  }
  std::optional<user_id> asker() const { return has_user() ? std::optional{user} : std::nullopt; }
};

/// Requests of users and of the gateway that a server has not answered.
using relayed_calls = request_table<relayed_call>;

} // namespace troupe::protocol
