#pragma once

#include "actors/troupe/server.hpp"
#include "net/guarded.hpp"
#include "protocol/hosted/hosted_offer.hpp"
#include "protocol/message/message.hpp"

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <unordered_map>

namespace troupe::actors {

/// What a host's server offers, shared by the host's threads, which change it, and the actors that serve it. Callable
/// from any thread.
class hosted_things {
public:
  /// All of it at one moment.
  struct snapshot {
    protocol::hosted_offer offer;
    /// By the numbers of the items; that of completions is 0.
    std::unordered_map<std::uint64_t, std::shared_ptr<const call_handler>> handlers;
  };
  using listener = std::function<void(const protocol::message&)>;
  using listener_id = std::uint64_t;

  explicit hosted_things(protocol::hosted_offer empty);

  std::shared_ptr<const snapshot> now();

  /// Throws `std::invalid_argument` when it cannot be told to clients.
  void put(protocol::list_kind kind, json::object shown, call_handler handler);
  bool remove(protocol::list_kind kind, std::string_view key);
  void complete_by(call_handler handler);
  /// Tells every listener.
  void say(const protocol::message& what);

  /// `tell` must not block; it may be called once more while it is forgotten.
  listener_id listen(listener tell);
  void forget(listener_id who);

private:
  struct shared {
    snapshot latest;
    /// A copy of the latest, once somebody asked for one.
    std::shared_ptr<const snapshot> shown = nullptr;
    listener_id last = 0;
    std::map<listener_id, listener> listeners = {};
  };
  /// What a change leaves behind, which ends without the lock: it may hold what is the host's.
  struct replaced {
    std::shared_ptr<const snapshot> shown;
    std::shared_ptr<const call_handler> handler;
  };
  static std::shared_ptr<const call_handler> take(snapshot& from, protocol::list_kind kind, std::string_view key);

  net::guarded<shared> shared_;
};

std::shared_ptr<hosted_things> things_of(const troupe::server& of);

} // namespace troupe::actors
