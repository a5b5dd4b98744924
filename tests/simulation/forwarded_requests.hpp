#pragma once

#include "tests/simulation/exchange.hpp"
#include "tests/simulation/network.hpp"

#include "protocol/cluster/forwarded_exchange.hpp"

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace troupe::tests::simulation {

/// A request of a client that another node answers.
struct forwarded_request {
  forwarded_exchange exchange;
  std::shared_ptr<broker> from;
  std::shared_ptr<link_end> gate;
  /// For a second try.
  std::optional<request> copy;
};

/// Mirrors `actors/cluster/forwarded_requests.cpp`: the requests that an actor has forwarded to the gates of other
/// nodes, with their brokers.
class forwarded_requests {
public:
  /// `client_lost` is called on the actor when a client has gone first.
  forwarded_requests(actor& self, node& of, network& net, std::function<void()> client_lost)
      : self_{self}, node_{of}, net_{net}, client_lost_{std::move(client_lost)} {}

  /// `what.came` says how the other node is to take it.
  void pass_on(node_life to, const std::shared_ptr<link_end>& gate, request what, bool may_move);
  /// Null once the request is answered.
  forwarded_request* find(std::uint64_t number);
  /// Takes the copy of a request back, with its broker.
  request take_back(std::uint64_t number);

  /// Passes an answer on. Refusals and `lost` are left to the caller.
  void receive_answer(std::uint64_t number, answer what);
  void finish(std::uint64_t number, answer what);
  void refuse(std::uint64_t number, rejection why);
  /// Ends a request without its answer: see `forwarded_exchange::fail`, and `end`.
  void fail(std::uint64_t number, std::string_view why, rejection otherwise);
  void fail_all(std::string_view why, const rejection& otherwise);
  void end(std::uint64_t number);
  void end_all();
  /// Ends the streams of clients that only listen.
  void end_listening();

  /// Numbers of the requests for which a condition holds.
  std::vector<std::uint64_t> numbers(const std::function<bool(const forwarded_request&)>& which) const;
  bool has_calls() const;
  std::size_t size() const { return all_.size(); }

private:
  void publish(std::uint64_t number, std::string text);
  void finish_with(std::uint64_t number, failed_answer what);
  void lose_client(std::uint64_t number);

  actor& self_;
  node& node_;
  network& net_;
  std::function<void()> client_lost_;
  std::uint64_t last_number_ = 0;
  std::map<std::uint64_t, forwarded_request> all_;
};

} // namespace troupe::tests::simulation
