#pragma once

#include "protocol/deadlines.hpp"
#include "protocol/delivery/effects.hpp"
#include "protocol/delivery/event_store.hpp"
#include "protocol/time.hpp"

#include <boost/container/flat_map.hpp>

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace troupe::protocol {

/// Limits of the streams of one session; the defaults are the gateway's.
struct stream_limits {
  /// Time after which a stream without a connection is forgotten, unless its call still runs.
  std::chrono::milliseconds time_to_live = std::chrono::seconds{60};
  /// Time that clients are asked to wait before they reconnect, sent as `retry`.
  std::chrono::milliseconds retry = std::chrono::milliseconds{3000};
  /// Time after which a stream's connection is closed, so that the client polls (2025-11-25, transports, "Sending
  /// Messages to the Server" 6); never if zero. Only for clients of 2025-11-25 and later.
  std::chrono::milliseconds poll = std::chrono::milliseconds::zero();
  /// Limit, within `takeover_time`, of take-overs of a stream from a live connection, and of replays of an ended one;
  /// further ones wait.
  std::size_t takeovers = 2;
  std::chrono::milliseconds takeover_time = std::chrono::seconds{10};
  /// Limit of streams without a connection and a running call, of which the oldest are forgotten first; and limits of
  /// the events of all streams.
  std::size_t kept = 256;
  std::size_t stored_events = 1000;
  std::size_t stored_bytes = 8 * 1024 * 1024;
  /// Counts the stored bytes of all sessions; may be null.
  std::shared_ptr<byte_total> all_stored_bytes = nullptr;
};

/// SSE streams of a session, each with the exchange that carries it now, if any. Events are stored for a while, so that
/// a client can resume after its connection broke (2025-11-25, transports, "Resumability and Redelivery").
class streams {
public:
  /// Failure of a call that the node before a restore has not answered, as far as the store knows.
  static constexpr std::string_view lost_with_node = "The call was lost with the node that ran it";

  /// `tag`: prefix of the session's event ids.
  streams(const stream_limits& limits, std::string tag, std::unique_ptr<event_store> store)
      : limits_{limits}, tag_{std::move(tag)}, store_{std::move(store)} {}

  /// Whether streams begin with a priming event. Clients of 2025-11-25 and later expect one; earlier clients fail on an
  /// event without data.
  void prime(bool on) { primes_ = on; }
  bool primes() const { return primes_; }

  /// From now on events are also written to the store outside of this node, by `keep_event`.
  void keep_outside() { keeps_outside_ = true; }
  /// Restores the streams of a session whose node died, from the stored events; each can be resumed. Streams of calls,
  /// and those without a stored role, end with an error for each unanswered request. No stream had a number above
  /// `last`.
  void restore(const std::vector<saved_event>& events, exchange_id last, time_point now, effects& out);

  /// Streams that answer a POST, and streams for the server's own messages.
  enum class kind { call, listen };

  /// Answers an exchange with a new stream, which gets the number of the exchange.
  void open(exchange_id exchange, kind is, time_point now, effects& out);
  /// Writes the ids of the requests that a stream answers to the store, for a restore.
  void answers(exchange_id stream, const std::vector<std::string>& requests, effects& out) const;
  /// Writes the roles of listening streams to the store again.
  void keep_listeners(effects& out) const;
  /// Sends a message. A `vital` message, an answer or a question, is stored longest.
  void send(exchange_id stream, std::string text, bool vital, effects& out);
  /// Ends a stream; its events can still be resumed for a while.
  void finish(exchange_id stream, time_point now, effects& out);

  enum class outcome { resumed, waits, ended, foreign };
  /// Resumes a stream on another exchange, from the event after `last`, even if its connection seems alive. `waits`:
  /// the exchange stays silent, because connections keep taking the stream from each other, until the other is gone; or
  /// a complete stream was resumed too often, and is sent later. `ended`: the stream was complete, and the exchange is
  /// over. `foreign`: the id is not of this session.
  outcome resume(exchange_id exchange, std::string_view last, time_point now, effects& out);
  bool listens(exchange_id stream) const;
  /// Returns the stream that an exchange carries; empty if none.
  std::optional<exchange_id> carried_by(exchange_id exchange) const;
  /// A connection is gone. Its stream moves to the exchange that waits for it, or stays without one.
  void detach(exchange_id exchange, time_point now, effects& out);

  bool attached(exchange_id stream) const;
  /// Closes connections of streams that poll, and forgets streams that were not resumed in time. Returns the streams
  /// whose connections were closed.
  std::vector<exchange_id> tick(time_point now, effects& out);
  time_point deadline() const;
  std::size_t size() const { return all_.size(); }
  std::size_t detached() const { return all_.size() - carried_.size(); }
  std::size_t waiting() const { return waiting_.size(); }
  const event_store& stored() const { return *store_; }

private:
  /// An exchange that waits to resume a stream, and the position of its client's last event.
  struct successor {
    exchange_id exchange = 0;
    std::uint64_t position = 0;
  };
  struct one {
    kind is = kind::call;
    /// Exchange that carries the stream; 0 if none does.
    exchange_id carrier = 0;
    std::optional<successor> next;
    std::uint64_t last_position = 0;
    bool finished = false;
    /// True if the stream is in `kept_`.
    bool kept = false;
    /// Without a carrier: time to forget the stream, or to send it to the waiting exchange. With a carrier: time to
    /// close the connection for polling.
    time_point deadline = time_point::max();
    std::vector<time_point> takeovers;
  };

  void carry(exchange_id stream, one& it, exchange_id exchange, std::uint64_t position, time_point now, effects& out);
  void replay(exchange_id stream, const one& it, std::uint64_t position, effects& out);
  void release(exchange_id stream, one& it, time_point now, effects& out);
  void keep(exchange_id stream, one& it, effects& out);
  void keep_listener(exchange_id stream, effects& out) const;
  void forget(exchange_id stream, effects& out);
  void drop(exchange_id stream);
  void take_over(exchange_id stream, one& it, successor by, time_point now, effects& out);
  void wait(exchange_id stream, one& it, successor by, effects& out);
  std::optional<successor> take_next(one& it);
  bool may_take_over(one& it, time_point now);
  void take_back(const saved_event& event);
  void continue_restored(exchange_id stream, const stream_role& of, time_point now, effects& out);
  std::string id_of(exchange_id stream, std::uint64_t position) const {
    return event_id_text(tag_, {stream, position});
  }
  time_point poll_deadline(time_point now) const;
  void postpone(one& it, time_point deadline);
  static time_point deadline_of(const std::pair<const exchange_id, one>& it) { return it.second.deadline; }

  stream_limits limits_;
  std::string tag_;
  std::unique_ptr<event_store> store_;
  bool primes_ = false;
  bool keeps_outside_ = false;
  exchange_id newest_ = 0;
  std::map<exchange_id, one> all_;
  /// The earliest deadline of the streams, cached.
  mutable first_deadline first_;
  /// Streams by the exchanges that carry them, and by the exchanges that wait for them.
  boost::container::flat_map<exchange_id, exchange_id> carried_;
  boost::container::flat_map<exchange_id, exchange_id> waiting_;
  /// Streams without an exchange that may be forgotten, oldest first; some were resumed since.
  std::vector<exchange_id> kept_;
};

} // namespace troupe::protocol
