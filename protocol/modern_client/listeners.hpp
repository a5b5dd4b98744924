#pragma once

#include "protocol/byte_budget.hpp"
#include "protocol/ids.hpp"
#include "protocol/message/lists.hpp"
#include "protocol/message/message.hpp"
#include "protocol/modern_client/stateless_effects.hpp"

#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

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
  void send_next(resources::value_type& one, stateless_effects& out);
  void ask(resources::value_type& one, asked_for what, stateless_effects& out);
  static std::set<exchange_id> settle(resource& one, bool is_granted);

  resources all_;
  /// URIs of the requests in flight, by request number.
  std::map<std::uint64_t, std::string> asked_;
  std::uint64_t last_request_ = 0;
};

/// Most resources that one `subscriptions/listen` may name.
inline constexpr std::size_t most_listened_uris = 1000;

/// Changes that a `subscriptions/listen` wants to be notified of (2026-07-28, subscriptions, "Subscription Filter").
struct listen_filter {
  std::set<list_group> lists = {};
  std::set<std::string> uris = {};

  friend bool operator==(const listen_filter&, const listen_filter&) = default;
};

/// Reads `params.notifications` of the request; returns an error text if it is malformed.
std::variant<listen_filter, std::string> read_listen_filter(const message& request);

/// Returns the part of a filter that a server with those capabilities, a JSON object, supports.
listen_filter honoured(listen_filter filter, std::string_view capabilities);

/// Returns the filter as an acknowledgement has it, a JSON object.
std::string filter_text(const listen_filter& filter);

/// Open `subscriptions/listen` requests of one lease at a session-era server (2026-07-28, subscriptions). Each is
/// acknowledged with what the server supports, receives those notifications, and lasts until withdrawn or ended.
class listeners {
public:
  /// Allows `most` listens at once. `bytes` must outlive this; each resource of a listen takes 256 bytes besides its
  /// URI.
  listeners(std::size_t most, byte_budget& bytes) : most_{most}, bytes_{bytes} {}

  // -- from clients --------------------------------------------------------------------
  /// Opens a listen; `capabilities` are the server's, a JSON object. The acknowledgement waits for the server's answer
  /// for each new resource and leaves out those that it refuses.
  void listen(exchange_id exchange, const message& request, std::string_view capabilities, stateless_effects& out);
  /// Removes a listen whose client closed the exchange; false if there is none.
  bool withdrawn(exchange_id exchange, stateless_effects& out);

  // -- from the server -----------------------------------------------------------------
  /// Takes the answer to a request made here; false for other answers.
  bool takes_answer(const message& answer, stateless_effects& out);
  /// Passes `list_changed` and `resources/updated` to their listeners; ignores other notifications.
  void receive_from_server(const message& notification, stateless_effects& out);
  /// Ends all listens, as the next server will not know them. Acknowledged ones end with their result, so that clients
  /// listen again; the others fail.
  void server_lost(std::string_view why, stateless_effects& out);

  /// Returns the final result of a listen; `id` is its request's.
  static send_response ended(exchange_id exchange, const std::string& id);
  /// Ends each listen with its result.
  void end(stateless_effects& out);

  bool is_listening(exchange_id exchange) const { return all_.contains(exchange); }
  std::size_t size() const { return all_.size(); }

private:
  struct listening {
    /// Id of the request, a JSON token.
    std::string id;
    /// Acknowledged changes; without resources that the server refused.
    listen_filter wants;
    /// Number of resources without the server's answer; the listen is acknowledged at zero.
    std::size_t awaited = 0;
    /// Changes before the acknowledgement, which must be sent first.
    std::set<list_group> changed_lists = {};
    std::set<std::string> changed_resources = {};
    /// Budget shares for the filter, and for the changed resources.
    std::optional<byte_budget::share> bytes = {};
    std::vector<byte_budget::share> bytes_of_changes = {};

    bool is_acknowledged() const { return awaited == 0; }
  };
  using place = std::map<exchange_id, listening>::iterator;

  void acknowledge_if_settled(place at, stateless_effects& out);
  void list_changed(list_group group, const message& notification, stateless_effects& out);
  void resource_updated(const message& notification, stateless_effects& out);
  void note_change(listening& one, const std::string& uri);
  void answer(place at, send_response what, stateless_effects& out);
  void leave(place at, stateless_effects& out);

  std::size_t most_;
  byte_budget& bytes_;
  std::map<exchange_id, listening> all_;
  resource_listens resources_;
};

} // namespace troupe::protocol
