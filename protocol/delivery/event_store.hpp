#pragma once

#include "protocol/byte_budget.hpp"
#include "protocol/delivery/effects.hpp"

#include <cstddef>
#include <cstdint>
#include <list>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

namespace troupe::protocol {

/// Position of an event: the stream of the session, and the place on the stream. `Last-Event-ID` names the stream to
/// resume (2025-11-25, transports, "Resumability and Redelivery").
struct event_id {
  exchange_id stream = 0;
  std::uint64_t position = 0;

  friend bool operator==(const event_id&, const event_id&) = default;
};

/// Prefix of a session's event ids, which distinguishes them from those of other sessions. Too short to reveal the
/// session id.
std::string event_tag(std::string_view session_id);

/// `<tag>-<stream>-<position>`.
std::string event_id_text(std::string_view tag, event_id id);

/// Reads an id of the same session; empty if malformed or of another session.
std::optional<event_id> read_event_id(std::string_view tag, std::string_view text);

/// A stored event: its position on the stream, and the message.
struct stored_event {
  std::uint64_t position = 0;
  std::string text;

  friend bool operator==(const stored_event&, const stored_event&) = default;
};

/// Store of the events of one session's streams, for clients that resume a stream.
class event_store {
public:
  virtual ~event_store() = default;

  /// Adds an event; positions grow on each stream. A `vital` event, an answer or a question, is kept longest.
  virtual void append(exchange_id stream, stored_event event, bool vital) = 0;
  /// Returns the remaining events after a position, in order.
  virtual std::vector<stored_event> after(exchange_id stream, std::uint64_t position) const = 0;
  /// Marks a stream as complete.
  virtual void finish(exchange_id stream) = 0;
  /// Removes a stream and its events.
  virtual void drop(exchange_id stream) = 0;

  virtual std::size_t events() const = 0;
  virtual std::size_t bytes() const = 0;
};

/// Event store in memory, limited in number and bytes. Above a limit it drops the oldest event that is not vital; if
/// all are vital, the oldest finished stream, and at last the oldest event. While all stores together have too many
/// bytes, each is limited to `least_bytes`.
class memory_store : public event_store {
public:
  static constexpr std::size_t least_bytes = 64 * 1024;

  /// `total` counts the bytes of all stores; may be null.
  memory_store(std::size_t most_events, std::size_t most_bytes, std::shared_ptr<byte_total> total = nullptr)
      : most_events_{most_events}, most_bytes_{most_bytes}, bytes_{std::move(total)} {}

  void append(exchange_id stream, stored_event event, bool vital) override;
  std::vector<stored_event> after(exchange_id stream, std::uint64_t position) const override;
  void finish(exchange_id stream) override { streams_[stream].finished = true; }
  void drop(exchange_id stream) override;

  std::size_t events() const override { return events_.size(); }
  std::size_t bytes() const override { return bytes_.bytes(); }

private:
  struct entry {
    exchange_id stream;
    stored_event event;
    bool vital;
  };

  struct kept_stream {
    std::size_t events = 0;
    bool finished = false;
  };

  bool is_too_full() const;
  void make_room();
  void forget(const std::list<entry>::const_iterator& one);

  std::size_t most_events_;
  std::size_t most_bytes_;
  counted_bytes bytes_;
  std::list<entry> events_;
  std::unordered_map<exchange_id, kept_stream> streams_;
};

} // namespace troupe::protocol
