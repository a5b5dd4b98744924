#pragma once

#include "protocol/backoff.hpp"
#include "protocol/message/lists.hpp"
#include "protocol/message/message.hpp"
#include "protocol/modern_server/adapter_effects.hpp"
#include "protocol/modern_server/client_envelope.hpp"
#include "protocol/time.hpp"

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <list>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

namespace troupe::protocol {

/// A `subscriptions/listen` of ours, which asks a stateless (2026-07-28) server for change notifications. It names
/// everything wanted, so another set of resources needs another request. The old request ends when the new one is
/// acknowledged, so that no change is missed. A request that ends by itself is repeated after a growing pause, and
/// everything it listened to is announced as changed (2026-07-28, subscriptions).
class change_listen {
public:
  /// Longest time until a server acknowledges.
  static constexpr std::chrono::seconds patience{30};
  /// Pause before an ended request is repeated, which doubles each time. It starts over after a request that lasted as
  /// long as the longest pause.
  static constexpr std::chrono::milliseconds first_pause{500};
  static constexpr std::chrono::seconds longest_pause{30};
  /// Most resources of one request, and most bytes of their URIs together.
  static constexpr std::size_t most_uris = 1000;
  static constexpr std::size_t most_bytes = 256 * 1024;

  /// `envelope` and `count`, the number of requests so far, must outlive this.
  change_listen(const client_envelope& envelope, std::uint64_t& count) : envelope_{envelope}, count_{count} {}

  /// Adds the lists whose changes the server announces, by its capabilities, a JSON object.
  void offered(std::string_view capabilities);
  void open(time_point now, adapter_effects& out);

  bool wants(std::string_view uri) const { return uris_.contains(uri); }
  bool has_room_for(std::string_view uri) const;
  std::size_t uris() const { return uris_.size(); }

  // -- from the user; `id` is of the request
  void subscribe(const std::string& id, std::string uri, time_point now, adapter_effects& out);
  void unsubscribe(const std::string& id, std::string_view uri, time_point now, adapter_effects& out);

  // -- from the server
  /// True for acknowledgements and changes, which belong to requests of this kind.
  static bool tells(const message& notification);
  void receive_notification(const message& notification, time_point now, adapter_effects& out);
  /// Handles the end of our request with that id; false if it is not this one's.
  bool ended(std::string_view id, bool is_refusal, time_point now, adapter_effects& out);

  void tick(time_point now, adapter_effects& out);
  time_point deadline() const { return std::min(acknowledge_by_, again_at_); }

private:
  using uri_set = std::set<std::string, std::less<>>;
  struct listen {
    /// Id of our request, a JSON token.
    std::string id;
    uri_set uris;
    /// Time of the acknowledgement; for a request that replaced others, that of the first.
    time_point since = {};
  };
  /// Request to subscribe that waits for its answer.
  struct subscriber {
    std::string id;
    std::string uri;
  };

  message listen_request(const listen& one) const;
  bool wants_nothing() const { return groups_.empty() && uris_.empty(); }
  void close_current(adapter_effects& out);
  void acknowledged(const message& ack, time_point now, adapter_effects& out);
  void answer_subscribers(const uri_set& asked, const uri_set& honored, adapter_effects& out);
  void announce_missed(adapter_effects& out);
  void again_later(time_point now);

  const client_envelope& envelope_;
  std::uint64_t& count_;
  std::vector<list_group> groups_;
  uri_set uris_;
  std::vector<subscriber> subscribers_;
  std::optional<listen> current_;
  /// Request that waits for its acknowledgement.
  std::optional<listen> pending_;
  time_point acknowledge_by_ = time_point::max();
  time_point again_at_ = time_point::max();
  backoff pause_{first_pause, longest_pause};
  /// True if changes may have been missed while no request was active.
  bool has_missed_ = false;
};

/// Change notifications of a stateless (2026-07-28) server for a session-era user. The user subscribes to single
/// resources and is notified of lists without asking. Our requests each name a part of the resources, so that one user
/// with many does not make a request too long for the others. The first request also names the lists.
class change_listens {
public:
  /// Most resources that an only user may be subscribed to at a time.
  static constexpr std::size_t most_uris = 1000;

  /// `envelope` must outlive this.
  explicit change_listens(const client_envelope& envelope) : envelope_{envelope} {}

  /// Takes the capabilities of the server, a JSON object.
  void offered(std::string_view capabilities);
  /// Starts listening: the user is ready for notifications.
  void begin(time_point now, adapter_effects& out);

  // -- from the user ---------------------------------------------------------------------
  /// `is_counted`: the request comes from one of several users, whose limit was checked before.
  void subscribe(const message& request, bool is_counted, time_point now, adapter_effects& out);
  void unsubscribe(const message& request, time_point now, adapter_effects& out);

  // -- from the server -------------------------------------------------------------------
  /// Takes the answer to a request made here; false for other answers.
  bool receive_response(const message& answer, time_point now, adapter_effects& out);
  /// Takes a notification for requests made here; false for others.
  bool receive_notification(const message& from, time_point now, adapter_effects& out);

  void tick(time_point now, adapter_effects& out);
  time_point deadline() const;

private:
  std::size_t uris() const;
  change_listen* find_subscribed(std::string_view uri);
  change_listen& with_room_for(std::string_view uri);

  const client_envelope& envelope_;
  bool offers_resources_ = false;
  bool begun_ = false;
  /// Number of requests made so far.
  std::uint64_t count_ = 0;
  /// Never empty. An element that wants nothing any more takes the next resources.
  std::list<change_listen> all_{1, change_listen{envelope_, count_}};
};

} // namespace troupe::protocol
