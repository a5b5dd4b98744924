#pragma once

#include "protocol/deadlines.hpp"
#include "protocol/delivery/effects.hpp"
#include "protocol/ids.hpp"
#include "protocol/rejection.hpp"
#include "protocol/time.hpp"

#include <chrono>
#include <cstddef>
#include <map>
#include <string>
#include <vector>

namespace troupe::protocol {

/// How the requests of one lease are answered over HTTP (2026-07-28, transports, "Sending Messages to the Server"):
/// with JSON, whose status tells what some errors mean, or with a stream when something precedes the response or that
/// takes long. A stream has no event ids, and ends with the response.
class stateless_answers {
public:
  /// A request that was not answered for so long is answered with a stream, which comments keep alive.
  explicit stateless_answers(std::chrono::milliseconds patience) : patience_{patience} {}

  /// A request waits for its answer.
  void asked(exchange_id exchange, time_point now);
  /// A notification, ahead of the response.
  void precede(exchange_id exchange, std::string text, effects& out);
  /// The response; `error` is its JSON-RPC code, or 0.
  void answer(exchange_id exchange, std::string text, int error, effects& out);
  void refuse(exchange_id exchange, rejection why, effects& out);
  /// Ends a stream without a response, after which its client may come again.
  void cut(exchange_id exchange, effects& out);
  /// The client has closed the exchange; false when it was answered by then.
  bool withdrawn(exchange_id exchange);
  void tick(time_point now, effects& out);

  time_point deadline() const { return first_.of(waiting_, deadline_of); }
  bool empty() const { return waiting_.empty(); }
  bool is_awaited(exchange_id exchange) const { return waiting_.contains(exchange); }
  std::size_t size() const { return waiting_.size(); }
  std::vector<exchange_id> all() const;

private:
  struct waiting_answer {
    /// When it becomes a stream; never when it is one.
    time_point patience_ends;
    bool is_stream = false;
  };
  using waiting_answers = std::map<exchange_id, waiting_answer>;

  static time_point deadline_of(const waiting_answers::value_type& one) { return one.second.patience_ends; }
  void begin_stream(waiting_answers::value_type& one, effects& out);

  std::chrono::milliseconds patience_;
  waiting_answers waiting_;
  /// The earliest deadline of them, cached.
  mutable first_deadline first_;
};

} // namespace troupe::protocol
