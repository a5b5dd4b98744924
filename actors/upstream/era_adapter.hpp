#pragma once

#include "actors/upstream_messages.hpp"
#include "protocol/modern_server/server_as_legacy.hpp"

#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace troupe::actors {

/// Connection to a server, as the adapter above it sees it. Lives in the actor that owns it.
class server_transport {
public:
  virtual ~server_transport() = default;
  /// Sends a message to the server. If the server does not get it, returns a message in its place.
  virtual std::optional<protocol::message> pass(protocol::message&& what) = 0;
  virtual void start_again() = 0;
  virtual void give_up(const std::string& why) = 0;
  virtual void note(protocol::log_note&& line) = 0;
};

/// Makes a stateless (2026-07-28) server look like one with sessions, as long as that is needed. Notifies its SERVER if
/// the server's era is not the known one. Facts go in; messages for the user come out.
class era_adapter {
public:
  using shown = std::vector<protocol::deliver_to_user>;

  /// A server that is configured to speak with sessions needs no adapter: messages pass unchanged. `path` outlives
  /// this.
  era_adapter(protocol::server_as_legacy_rules rules, server_transport& path, server_actor server);

  /// `envelope`: see `protocol::stateless_server`.
  shown user_sent(protocol::message&& what, protocol::time_point now, protocol::envelope_of_user envelope = nullptr);
  /// Processes a message of the server. `show` may destroy this object. `concerns`: see `protocol::server_as_legacy`.
  template <class Show>
  void server_sent(protocol::message&& what, protocol::time_point now, Show show, std::string_view concerns = {}) {
    if (!adapter_)
      return show(protocol::deliver_to_user{std::move(what)});
    for (auto& one : carry_out(adapter_->server_sent(std::move(what), now, concerns), now))
      show(std::move(one));
  }
  /// See `server_as_legacy::server_lost`.
  shown server_lost(protocol::time_point now, bool is_shortage, const std::string& why = {});
  shown tick(protocol::time_point now);

  /// Next time that `tick` has something to do.
  protocol::time_point deadline() const { return adapter_ ? adapter_->deadline() : protocol::time_point::max(); }

private:
  shown carry_out(protocol::adapter_effects effects, protocol::time_point now);
  void apply(protocol::deliver_to_user& effect) { shown_.push_back(std::move(effect)); }
  void apply(protocol::deliver_to_server& effect);
  void apply(const protocol::note_era& effect);
  void apply(const protocol::start_again&) { path_.start_again(); }
  void apply(const protocol::give_up& effect) { path_.give_up(effect.why); }
  void apply(protocol::log_note& effect) { path_.note(std::move(effect)); }

  server_transport& path_;
  server_actor server_;
  /// Null if the server is known to speak with sessions.
  std::unique_ptr<protocol::server_as_legacy> adapter_;
  shown shown_;
  /// Errors in place of answers, for messages that the server did not get.
  std::vector<protocol::message> refused_;
};

} // namespace troupe::actors
