#pragma once

#include "actors/messages.hpp"
#include "protocol/access/principal.hpp"
#include "protocol/came_by.hpp"
#include "protocol/exchange_id.hpp"
#include "protocol/time.hpp"

#include <cstddef>
#include <optional>
#include <utility>
#include <vector>

namespace troupe::actors {

/// Who waits for a session: the brokers of its exchanges, each until it is answered, or as long as it carries a stream.
class session_clients {
public:
  struct client {
    protocol::exchange_id exchange = 0;
    broker_actor broker = {};
    protocol::came_by came = protocol::came_by::client;
    protocol::caller caller = {};
    /// When the caller has to come with fresh credentials.
    protocol::time_point until = protocol::time_point::max();
    /// It is to carry the server's own messages.
    bool listens = false;
    bool streams = false;
  };

  /// Exchanges are numbered upwards.
  void add(client one) { all_.push_back(std::move(one)); }
  /// Null when it waits no more.
  client* find(protocol::exchange_id exchange);
  /// One without a broker when it waits no more.
  client take(protocol::exchange_id exchange);
  /// The exchange of a broker that has ended.
  std::optional<protocol::exchange_id> lost(const caf::actor_addr& broker);

  const std::vector<client>& all() const { return all_; }
  /// When one of them has to come with fresh credentials.
  protocol::time_point first_until() const;
  /// Those who have to until then, once: who listens, and whose call's stream can be resumed. The others may have their
  /// answer.
  std::vector<protocol::exchange_id> take_expired(protocol::time_point until, bool resumes_calls);
  /// How many are to be answered at once: those that carry no stream.
  std::size_t unanswered() const;

private:
  using position = std::vector<client>::iterator;
  position place_of(protocol::exchange_id exchange);

  /// By number. Few at a time.
  std::vector<client> all_;
};

} // namespace troupe::actors
