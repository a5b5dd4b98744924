#pragma once

#include "protocol/catalog/catalog_effects.hpp"
#include "protocol/catalog/request_sender.hpp"
#include "protocol/message/message.hpp"
#include "protocol/message/severity.hpp"
#include "protocol/time.hpp"

#include <chrono>
#include <optional>
#include <string>
#include <utility>

namespace troupe::protocol {

/// Client's log level, which is sent to every server that logs (2025-11-25, logging, "Setting Log Level").
class catalog_log_level {
public:
  explicit catalog_log_level(request_sender& sender) : sender_{sender} {}

  /// Answers the client's `logging/setLevel`.
  void set(const message& from, catalog_effects& out);
  /// Sends the level to a server that is ready.
  void tell(catalog_member& one, catalog_effects& out);

private:
  request_sender& sender_;
  /// Level that the client set last; empty before.
  std::optional<severity> level_;
};

/// Handles `initialize` in both directions (2025-11-25, lifecycle, "Initialization"). Answers the client when every
/// server is known from an earlier session, has answered or has failed, and after a time limit at the latest. Servers
/// still unknown then count as having all capabilities. The answer holds for the whole session, and they may be ready a
/// moment later.
class catalog_initialization {
public:
  /// Waits for servers for `patience`, and for eager ones for `eager_patience`, which is not shorter. `version` is the
  /// gateway's.
  catalog_initialization(request_sender& sender, std::chrono::milliseconds patience,
                         std::chrono::milliseconds eager_patience, std::string version)
      : sender_{sender}, patience_{patience}, eager_patience_{eager_patience}, version_{std::move(version)} {}

  /// Takes the client's `initialize`.
  void begin(message hello, time_point now, catalog_effects& out);
  /// Initializes servers that no request needs yet: eager ones, and those still unknown for the client's answer.
  void greet_new(catalog_effects& out);
  /// Takes a server's answer. Returns why the server cannot be used; empty if it is ready.
  std::string receive_response(catalog_member& one, const message& from, catalog_effects& out);
  /// Answers the client, once, if waiting longer would not change the answer.
  void answer_if_complete(catalog_effects& out);
  void tick(time_point now, catalog_effects& out);

  time_point deadline() const { return until_; }
  /// Capabilities sent to the client; none before `initialize` was answered.
  const server_capabilities& declared() const { return declared_; }

private:
  bool is_complete() const;
  bool waits_for(const catalog_member& one) const;
  void answer(catalog_effects& out);
  std::string instructions() const;

  request_sender& sender_;
  std::chrono::milliseconds patience_;
  std::chrono::milliseconds eager_patience_;
  std::string version_;
  /// Next of the two time limits, and the last one.
  time_point until_ = time_point::max();
  time_point eager_until_ = time_point::max();
  /// True once the client waits for eager servers only.
  bool late_ = false;
  bool answered_ = false;
  server_capabilities declared_;
};

} // namespace troupe::protocol
