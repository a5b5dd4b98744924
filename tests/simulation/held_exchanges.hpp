#pragma once

#include "tests/simulation/exchange.hpp"

#include "protocol/delivery/effects.hpp"

#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <utility>

namespace troupe::tests::simulation {

/// Exchanges that an actor holds until it answers them.
class held_exchanges {
public:
  struct client {
    std::shared_ptr<broker> from;
    request_source came = request_source::client;
    bool listens = false;
    /// Part of the answer has been sent.
    bool streams = false;
  };

  /// `lost` receives an exchange whose client is gone.
  explicit held_exchanges(std::function<void(exchange_id)> lost) : lost_{std::move(lost)} {}

  /// Numbers of exchanges go on after this one.
  void go_on_after(exchange_id last) { last_ = last; }
  /// Takes the exchange of a request on behalf of the actor `by`, to which its end is reported.
  exchange_id adopt(request& what, const std::shared_ptr<actor>& by);
  /// Sends a part of an answer, unless its client is gone.
  void tell(const stream_part& part, const actor& by);
  /// Sends the last answer.
  void answer(exchange_id which, answer what, const actor& by);
  /// Removes and returns an exchange, which is not watched any more; empty if its client is gone.
  std::optional<client> extract(exchange_id which, const actor& by);
  void clear() { all_.clear(); }

  const client* find(exchange_id which) const;
  const std::map<exchange_id, client>& all() const { return all_; }

private:
  std::function<void(exchange_id)> lost_;
  std::map<exchange_id, client> all_;
  exchange_id last_ = 0;
};

} // namespace troupe::tests::simulation
