#pragma once

#include "protocol/ids.hpp"
#include "protocol/message/message.hpp"
#include "protocol/modern_client/stateless_effects.hpp"

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <string_view>

namespace troupe::protocol {

/// Resource subscriptions that the listens of one lease share at a session-era server, which knows only one subscriber.
/// Subscribes for the first listen of a URI and unsubscribes after the last. Each URI has one request in flight; later
/// changes wait.
class resource_listens {
public:
  /// Answer of the server for a resource, and the listens that waited for it.
  struct verdict {
    std::string uri;
    bool is_granted = false;
    std::set<exchange_id> listens = {};
  };

  /// Registers a listen. True if the server already granted the resource to the request's asker; otherwise `answered`
  /// reports the result. A server may grant a resource to one asker and refuse it to another.
  bool hold(exchange_id listen, const std::string& uri, const message& request, stateless_effects& out);
  void release(exchange_id listen, const std::string& uri, stateless_effects& out);

  /// True if a response answers one of our requests.
  static bool is_ours(const message& answer);
  /// Takes such a response. `listens` is empty if none waited for it.
  verdict answered(const message& answer, stateless_effects& out);
  /// Forgets everything: the next server knows no subscriptions.
  void lost();

  /// Returns the listens that name the URI, or a URI that encloses it.
  std::set<exchange_id> listens_to(std::string_view uri) const;

private:
  enum class asked_for { nothing, subscribe, unsubscribe };
  /// See `message::requester`.
  using requester = std::shared_ptr<const principal>;
  struct holder {
    requester who;
    bool is_granted = false;
  };
  struct resource {
    std::map<exchange_id, holder> listens = {};
    bool is_subscribed = false;
    /// Request in flight, and the asker of the latest request.
    asked_for under_way = asked_for::nothing;
    requester latest = {};
  };
  using resources = std::map<std::string, resource, std::less<>>;

  /// Sends the next request that is needed, unless one is in flight.
  void go_on(resources::value_type& one, stateless_effects& out);
  void ask(resources::value_type& one, asked_for what, stateless_effects& out);
  static std::set<exchange_id> settle(resource& one, bool is_granted);

  resources all_;
  /// URIs of the requests in flight, by request number.
  std::map<std::uint64_t, std::string> asked_;
  std::uint64_t last_request_ = 0;
};

} // namespace troupe::protocol
