#pragma once

#include "protocol/cluster/node_identity.hpp"
#include "protocol/delivery/delivery.hpp"
#include "protocol/message/message.hpp"
#include "protocol/rejection.hpp"

#include <algorithm>
#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

namespace troupe::protocol {

// How much of an answer may be on its way from the node that answers to the one that has the client's connection.

/// On the side that answers: bytes of events that the other node has not passed on yet.
class unread_events {
public:
  /// As much as a connection of a client holds, and the longest message besides.
  static constexpr std::size_t most = 2 * 10 * 1024 * 1024 + 64 * 1024;

  /// False when it is too much: a client that does not read loses its connection. The session keeps what it missed.
  bool sent(std::size_t bytes) { return (bytes_ += bytes) <= most; }
  /// The other node has passed on that much.
  void taken(std::size_t bytes) { bytes_ -= std::min(bytes_, bytes); }

private:
  std::size_t bytes_ = 0;
};

/// On the side of the client: bytes of events that were passed on and that the other node has not heard of.
class untold_events {
public:
  static constexpr std::size_t most = 256 * 1024;

  /// How many bytes the other node is to hear of now; none as long as they are few.
  std::size_t passed_on(std::size_t bytes) {
    bytes_ += bytes;
    return bytes_ >= most ? std::exchange(bytes_, 0) : 0;
  }

private:
  std::size_t bytes_ = 0;
};

/// What a client awaits of a POST that another node answers, and what it is told instead when that does not come.
class lost_exchange {
public:
  lost_exchange() = default;
  explicit lost_exchange(const post_body& body);

  /// Events of the answer, as they went on the wire: a request that they answer awaits nothing more.
  void told(std::string_view events);
  /// Whether an answer may be among the events. Cheap, and never wrong when it says no: most events are none, and are
  /// not read.
  static bool may_answer(std::string_view events);

  /// The id of the first request that was not answered, as a JSON token; empty when there is none.
  std::string first() const { return requests_.empty() ? std::string{} : requests_.front(); }
  /// The JSON answer: an error for each request. Nothing when no request awaits an answer.
  std::optional<std::string> json(std::string_view why = node_lost) const;
  /// The last messages of a stream that has begun: an error for each request that was not answered.
  std::vector<std::string> last_messages(std::string_view why = node_lost) const;

  /// Whatever the node had done by then stays done, so nobody runs the call again.
  static constexpr std::string_view node_lost = "The node that ran the call was lost before it answered";

private:
  std::vector<std::string> requests_;
  bool batch_ = false;
};

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
