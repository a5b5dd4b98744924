#pragma once

#include "protocol/message/message.hpp"
#include "protocol/modern_server/change_listen.hpp"
#include "protocol/modern_server/client_envelope.hpp"
#include "protocol/modern_server/face_effects.hpp"
#include "protocol/time.hpp"

#include <cstddef>
#include <cstdint>
#include <list>
#include <string_view>

namespace troupe::protocol {

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
