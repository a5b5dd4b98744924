#pragma once

#include "protocol/message/lists.hpp"
#include "protocol/message/message.hpp"
#include "protocol/modern_server/client_envelope.hpp"
#include "protocol/modern_server/face_effects.hpp"
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

/// One of the requests by which a server of 2026-07-28 is asked to say what has changed: a `subscriptions/listen` of
/// ours, which names all that is wanted of it. Another set of resources needs another request; the one before ends when
/// the new one is acknowledged, so that nothing is missed. A request that ends by itself is made again, after a growing
/// pause, and what may have been missed is announced as changed (2026-07-28, subscriptions).
class change_listen {
public:
  /// How long a server may take to acknowledge.
  static constexpr std::chrono::seconds patience{30};
  /// The pause before a request is made again that has ended, which doubles each time. It is short again after one that
  /// has lasted as long as the longest pause.
  static constexpr std::chrono::milliseconds first_pause{500};
  static constexpr std::chrono::seconds longest_pause{30};
  /// Resources that it names at most, and how many bytes their URIs may have together.
  static constexpr std::size_t most_uris = 1000;
  static constexpr std::size_t most_bytes = 256 * 1024;

  /// `envelope` and `count`, of requests so far, outlive this.
  change_listen(const client_envelope& envelope, std::uint64_t& count) : envelope_{envelope}, count_{count} {}

  /// It is for the lists as well that the server says it tells changes of; its capabilities are a JSON object.
  void offered(std::string_view capabilities);
  void open(time_point now, face_effects& out);

  bool wants(std::string_view uri) const { return uris_.contains(uri); }
  bool has_room_for(std::string_view uri) const;
  std::size_t uris() const { return uris_.size(); }

  // -- from the user; `id` is of the request
  void subscribe(const std::string& id, std::string uri, time_point now, face_effects& out);
  void unsubscribe(const std::string& id, std::string_view uri, time_point now, face_effects& out);

  // -- from the server
  /// Whether it may be about requests of this kind.
  static bool tells(const message& notification);
  void take(const message& notification, time_point now, face_effects& out);
  /// The request of that id has ended; false when it is not this one's.
  bool ended(std::string_view id, bool is_refusal, time_point now, face_effects& out);

  void tick(time_point now, face_effects& out);
  time_point deadline() const { return std::min(acknowledge_by_, again_at_); }

private:
  using uri_set = std::set<std::string, std::less<>>;
  struct listen {
    /// Ours, a JSON token.
    std::string id;
    uri_set uris;
    /// When it was acknowledged, or the first of those whose place it took.
    time_point since = {};
  };
  /// A request to subscribe that has no answer yet.
  struct subscriber {
    std::string id;
    std::string uri;
  };

  message listen_request(const listen& one) const;
  bool wants_nothing() const { return groups_.empty() && uris_.empty(); }
  void close_current(face_effects& out);
  void acknowledged(const message& ack, time_point now, face_effects& out);
  void answer_subscribers(const uri_set& asked, const uri_set& honored, face_effects& out);
  void announce_missed(face_effects& out);
  void again_later(time_point now);

  const client_envelope& envelope_;
  std::uint64_t& count_;
  std::vector<list_group> groups_;
  uri_set uris_;
  std::vector<subscriber> subscribers_;
  std::optional<listen> current_;
  /// Waits to be acknowledged.
  std::optional<listen> pending_;
  time_point acknowledge_by_ = time_point::max();
  time_point again_at_ = time_point::max();
  std::chrono::milliseconds pause_ = first_pause;
  /// Something may have changed while nothing listened.
  bool has_missed_ = false;
};

/// How a server of 2026-07-28 is asked to say what has changed, for a user of the session era, who subscribes to single
/// resources and is told of lists without asking: by requests of ours, each of which names a part of the resources, so
/// that what one user of many wants makes no request too long for the others. The first names the lists as well.
class change_listens {
public:
  /// Resources that an only user may be subscribed to at a time.
  static constexpr std::size_t most_uris = 1000;

  /// `envelope` outlives this.
  explicit change_listens(const client_envelope& envelope) : envelope_{envelope} {}

  /// The capabilities of the server, a JSON object.
  void offered(std::string_view capabilities);
  /// The user is ready to be told.
  void begin(time_point now, face_effects& out);

  // -- from the user ---------------------------------------------------------------------
  /// `is_counted`: it comes of one of several users, each of whom was found not to have too many.
  void subscribe(const message& request, bool is_counted, time_point now, face_effects& out);
  void unsubscribe(const message& request, time_point now, face_effects& out);

  // -- from the server -------------------------------------------------------------------
  /// False when it answers no request of this.
  bool take_answer(const message& answer, time_point now, face_effects& out);
  /// False when it is none that this is about.
  bool take_notification(const message& from, time_point now, face_effects& out);

  void tick(time_point now, face_effects& out);
  time_point deadline() const;

private:
  std::size_t uris() const;
  change_listen* which_wants(std::string_view uri);
  change_listen& with_room_for(std::string_view uri);

  const client_envelope& envelope_;
  bool offers_resources_ = false;
  bool begun_ = false;
  /// How many requests there were.
  std::uint64_t count_ = 0;
  /// Never empty. One that wants nothing any more takes what is wanted next.
  std::list<change_listen> all_{1, change_listen{envelope_, count_}};
};

} // namespace troupe::protocol
