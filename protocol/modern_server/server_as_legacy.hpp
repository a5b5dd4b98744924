#pragma once

#include "protocol/counted_queue.hpp"
#include "protocol/message/era.hpp"
#include "protocol/message/message.hpp"
#include "protocol/modern_server/adapter_effects.hpp"
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

/// Settings of a `server_as_legacy`.
struct server_as_legacy_rules {
  server_era era = server_era::automatic;
  /// Era that the server was found to speak before.
  server_era known = server_era::automatic;
  /// True if the server is reached over HTTP, where a lost connection says nothing about its era.
  bool is_remote = false;
  /// See `stateless_server`.
  std::string name = {};
  std::string mark = {};
  /// Most bytes of messages that wait for the era to be known. The same limit applies to calls for which a stateless
  /// server may need input.
  std::size_t waiting_bytes = 16 * 1024 * 1024;
};

/// Adapter that makes a stateless (2026-07-28) server look session-era to one session-era user. Below it is
/// one process or one URL. Messages of a session-era server pass unchanged.
///
/// The user's `initialize` starts the detection of the era, and is sent first, unchanged. Nearly all servers know it.
/// Servers of both eras serve a session-era user best in that era. Some session-era servers exit when anything else
/// comes first. No user waits for an unneeded probe. A purely stateless server refuses `initialize` and stays usable
/// (2026-07-28, "Backward Compatibility": the error names its versions). Only after such a refusal is `server/discover`
/// sent, and its answer decides. Errors and 10 s of silence mean the session era; the user then gets the refusal of
/// `initialize`. `server/discover` comes first for servers that were stateless before, to save the wait for the
/// refusal, and for servers configured as stateless. If a formerly stateless server does not answer it any more,
/// `initialize` follows, to a new process if the old one ended. Only an answer to that `initialize` changes the known
/// era.
///
/// A remote server may speak different eras to different users, so the user's era decides. For an unknown server,
/// `server/discover` comes first if the client takes 2026-07-28 answers unchanged (`message::claims_modern` of its
/// `initialize`). A server that refused both is sent `initialize` once more if it may be an HTTP+SSE server: the
/// transport then is another. Where `server/discover` comes first, anything but a stateless server's answer leads to
/// `initialize`: a refusal with any status, and silence. Silence and a status that is not about the request, such as
/// 401 or 503, are no refusal. If the server then accepts `initialize`, this doubt is noted. If it refuses,
/// `server/discover` is sent once more, as the server may have had to wake up. A lost connection during detection says
/// nothing about the era, nor does silence after a refused `initialize`. The user then gets an error, and nothing is
/// remembered.
class server_as_legacy {
public:
  /// Longest wait for an answer to `server/discover`; short enough to try `initialize` afterwards.
  static constexpr std::chrono::seconds patience{10};

  explicit server_as_legacy(server_as_legacy_rules rules);

  /// `envelope`: see `stateless_server`.
  adapter_effects user_sent(message from, time_point now, envelope_of_user envelope = nullptr);
  /// `concerns` is for a notification: see `deliver_message`; empty if unknown.
  adapter_effects server_sent(message from, time_point now, std::string_view concerns = {});
  /// Handles the loss of the process or connection. Without a restart, the layer above notifies the user, whose
  /// `initialize` was answered before. No restart follows a shortage, which says nothing about the server. `why` is the
  /// error text for the user of a remote server.
  adapter_effects server_lost(time_point now, bool is_shortage = false, const std::string& why = {});
  adapter_effects tick(time_point now);

  /// Time of the next `tick`.
  time_point deadline() const;
  /// True if the server is session-era and all its messages are for the user: the adapter is no longer needed.
  bool is_transparent() const { return phase_ == phase::session && probes_ == 0; }

private:
  enum class phase {
    /// Before `initialize`.
    idle,
    /// Waits for the answer to `initialize`.
    greeting,
    /// Waits for the answer to `server/discover`.
    probing,
    session,
    stateless
  };
  struct held_message {
    message what;
    envelope_of_user envelope;
    std::size_t bytes() const { return what.text.size(); }
  };

  // -- finding out
  void receive_user_initialize(message&& from, time_point now, adapter_effects& out);
  bool asks_first(const message& initialize) const;
  void probe(time_point now, adapter_effects& out);
  void receive_initialize(message&& answer, time_point now, adapter_effects& out);
  void receive_discovery(const message& answer, time_point now, adapter_effects& out);
  bool is_probe(std::string_view id) const;
  void is_modern(std::string_view discovered, time_point now, adapter_effects& out);
  void is_not_modern(const std::string& why, time_point now, adapter_effects& out);
  void greet(adapter_effects& out);
  bool may_be_of_other_transport() const;
  void probe_was_not_answered(const std::string& why, time_point now, adapter_effects& out);
  message with_no_answer(message&& refusal) const;
  void refuse(const std::string& why, adapter_effects& out);
  void end_start(message answer, const std::string& why, adapter_effects& out);
  void give_up_server(const std::string& why, adapter_effects& out);
  void fail_remote(const std::string& why, bool is_shortage, adapter_effects& out);
  void release(time_point now, adapter_effects& out);
  void hold(message&& from, envelope_of_user envelope, adapter_effects& out);
  void receive_from_user(message&& from, envelope_of_user envelope, time_point now, adapter_effects& out);

  server_as_legacy_rules rules_;
  phase phase_ = phase::idle;
  /// User's `initialize`, until the era is known.
  std::optional<message> initialize_;
  /// Server's answer to `initialize`, if it was an error.
  std::optional<message> refusal_;
  /// Messages of the user since `server/discover` was sent.
  counted_queue<std::vector<held_message>, &held_message::bytes> held_;
  /// Number of `server/discover` requests sent.
  std::uint64_t probes_ = 0;
  /// Failure in place of a remote server's answer to the last `server/discover`; empty if the server answered or
  /// refused.
  std::string why_not_answered_;
  time_point answer_by_ = time_point::max();
  stateless_server server_;
};

} // namespace troupe::protocol
