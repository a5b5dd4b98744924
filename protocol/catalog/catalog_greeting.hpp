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

/// The client's log level, which every server that logs is told (2025-11-25, logging, "Setting Log Level").
class catalog_log_level {
public:
  explicit catalog_log_level(request_sender& sender) : sender_{sender} {}

  /// The client's `logging/setLevel`, which is answered here.
  void set(const message& from, catalog_effects& out);
  /// Tells a server that is ready.
  void tell(catalog_member& one, catalog_effects& out);

private:
  request_sender& sender_;
  /// What the client set last; nothing before.
  std::optional<severity> level_;
};

/// `initialize`, both ways (2025-11-25, lifecycle, "Initialization"). The client's is answered when every server is
/// known from an earlier session, has answered or has failed, and after some time at the latest. Servers of which
/// nothing is known then are taken to have everything: what the client is told holds for the whole session, and they
/// may be there a moment later.
class catalog_greeting {
public:
  /// The client waits for servers for `patience`, and for eager ones for `eager_patience`, which is not shorter.
  /// `version` is the gateway's.
  catalog_greeting(request_sender& sender, std::chrono::milliseconds patience, std::chrono::milliseconds eager_patience,
                   std::string version)
      : sender_{sender}, patience_{patience}, eager_patience_{eager_patience}, version_{std::move(version)} {}

  /// The client's `initialize`.
  void begin(message hello, time_point now, catalog_effects& out);
  /// Initializes servers that no request needs yet: eager ones, and those whose capabilities the client has to be told.
  void greet_new(catalog_effects& out);
  /// A server's answer. Returns why the server cannot be used; empty when it is ready.
  std::string take_answer(catalog_member& one, const message& from, catalog_effects& out);
  /// Answers the client, once, if waiting longer would tell it no more.
  void answer_if_complete(catalog_effects& out);
  void tick(time_point now, catalog_effects& out);

  time_point deadline() const { return until_; }
  /// The capabilities that the client was told; nothing before `initialize` was answered.
  const server_capabilities& told() const { return told_; }

private:
  bool is_complete() const;
  bool waits_for(const catalog_member& one) const;
  void answer(catalog_effects& out);
  std::string instructions() const;

  request_sender& sender_;
  std::chrono::milliseconds patience_;
  std::chrono::milliseconds eager_patience_;
  std::string version_;
  /// The next of the two ends of patience, and the last.
  time_point until_ = time_point::max();
  time_point eager_until_ = time_point::max();
  /// The client waits for eager servers only.
  bool late_ = false;
  bool answered_ = false;
  server_capabilities told_;
};

} // namespace troupe::protocol
