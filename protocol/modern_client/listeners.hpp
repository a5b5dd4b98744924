#pragma once

#include "protocol/byte_budget.hpp"
#include "protocol/ids.hpp"
#include "protocol/message/lists.hpp"
#include "protocol/message/message.hpp"
#include "protocol/modern_client/resource_listens.hpp"
#include "protocol/modern_client/stateless_effects.hpp"

#include <cstddef>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

namespace troupe::protocol {

/// Most resources that one `subscriptions/listen` may name.
inline constexpr std::size_t most_listened_uris = 1000;

/// What a `subscriptions/listen` asks to be told of (2026-07-28, subscriptions, "Subscription Filter").
struct listen_filter {
  std::set<list_group> lists = {};
  std::set<std::string> uris = {};

  friend bool operator==(const listen_filter&, const listen_filter&) = default;
};

/// Reads `params.notifications` of the request; otherwise says what is wrong with it.
std::variant<listen_filter, std::string> read_listen_filter(const message& request);

/// The part of it that a server with those capabilities can tell of; they are a JSON object.
listen_filter honoured(listen_filter filter, std::string_view capabilities);

/// As an acknowledgement says it: a JSON object.
std::string filter_text(const listen_filter& filter);

/// The `subscriptions/listen` requests of one lease, on a server of the session era (2026-07-28, subscriptions): each
/// is acknowledged with what the server can tell of, is told of that, and lasts until it is withdrawn or ended.
class listeners {
public:
  /// `most` at once. Their bytes are of the budget, which outlives this: 256 for each resource that a listen names
  /// beside what is kept of its URI.
  listeners(std::size_t most, byte_budget& bytes) : most_{most}, bytes_{bytes} {}

  // -- from clients --------------------------------------------------------------------
  /// `capabilities` is the server's, a JSON object. The acknowledgement waits for the server's word on each resource
  /// that is new to it; those that it refuses are left out.
  void listen(exchange_id exchange, const message& request, std::string_view capabilities, stateless_effects& out);
  /// The client has closed the exchange; false when it is none of these.
  bool withdrawn(exchange_id exchange, stateless_effects& out);

  // -- from the server -----------------------------------------------------------------
  /// Takes the answer to a request that was made here; false when it answers another.
  bool takes_answer(const message& answer, stateless_effects& out);
  /// Passes `list_changed` and `resources/updated` to all who listen for it; other notifications to nobody.
  void server_said(const message& notification, stateless_effects& out);
  /// The server that comes next knows of none of these: listens that were acknowledged end with their result, so that
  /// their clients listen again, and the others fail.
  void server_lost(std::string_view why, stateless_effects& out);

  /// The result of a listen that ends, whose request had that id.
  static give_answer ended(exchange_id exchange, const std::string& id);
  /// Ends each with its result.
  void end(stateless_effects& out);

  bool is_listening(exchange_id exchange) const { return all_.contains(exchange); }
  std::size_t size() const { return all_.size(); }

private:
  struct listening {
    /// Of the request, a JSON token.
    std::string id;
    /// What is told of; resources that the server refused are taken out.
    listen_filter wants;
    /// Resources that the server has not answered for yet; after the last of them it is acknowledged.
    std::size_t awaited = 0;
    /// What has changed before the acknowledgement: it must be the first to be sent.
    std::set<list_group> changed_lists = {};
    std::set<std::string> changed_resources = {};
    /// For what it asked for, and for the resources that have changed.
    std::optional<byte_budget::share> bytes = {};
    std::vector<byte_budget::share> bytes_of_changes = {};

    bool is_acknowledged() const { return awaited == 0; }
  };
  using place = std::map<exchange_id, listening>::iterator;

  void acknowledge_if_settled(place at, stateless_effects& out);
  void list_changed(list_group group, const message& notification, stateless_effects& out);
  void resource_updated(const message& notification, stateless_effects& out);
  void note_change(listening& one, const std::string& uri);
  void answer(place at, give_answer what, stateless_effects& out);
  void leave(place at, stateless_effects& out);

  std::size_t most_;
  byte_budget& bytes_;
  std::map<exchange_id, listening> all_;
  resource_listens resources_;
};

} // namespace troupe::protocol
