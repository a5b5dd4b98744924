#pragma once

#include "protocol/delivery/effects.hpp"
#include "protocol/delivery/event_id.hpp"
#include "protocol/delivery/event_store.hpp"
#include "protocol/first_deadline.hpp"
#include "protocol/time.hpp"

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace troupe::protocol {

/// What streams may: the defaults are those of the gateway.
struct stream_limits {
  /// A stream without a connection is forgotten after this long, unless its call still runs.
  std::chrono::milliseconds time_to_live = std::chrono::seconds{60};
  /// What a client is told to wait before it comes back.
  std::chrono::milliseconds retry = std::chrono::milliseconds{3000};
  /// A stream's connection is closed after this long and the client told to come back; never when zero. Only for
  /// clients that know of it (2025-11-25 and later).
  std::chrono::milliseconds poll = std::chrono::milliseconds::zero();
  /// Take-overs of a stream from a live connection within `takeover_time`; further ones are refused.
  std::size_t takeovers = 2;
  std::chrono::milliseconds takeover_time = std::chrono::seconds{10};
  /// What is kept of a session's streams: those without a connection whose call is over, the oldest forgotten first,
  /// and events of all.
  std::size_t kept = 256;
  std::size_t stored_events = 1000;
  std::size_t stored_bytes = 8 * 1024 * 1024;
};

/// The streams of a session, each with the exchange that carries it now, if any. What goes on a stream is kept for a
/// while, so that a client whose connection broke can have the rest (2025-11-25, transports, "Resumability and
/// Redelivery").
class streams {
public:
  /// `tag` begins the session's event ids.
  streams(const stream_limits& limits, std::string tag, std::unique_ptr<event_store> store)
      : limits_{limits}, tag_{std::move(tag)}, store_{std::move(store)} {}

  /// Clients of 2025-11-25 and later are told where a stream begins before anything happens on it; earlier ones would
  /// choke on an event without data.
  void prime(bool on) { primes_ = on; }

  /// From here on what goes on streams is kept outside of this node, too.
  void keep_outside() { keeps_outside_ = true; }
  /// Has the streams of a life that ended with its node, as far as they were kept. Each can be resumed; those of calls,
  /// and those of which nobody knows what they were for, end, with an error for each request that has no answer. None
  /// has a number above `last`.
  void restore(const std::vector<saved_event>& events, exchange_id last, time_point now, effects& out);

  /// What a stream is for: the answer to a POST, or the server's own messages.
  enum class kind { call, listen };

  /// Makes an exchange a new stream, of the exchange's number.
  void open(exchange_id exchange, kind is, time_point now, effects& out);
  /// Which requests a stream answers, by their ids: told to who may go on with it in another life.
  void answers(exchange_id stream, const std::vector<std::string>& requests, effects& out) const;
  /// A `vital` message is an answer or a question: it is kept longest.
  void send(exchange_id stream, std::string text, bool vital, effects& out);
  /// Ends a stream; what it carried can still be resumed for a while.
  void finish(exchange_id stream, time_point now, effects& out);

  enum class outcome { resumed, waits, ended, foreign };
  /// Carries a stream on with another exchange, from the event after `last`, also when its connection seems to live.
  /// Waits: connections take it from each other, so the newcomer is silent until the other is gone. Ended: all it had
  /// to say was said, and the exchange is over. Foreign: the id is none of this session's.
  outcome resume(exchange_id exchange, std::string_view last, time_point now, effects& out);
  bool listens(exchange_id stream) const;
  /// The stream that an exchange carries.
  std::optional<exchange_id> carried_by(exchange_id exchange) const;
  /// A connection is gone: its stream goes on with the one that waits for it, or without.
  void detach(exchange_id exchange, time_point now, effects& out);

  bool attached(exchange_id stream) const;
  /// Closes what polls and forgets what nobody came back for. Gives the streams whose connections it closed.
  std::vector<exchange_id> tick(time_point now, effects& out);
  time_point deadline() const;
  std::size_t size() const { return all_.size(); }
  std::size_t detached() const { return all_.size() - carried_.size(); }
  std::size_t waiting() const { return waiting_.size(); }
  const event_store& stored() const { return *store_; }

private:
  /// An exchange that waits for a stream, and where its client stands.
  struct successor {
    exchange_id exchange = 0;
    std::uint64_t place = 0;
  };
  struct one {
    kind is = kind::call;
    /// The exchange that carries it, 0 when none does.
    exchange_id carrier = 0;
    std::optional<successor> next;
    std::uint64_t last_place = 0;
    bool finished = false;
    /// When it is forgotten while nothing carries it, or left for polling while something does.
    time_point deadline = time_point::max();
    std::vector<time_point> takeovers;
  };

  void carry(exchange_id stream, one& it, exchange_id exchange, std::uint64_t place, time_point now, effects& out);
  void replay(exchange_id stream, const one& it, std::uint64_t place, effects& out);
  void release(exchange_id stream, one& it, time_point now, effects& out);
  void keep(exchange_id stream, effects& out);
  void forget(exchange_id stream, effects& out);
  void drop(exchange_id stream);
  void take_over(exchange_id stream, one& it, successor by, time_point now, effects& out);
  void wait(exchange_id stream, one& it, successor by, effects& out);
  std::optional<successor> take_next(one& it);
  bool may_take_over(one& it, time_point now);
  void take_back(const saved_event& event);
  void go_on(exchange_id stream, const stream_role& of, time_point now, effects& out);
  std::string id_of(exchange_id stream, std::uint64_t place) const { return event_id_text(tag_, {stream, place}); }
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
  /// A memory of what was looked for.
  mutable first_deadline first_;
  /// The streams that exchanges carry or wait for.
  std::map<exchange_id, exchange_id> carried_;
  std::map<exchange_id, exchange_id> waiting_;
  /// Streams that nothing carries and that may be forgotten, oldest first; some of them carried again since.
  std::vector<exchange_id> kept_;
};

} // namespace troupe::protocol
