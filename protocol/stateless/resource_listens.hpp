#pragma once

#include "protocol/exchange_id.hpp"
#include "protocol/message/message.hpp"
#include "protocol/stateless/stateless_effects.hpp"

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <string_view>

namespace troupe::protocol {

/// The resources that the listens of one lease are told of, by a server of the session era, which knows one subscriber:
/// it is asked for the first listen of a URI and for the last, and by one request at a time for each URI. What comes
/// meanwhile waits.
class resource_listens {
public:
  /// How the server has answered for a resource, and whose listens waited for that.
  struct verdict {
    std::string uri;
    bool is_granted = false;
    std::set<exchange_id> listens = {};
  };

  /// Whether the server tells of the resource already; otherwise `answered` will say whether it does. It is asked on
  /// behalf of whoever sent that request.
  bool hold(exchange_id listen, const std::string& uri, const message& request, stateless_effects& out);
  void release(exchange_id listen, const std::string& uri, stateless_effects& out);

  /// Whether a response is to a request of ours.
  static bool is_ours(const message& answer);
  /// Without listens when none waited for the answer.
  verdict answered(const message& answer, stateless_effects& out);
  /// What is under way will have no answer, and is nobody's any more.
  void lost();

  /// Whose listens name the URI, or one that it is a part of.
  std::set<exchange_id> listens_to(std::string_view uri) const;
  bool empty() const { return all_.empty(); }

private:
  enum class progress { subscribing, subscribed, unsubscribing };
  struct resource {
    progress is = progress::subscribing;
    std::set<exchange_id> listens = {};
    /// Of the latest listen, as `message::asker`: all of a lease have the same caller.
    std::shared_ptr<const principal> asker = {};
  };
  using resources = std::map<std::string, resource, std::less<>>;

  void ask(resources::value_type& one, progress next, stateless_effects& out);
  verdict subscribed(resources::iterator at, bool is_granted, stateless_effects& out);
  verdict unsubscribed(resources::iterator at, stateless_effects& out);
  void undo_if_unheld(resources::value_type& one, stateless_effects& out);

  resources all_;
  /// The URIs of the requests that are under way, by their numbers.
  std::map<std::uint64_t, std::string> asked_;
  std::uint64_t last_request_ = 0;
};

} // namespace troupe::protocol
