#pragma once

#include "protocol/cluster/event_flow.hpp"
#include "protocol/cluster/node_identity.hpp"
#include "protocol/cluster/unanswered_requests.hpp"
#include "protocol/delivery/delivery.hpp"
#include "protocol/message/message.hpp"
#include "protocol/rejection.hpp"

#include <cstddef>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

namespace troupe::protocol {

/// Refusal of another node's request that nothing here has handled: that node may send the request elsewhere.
rejection unheld_request(const std::string& session, const post_body& body);

/// Last events of a stream, in SSE encoding. The stream ends with them.
struct end_of_stream {
  std::vector<std::string> events;
  friend bool operator==(const end_of_stream&, const end_of_stream&) = default;
};
/// Substitute for an answer that does not come: the end of the client's stream, a JSON answer, or a refusal.
using failed_answer = std::variant<end_of_stream, std::string, rejection>;

/// An exchange of a client of this node that another node answers.
class forwarded_exchange {
public:
  /// Reason for failing calls when this node stops waiting for their answers.
  static constexpr std::string_view cut_off = "The call was cut off: the gateway is stopping";

  /// `listens` for a GET, else the POST of `body`. Over `transport::stateless` the session is the lease to use, or
  /// empty, and `key` is the key of the lease.
  forwarded_exchange(node_life to, std::string session, const post_body& body, bool listens,
                     transport via = transport::streamable_http, std::string key = {})
      : to_{to}, session_{std::move(session)}, key_{std::move(key)}, awaited_{body}, listens_{listens},
        is_stateless_{via == transport::stateless} {}

  // -- facts
  /// The answer is a stream of events.
  void begun() { streams_ = true; }
  /// Notes events passed on to the client. Returns how many bytes to report to the other node.
  std::size_t passed_on(std::string_view events);

  // -- results
  node_life to() const { return to_; }
  const std::string& session() const { return session_; }
  const std::string& key() const { return key_; }
  bool is_stateless() const { return is_stateless_; }
  /// Id of the first request that awaits its answer, as a JSON token; empty if none does.
  std::string request() const { return awaited_.first(); }
  bool streams() const { return streams_; }
  /// True if a client awaits an answer. An early end of a stream loses nothing if the client only listens.
  bool is_call() const { return !listens_; }
  /// Returns the substitute for the answer: an error for each call, or `otherwise` if there is no call.
  failed_answer fail(std::string_view why, rejection otherwise) const;
  /// Returns the substitute for the answer if the session or lease of the request has ended before it received the
  /// request: 404 for a session, as on one node. Otherwise 503: clients may send the request again.
  failed_answer end() const;

private:
  end_of_stream last_events(std::string_view why) const;

  node_life to_;
  std::string session_;
  std::string key_;
  unanswered_requests awaited_;
  unreported_events unreported_;
  bool listens_;
  bool is_stateless_;
  bool streams_ = false;
};

} // namespace troupe::protocol
