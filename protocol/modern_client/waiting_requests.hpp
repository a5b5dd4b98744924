#pragma once

#include "protocol/byte_budget.hpp"
#include "protocol/ids.hpp"
#include "protocol/message/message.hpp"
#include "protocol/message/request_envelope.hpp"
#include "protocol/modern_client/stateless_effects.hpp"

#include <cstddef>
#include <list>
#include <string_view>
#include <vector>

namespace troupe::protocol {

/// A request of 2026-07-28 on its way to the server.
struct stateless_request {
  exchange_id exchange = 0;
  message what;
  request_envelope envelope = {};
  /// It brings answers to what its client was asked.
  bool is_retry = false;
};

/// Whether the request is a `subscriptions/listen`.
inline bool is_listen(const stateless_request& one) { return one.what.is_method("subscriptions/listen"); }

/// Requests that wait until the server, or what must be known of it, is there. In the order in which they came.
class waiting_requests {
public:
  /// The budget outlives this.
  explicit waiting_requests(byte_budget& bytes) : bytes_{bytes} {}

  /// False, and nothing is done, when it is too many bytes.
  bool add(stateless_request& one);
  /// False when it is none of these.
  bool withdraw(exchange_id exchange);
  std::vector<stateless_request> take_all();
  /// Those that are `subscriptions/listen`.
  std::vector<stateless_request> take_listens();
  /// Answers each with an internal error; `how` and `is_shortage` as `give_answer` has them.
  void fail_all(std::string_view why, stateless_effects& out, call_outcome::kind how = call_outcome::kind::success,
                bool is_shortage = false);

  /// Whether the exchange is of a `subscriptions/listen` that waits.
  bool is_listening(exchange_id exchange) const;
  std::size_t size() const { return all_.size(); }

private:
  struct kept {
    stateless_request what;
    byte_budget::share bytes;
  };

  byte_budget& bytes_;
  std::list<kept> all_;
};

} // namespace troupe::protocol
