#pragma once

#include "protocol/cluster/event_flow.hpp"
#include "protocol/cluster/lost_exchange.hpp"
#include "protocol/cluster/node_life.hpp"
#include "protocol/delivery/delivery.hpp"
#include "protocol/rejection.hpp"

#include <cstddef>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

namespace troupe::protocol {

/// What is left to say on a stream of events, each as it goes on the wire. The stream ends with them.
struct end_of_stream {
  std::vector<std::string> events;
  friend bool operator==(const end_of_stream&, const end_of_stream&) = default;
};
/// What a client is told when its answer does not come: the end of its stream, a JSON answer, or a refusal.
using failed_answer = std::variant<end_of_stream, std::string, rejection>;

/// An exchange of a client of this node that another node answers.
class forwarded_exchange {
public:
  /// Why calls fail whose answer this node does not wait for.
  static constexpr std::string_view cut_off = "The call was cut off: the gateway is stopping";

  /// Of a client that listens, or of one that posts that body. Over `transport::stateless` the session is the lease
  /// that it goes on with, or empty; `key` is then what it has a lease by.
  forwarded_exchange(node_life to, std::string session, const post_body& body, bool listens,
                     transport via = transport::streamable_http, std::string key = {})
      : to_{to}, session_{std::move(session)}, key_{std::move(key)}, awaited_{body}, listens_{listens},
        is_stateless_{via == transport::stateless} {}

  // -- facts
  /// The answer is a stream of events.
  void begun() { streams_ = true; }
  /// Events were passed on to the client. Returns how many bytes the other node is to hear of.
  std::size_t passed_on(std::string_view events);

  // -- what follows
  node_life to() const { return to_; }
  const std::string& session() const { return session_; }
  const std::string& key() const { return key_; }
  bool is_stateless() const { return is_stateless_; }
  /// The id of a request that awaits its answer, as a JSON token; empty when none does.
  std::string request() const { return awaited_.first(); }
  bool streams() const { return streams_; }
  /// Whether somebody awaits an answer; nothing is lost when a stream ends early on which a client only listens.
  bool is_call() const { return !listens_; }
  /// What the client hears instead of the answer: calls fail, and `otherwise` is said when there is no call.
  failed_answer fail(std::string_view why, rejection otherwise) const;

private:
  node_life to_;
  std::string session_;
  std::string key_;
  lost_exchange awaited_;
  untold_events untold_;
  bool listens_;
  bool is_stateless_;
  bool streams_ = false;
};

} // namespace troupe::protocol
