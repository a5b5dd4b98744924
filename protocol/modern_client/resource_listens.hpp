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

  /// Whether the server has granted the resource to this asker already; otherwise `answered` will say whether it does.
  /// It is asked on behalf of whoever sent that request: what it grants to one, it may refuse to another.
  bool hold(exchange_id listen, const std::string& uri, const message& request, stateless_effects& out);
  void release(exchange_id listen, const std::string& uri, stateless_effects& out);

  /// Whether a response is to a request of ours.
  static bool is_ours(const message& answer);
  /// Without listens when none waited for the answer.
  verdict answered(const message& answer, stateless_effects& out);
  /// The next server knows none of these.
  void lost();

  /// Whose listens name the URI, or one that it is a part of.
  std::set<exchange_id> listens_to(std::string_view uri) const;

private:
  enum class asked_for { nothing, subscribe, unsubscribe };
  /// As `message::asker`.
  using asker = std::shared_ptr<const principal>;
  struct holder {
    asker who;
    bool is_granted = false;
  };
  struct resource {
    std::map<exchange_id, holder> listens = {};
    bool is_subscribed = false;
    /// The request that is under way, and on whose behalf the latest was made.
    asked_for under_way = asked_for::nothing;
    asker latest = {};
  };
  using resources = std::map<std::string, resource, std::less<>>;

  /// Asks the server for what is wanted next, unless something is under way.
  void go_on(resources::value_type& one, stateless_effects& out);
  void ask(resources::value_type& one, asked_for what, stateless_effects& out);
  static std::set<exchange_id> settle(resource& one, bool is_granted);

  resources all_;
  /// The URIs of the requests that are under way, by their numbers.
  std::map<std::uint64_t, std::string> asked_;
  std::uint64_t last_request_ = 0;
};

} // namespace troupe::protocol
