#pragma once

#include "protocol/counted_queue.hpp"
#include "protocol/message/message.hpp"
#include "protocol/message/skipped_message.hpp"
#include "protocol/remote/remote_effects.hpp"

#include <deque>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

namespace troupe::protocol {

/// JSON-RPC conversation with a remote server, independent of the transport. Sends `initialize` first, tracks the
/// requests in flight, and answers each of them once.
class remote_dialogue {
public:
  /// Limit of requests in flight, and limit of messages that wait until the session is initialized.
  static constexpr std::size_t most = 1000;

  /// `held_bytes` limits the messages that wait; `finds_era`: see `remote_options::era`.
  explicit remote_dialogue(std::size_t held_bytes, bool finds_era) : finds_era_{finds_era}, held_limit_{held_bytes} {}

  // -- the user's side
  void user_sent(message from, remote_effects& out);
  /// Whether `next` has a message.
  bool has_next() const;
  /// Returns the next message to send. Nothing goes out before `initialize` is answered, nor after
  /// `notifications/initialized` before the server has it (2025-11-25, lifecycle, "Initialization").
  message next();

  // -- the server's side
  /// Handles the text of a JSON answer or of an event; returns the ids of our requests that it answers.
  std::vector<std::string> server_wrote(std::string text, remote_effects& out);
  /// Handles one message; returns the id of our request that it answers.
  std::optional<std::string> server_sent(message from, remote_effects& out);
  /// The request failed; ignored if it is answered already.
  void fail(const std::string& id, std::string why, remote_effects& out);
  /// Like `fail`, if the server neither answered nor refused the request: a later attempt may succeed.
  void fail_unanswered(const std::string& id, const std::string& why, remote_effects& out);
  /// The server has received `notifications/initialized`, or refused it.
  void initialized_arrived();
  /// The server needs no `initialize`: messages are sent as they arrive.
  void open_stateless() { phase_ = phase::open; }
  /// Restarts with `initialize`, after `server/discover` was refused. Forgets the requests in flight. `first_refusal`:
  /// see `start_again`; empty when no other transport was tried before.
  void restart_initialize(std::string first_refusal = {});
  /// The request that was to find out the server's era failed without saying anything about it: the session ends.
  void lose_by(const std::string& id, std::string why, remote_effects& out);
  /// Ends everything, and fails the requests in flight. Only the first call counts.
  void lose(std::string why, remote_effects& out);
  /// Ends everything, because the server forgot the session. Fails the requests that the server may have begun; the
  /// others never ran, and get no answer.
  void expire(const std::string& why, const std::vector<std::string>& begun, remote_effects& out);
  /// Sets whether the current fact is due to a lack of descriptors or memory in the gateway.
  void meets_shortage(bool now) { shortage_ = now; }
  /// Sends `initialize` again over the other transport; `why` the first transport failed.
  void start_again(std::string why);

  // -- queries
  bool in_flight(const std::string& id) const { return requests_.contains(id); }
  std::size_t requests_in_flight() const { return requests_.size(); }
  /// Whether the server refused `initialize` as stateless (2026-07-28) servers do.
  bool has_refused_initialize() const { return refused_initialize_; }
  bool begun() const { return !initialize_id_.empty(); }
  /// True until `initialize` is answered.
  bool starting() const { return phase_ == phase::fresh || phase_ == phase::starting; }
  /// Whether the request is an `initialize` that is not answered yet.
  bool initializes(const std::string& id) const { return starting() && id == initialize_id_; }
  bool opened() const { return phase_ == phase::open; }
  bool lost() const { return phase_ == phase::lost; }
  const std::string& why_lost() const { return why_lost_; }
  bool lost_by_shortage() const { return lost_by_shortage_; }
  bool expired() const { return expired_; }
  const std::string& initialize_id() const { return initialize_id_; }
  /// Negotiated version; empty until `initialize` is answered.
  const std::string& version() const { return version_; }

private:
  enum class phase { fresh, starting, agreed, confirming, open, lost };

  bool receive_request(const message& from, remote_effects& out);
  bool receive_cancellation(const message& from);
  void hold(message from, remote_effects& out);
  std::optional<std::string> receive_malformed(const text_ends& text, std::string_view why, remote_effects& out);
  std::optional<std::string> receive_response(message from, remote_effects& out);
  void receive_initialize_response(const message& from, remote_effects& out);
  void drop_held(std::string_view why, remote_effects& out);
  std::string key_of(const std::string& id) const;

  const bool finds_era_;
  phase phase_ = phase::fresh;
  std::set<std::string> requests_;
  counted_queue<std::deque<message>, text_size> held_;
  std::size_t held_limit_;
  std::string initialize_id_;
  /// `initialize`, kept until it is answered.
  std::optional<message> initialize_;
  std::string first_refusal_;
  bool refused_initialize_ = false;
  std::string version_;
  std::string why_lost_;
  bool shortage_ = false;
  bool lost_by_shortage_ = false;
  bool expired_ = false;
};

} // namespace troupe::protocol
