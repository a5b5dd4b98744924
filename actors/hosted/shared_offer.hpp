#pragma once

#include "actors/troupe/server.hpp"
#include "net/guarded.hpp"
#include "protocol/hosted/hosted_offer.hpp"
#include "protocol/message/message.hpp"

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <string_view>
#include <unordered_map>

namespace troupe::actors {

/// Tools, resources, templates and prompts of a host's server, with their handlers. The host's threads change them; the
/// actors of sessions read them. Callable from any thread.
class shared_offer {
public:
  /// All items at one moment.
  struct snapshot {
    protocol::hosted_offer offer;
    /// Handlers by the number of the item; 0 for completions.
    std::unordered_map<std::uint64_t, std::shared_ptr<const call_handler>> handlers;
  };
  using listener = std::function<void(const protocol::message&)>;
  using listener_id = std::uint64_t;

  explicit shared_offer(protocol::hosted_offer empty);

  std::shared_ptr<const snapshot> now();

  /// Throws `std::invalid_argument` when the item would not be valid in an answer to clients.
  void put(protocol::list_kind kind, json::object shown, call_handler handler);
  bool remove(protocol::list_kind kind, std::string_view key);
  void complete_by(call_handler handler);
  /// Passes a message to every listener.
  void notify_listeners(const protocol::message& what);

  /// `tell` must not block; it may still be called once while `forget` runs.
  listener_id listen(listener tell);
  void forget(listener_id who) {
    shared_.with([&](shared& all) { all.listeners.erase(who); });
  }

private:
  struct shared {
    snapshot latest;
    /// Copy of `latest`, made on first use.
    std::shared_ptr<const snapshot> shown = nullptr;
    listener_id last = 0;
    std::map<listener_id, listener> listeners = {};
  };
  /// Values that a change replaced. Destroyed after the lock is released: destructors of the host may run.
  struct replaced {
    std::shared_ptr<const snapshot> shown;
    std::shared_ptr<const call_handler> handler;
  };
  static std::shared_ptr<const call_handler> extract(snapshot& from, protocol::list_kind kind, std::string_view key);

  net::guarded<shared> shared_;
};

std::shared_ptr<shared_offer> offer_of(const troupe::server& of);

} // namespace troupe::actors
