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

/// Limits of the streams of one session; the defaults are those of the gateway.
struct stream_limits {
  /// A stream without a connection is forgotten after this long, unless its call still runs.
  std::chrono::milliseconds time_to_live = std::chrono::seconds{60};
  /// How long clients are told to wait before they reconnect, by `retry`.
  std::chrono::milliseconds retry = std::chrono::milliseconds{3000};
  /// A stream's connection is closed after this long, so that the client polls (2025-11-25, transports, "Sending
  /// Messages to the Server" 6); never when zero. Only for clients of 2025-11-25 and later.
  std::chrono::milliseconds poll = std::chrono::milliseconds::zero();
  /// Take-overs of a stream from a live connection within `takeover_time`, and replays of one that has ended; further
  /// ones wait.
  std::size_t takeovers = 2;
  std::chrono::milliseconds takeover_time = std::chrono::seconds{10};
  /// What is kept of a session's streams: those without a connection whose call is over, the oldest forgotten first,
  /// and events of all.
  std::size_t kept = 256;
  std::size_t stored_events = 1000;
  std::size_t stored_bytes = 8 * 1024 * 1024;
  /// Counts the bytes of all sessions' events; may be null.
  std::shared_ptr<byte_total> all_stored_bytes = nullptr;
};

/// The SSE streams of a session, each with the exchange that carries it now, if any. Their events are kept for a while,
/// so that a client whose connection broke can resume (2025-11-25, transports, "Resumability and Redelivery").
class streams {
public:
  /// `tag` is what the session's event ids begin with.
  streams(const stream_limits& limits, std::string tag, std::unique_ptr<event_store> store)
      : limits_{limits}, tag_{std::move(tag)}, store_{std::move(store)} {}

  /// Whether streams begin with a priming event. Clients of 2025-11-25 and later expect one; earlier ones fail when
  /// they parse an event without data.
  void prime(bool on) { primes_ = on; }
  bool primes() const { return primes_; }

  /// From here on events are kept outside of this node, too, by `keep_event`.
  void keep_outside() { keeps_outside_ = true; }
  /// Restores the streams of a session whose node died, from the events that were kept. Each can be resumed. Streams of
  /// calls, and those whose role was not kept, end with an error for each request that has no answer. No stream had a
  /// number above `last`.
  void restore(const std::vector<saved_event>& events, exchange_id last, time_point now, effects& out);

  /// A stream answers a POST, or carries the server's own messages.
  enum class kind { call, listen };

  /// Makes the answer of an exchange a new stream, which has the number of the exchange.
  void open(exchange_id exchange, kind is, time_point now, effects& out);
  /// Keeps outside of this node which requests a stream answers, by their ids, for who restores it.
  void answers(exchange_id stream, const std::vector<std::string>& requests, effects& out) const;
  /// Keeps outside of this node once more which streams carry the server's own messages.
  void keep_listeners(effects& out) const;
  /// A `vital` message is an answer or a question: it is kept longest.
  void send(exchange_id stream, std::string text, bool vital, effects& out);
  /// Ends a stream; what it carried can still be resumed for a while.
  void finish(exchange_id stream, time_point now, effects& out);

  enum class outcome { resumed, waits, ended, foreign };
  /// Resumes a stream on another exchange, from the event after `last`, even when its connection seems to be alive.
  /// `waits`: connections keep taking the stream from each other, so this one stays silent until the other is gone, or
  /// a complete stream was resumed too often and is sent later.
  /// `ended`: the stream was complete, and the exchange is over. `foreign`: the id is not one of this session.
  outcome resume(exchange_id exchange, std::string_view last, time_point now, effects& out);
  bool listens(exchange_id stream) const;
  /// The stream that an exchange carries.
  std::optional<exchange_id> carried_by(exchange_id exchange) const;
  /// A connection is gone. Its stream goes on with the exchange that waits for it, or stays without one.
  void detach(exchange_id exchange, time_point now, effects& out);

  bool attached(exchange_id stream) const;
  /// Closes connections of streams that poll, and forgets streams that were not resumed in time. Returns the streams
  /// whose connections it closed.
  std::vector<exchange_id> tick(time_point now, effects& out);
  time_point deadline() const;
  std::size_t size() const { return all_.size(); }
  std::size_t detached() const { return all_.size() - carried_.size(); }
  std::size_t waiting() const { return waiting_.size(); }
  const event_store& stored() const { return *store_; }

private:
  /// An exchange that waits to resume a stream, and the last event that its client has.
  struct successor {
    exchange_id exchange = 0;
    std::uint64_t position = 0;
  };
  struct one {
    kind is = kind::call;
    /// The exchange that carries it, 0 when none does.
    exchange_id carrier = 0;
    std::optional<successor> next;
    std::uint64_t last_position = 0;
    bool finished = false;
    /// Whether it is in `kept_`.
    bool kept = false;
    /// While nothing carries it: when it is forgotten, or sent to the exchange that waits. While something does: when
    /// that is left for polling.
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
  void go_on(exchange_id stream, const stream_role& of, time_point now, effects& out);
  std::string id_of(exchange_id stream, std::uint64_t position) const {
    return event_id_text(tag_, {stream, position});
  }
  time_point poll_deadline(time_point now) const;
  void put_off(one& it, time_point deadline);
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
  /// The streams that exchanges carry or wait for.
  boost::container::flat_map<exchange_id, exchange_id> carried_;
  boost::container::flat_map<exchange_id, exchange_id> waiting_;
  /// Streams without an exchange that may be forgotten, oldest first; some of them were resumed since.
  std::vector<exchange_id> kept_;
};

} // namespace troupe::protocol
