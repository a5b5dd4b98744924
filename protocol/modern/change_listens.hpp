#pragma once

#include "protocol/message/list_kind.hpp"
#include "protocol/message/message.hpp"
#include "protocol/modern/client_envelope.hpp"
#include "protocol/modern/face_effects.hpp"
#include "protocol/time.hpp"

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

namespace troupe::protocol {

/// How a server of 2026-07-28 is asked to say what has changed, for a user of the session era, who subscribes to single
/// resources and is told of lists without asking: by a `subscriptions/listen` of ours, which names all that is wanted.
/// Another set of resources needs another request; the one before ends when the new one is acknowledged, so that
/// nothing is missed. A request that ends by itself is made again, after a growing pause, and what may have been missed
/// is announced as changed (2026-07-28, subscriptions).
class change_listens {
public:
  /// How long a server may take to acknowledge.
  static constexpr std::chrono::seconds patience{30};
  /// The pause before a request is made again that has ended, which doubles each time. It is short again after one that
  /// has lasted as long as the longest pause.
  static constexpr std::chrono::milliseconds first_pause{500};
  static constexpr std::chrono::seconds longest_pause{30};
  /// Resources that the user may be subscribed to at a time.
  static constexpr std::size_t most_uris = 1000;

  /// `envelope` outlives this.
  explicit change_listens(const client_envelope& envelope) : envelope_{envelope} {}

  /// The capabilities of the server, a JSON object.
  void offered(std::string_view capabilities);
  /// The user is ready to be told.
  void begin(time_point now, face_effects& out);

  // -- from the user ---------------------------------------------------------------------
  void subscribe(const message& request, time_point now, face_effects& out);
  void unsubscribe(const message& request, time_point now, face_effects& out);

  // -- from the server -------------------------------------------------------------------
  /// False when it answers no request of this.
  bool take_answer(const message& answer, time_point now, face_effects& out);
  /// False when it is none that this is about.
  bool take_notification(const message& from, time_point now, face_effects& out);

  void tick(time_point now, face_effects& out);
  time_point deadline() const;

private:
  struct listen {
    /// Ours, a JSON token.
    std::string id;
    std::set<std::string> uris;
    /// When it was acknowledged, or the first of those whose place it took.
    time_point since = {};
  };
  /// A request to subscribe that has no answer yet.
  struct subscriber {
    std::string id;
    std::string uri;
  };

  void open(time_point now, face_effects& out);
  message listen_request(const listen& one) const;
  bool wants_nothing() const { return groups_.empty() && uris_.empty(); }
  void close_current(face_effects& out);
  void acknowledged(const message& ack, time_point now, face_effects& out);
  void answer_subscribers(const std::set<std::string>& asked, const std::set<std::string>& honored, face_effects& out);
  void announce_missed(face_effects& out);
  bool ended(std::string_view id, bool is_refusal, time_point now, face_effects& out);
  void again_later(time_point now);

  const client_envelope& envelope_;
  std::vector<list_group> groups_;
  bool offers_resources_ = false;
  bool begun_ = false;
  std::set<std::string> uris_;
  std::vector<subscriber> subscribers_;
  std::optional<listen> current_;
  /// Waits to be acknowledged.
  std::optional<listen> pending_;
  time_point acknowledge_by_ = time_point::max();
  time_point again_at_ = time_point::max();
  std::chrono::milliseconds pause_ = first_pause;
  /// Something may have changed while nothing listened.
  bool has_missed_ = false;
  std::uint64_t count_ = 0;
};

} // namespace troupe::protocol
