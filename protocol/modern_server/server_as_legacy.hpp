#pragma once

#include "protocol/message/era.hpp"
#include "protocol/message/message.hpp"
#include "protocol/modern_server/face_effects.hpp"
#include "protocol/modern_server/stateless_server.hpp"
#include "protocol/time.hpp"

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace troupe::protocol {

/// How a face is begun.
struct server_as_legacy_rules {
  server_era era = server_era::automatic;
  /// What the server was found to speak before.
  server_era known = server_era::automatic;
  /// It is spoken to over HTTP, where a loss says nothing about it.
  bool is_remote = false;
  /// See `stateless_server`.
  std::string name = {};
  std::string mark = {};
  /// Most bytes of messages that wait for the era to be known; as many for calls that a modern server may need input
  /// for.
  std::size_t waiting_bytes = 16 * 1024 * 1024;
};

/// By which a server of 2026-07-28 looks like one of the session era, to one user of the session era. It stands at the
/// wire: its user is what is above, and the server is one process or what is behind one URL. A server of the session
/// era is not changed in any way.
///
/// Which era the server speaks is found out by what the user begins with. `initialize` goes to the server as it is,
/// first: nearly all servers know it, those that know both eras serve a user of the session era best in its own, some
/// servers of the session era end when anything else comes first, and nobody waits for a question that was not needed.
/// A server of 2026-07-28 alone refuses `initialize` and stays usable (2026-07-28, "Backward Compatibility": the error
/// names its versions). Only after such a refusal it is asked `server/discover`. Its answer decides; errors and silence
/// for 10 s mean the session era, and the user is shown how `initialize` was refused. `server/discover` comes first for
/// a server that was modern before, so that the refusal is not waited for again, and for one that is configured to be.
/// A server that was modern before and does not answer `server/discover` any more is then sent `initialize`; when it
/// has ended, a process is started anew for that. Only an answer to that `initialize` changes what is known of it.
///
/// A remote server may speak both eras to different users, so that it is spoken to in the era of whom it serves: where
/// nothing is known of it, `server/discover` comes first for who takes answers of 2026-07-28 as they are, which
/// `message::claims_modern` of his `initialize` says. One that has refused both is sent `initialize` once more if that
/// can have been a server of HTTP+SSE: the transport then is another. Where `server/discover` comes first, whatever is
/// no answer of a server of 2026-07-28 lets `initialize` follow: a refusal with any status, and silence. Silence and a
/// status that is not about the request, such as 401 or 503, are no refusal: that the server takes `initialize` then is
/// noted with that doubt, and if it refuses it, it is asked once more, since it may have had to wake up. A loss while
/// it is asked says nothing about its era, nor does silence after it has refused `initialize`: the user is told, and
/// nothing is remembered.
class server_as_legacy {
public:
  /// How long a server may take to answer `server/discover`. Short enough that `initialize` may be tried afterwards.
  static constexpr std::chrono::seconds patience{10};

  explicit server_as_legacy(server_as_legacy_rules rules);

  /// `envelope`: see `stateless_server`.
  face_effects user_sent(message from, time_point now, envelope_of_user envelope = nullptr);
  /// `concerns` is for a notification: see `take_message`; empty when that is not known.
  face_effects server_sent(message from, time_point now, std::string_view concerns = {});
  /// The wire is gone. Unless the server is started again, the user is told by others, and has had an answer to
  /// `initialize` before. After a shortage it is not started again: the loss says nothing about the server. `why` is
  /// what the user of a remote server is told.
  face_effects server_lost(time_point now, bool is_shortage = false, const std::string& why = {});
  face_effects tick(time_point now);

  /// When `tick` has something to do.
  time_point deadline() const;
  /// The server is of the session era, and whatever it says is for its user: this is needed no more.
  bool is_transparent() const { return phase_ == phase::session && probes_ == 0; }

private:
  enum class phase {
    /// Nothing was sent.
    idle,
    /// `initialize` was sent, and its answer is awaited.
    greeting,
    /// `server/discover` was sent, and its answer is awaited.
    probing,
    session,
    stateless
  };

  // -- finding out
  void take_initialize(message&& from, time_point now, face_effects& out);
  bool asks_first(const message& initialize) const;
  void probe(time_point now, face_effects& out);
  void take_greeting(message&& answer, time_point now, face_effects& out);
  void take_discovery(const message& answer, time_point now, face_effects& out);
  bool is_probe(std::string_view id) const;
  void is_modern(std::string_view discovered, time_point now, face_effects& out);
  void is_not_modern(const std::string& why, time_point now, face_effects& out);
  void greet(face_effects& out);
  bool may_be_of_other_transport() const;
  void probe_was_not_answered(const std::string& why, time_point now, face_effects& out);
  message with_no_answer(message&& refusal) const;
  void refuse(const std::string& why, face_effects& out);
  void end_start(message answer, const std::string& why, face_effects& out);
  void give_up_server(const std::string& why, face_effects& out);
  void fail_remote(const std::string& why, bool is_shortage, face_effects& out);
  void release(time_point now, face_effects& out);
  void hold(message&& from, envelope_of_user envelope, face_effects& out);
  void take(message&& from, envelope_of_user envelope, time_point now, face_effects& out);

  server_as_legacy_rules rules_;
  phase phase_ = phase::idle;
  /// The user's, until the era is known.
  std::optional<message> initialize_;
  /// The answer to it, when that was an error.
  std::optional<message> refusal_;
  /// What the user sent since `server/discover` was.
  std::vector<std::pair<message, envelope_of_user>> held_;
  std::size_t held_bytes_ = 0;
  /// How often `server/discover` was sent.
  std::uint64_t probes_ = 0;
  /// What came in the place of an answer of a remote server to the last of these; empty when it was answered or
  /// refused.
  std::string why_not_answered_;
  time_point answer_by_ = time_point::max();
  stateless_server server_;
};

} // namespace troupe::protocol
