#pragma once

#include "protocol/remote/remote_effects.hpp"
#include "protocol/text/truncated.hpp"

#include <deque>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

namespace troupe::protocol {

/// The JSON-RPC conversation with a remote server, the same over either transport: `initialize` comes first, the
/// requests in flight are known, and each of them is answered once.
class remote_dialogue {
public:
  /// Most requests in flight, and most messages that wait until the session is initialized.
  static constexpr std::size_t most = 1000;

  /// `held_bytes` bounds the messages that wait; `finds_era`: see `remote_options::era`.
  explicit remote_dialogue(std::size_t held_bytes, bool finds_era) : finds_era_{finds_era}, held_limit_{held_bytes} {}

  // -- the user's side
  void user_sent(message from, remote_effects& out);
  /// Whether `next` has a message.
  bool has_next() const;
  /// The next message that may go out: nothing goes before `initialize` is answered, and nothing that follows
  /// `notifications/initialized` before the server has it (2025-11-25, lifecycle, "Initialization").
  message next();

  // -- the server's side
  /// Takes the text of a JSON answer or of an event; gives the ids of our requests that it answers.
  std::vector<std::string> server_wrote(std::string text, remote_effects& out);
  /// Takes one message; gives the id of our request that it answers.
  std::optional<std::string> server_sent(message from, remote_effects& out);
  /// The request failed; of one that is answered already nothing is said.
  void fail(const std::string& id, std::string why, remote_effects& out);
  /// The same of a request that the server has neither answered nor refused: another time it may answer.
  void fail_unanswered(const std::string& id, std::string why, remote_effects& out);
  /// The server has `notifications/initialized`, or refused it.
  void initialized_arrived();
  /// The server needs no `initialize`: messages go out as they come.
  void open_stateless() { phase_ = phase::open; }
  /// The server is to be sent `initialize` after all. What was in flight before is forgotten. `first_refusal`: see
  /// `start_again`; empty when the transport is the first.
  void begin_anew(std::string first_refusal = {});
  /// The request failed in a way that says nothing about the server's era, which it was to find out: the server is
  /// lost.
  void lose_by(const std::string& id, std::string why, remote_effects& out);
  /// Ends everything, and fails what is in flight. Only the first time counts.
  void lose(std::string why, remote_effects& out);
  /// Ends everything, because the server has forgotten the session. Fails the requests that the server may have begun;
  /// the others never ran, and have no answer.
  void expire(const std::string& why, const std::vector<std::string>& begun, remote_effects& out);
  /// Whether what is told now happened because we had no descriptor or memory left.
  void meets_shortage(bool now) { shortage_ = now; }
  /// `initialize` is to be sent again, over the other transport; `why` the first did not do.
  void start_again(std::string why);

  // -- what is known
  bool in_flight(const std::string& id) const { return requests_.contains(id); }
  std::size_t requests_in_flight() const { return requests_.size(); }
  /// As servers of 2026-07-28 do.
  bool has_refused_initialize() const { return refused_initialize_; }
  bool begun() const { return !initialize_id_.empty(); }
  /// `initialize` is not answered yet.
  bool starting() const { return phase_ == phase::fresh || phase_ == phase::starting; }
  bool opened() const { return phase_ == phase::open; }
  bool lost() const { return phase_ == phase::lost; }
  const std::string& why_lost() const { return why_lost_; }
  bool lost_by_shortage() const { return lost_by_shortage_; }
  bool expired() const { return expired_; }
  const std::string& initialize_id() const { return initialize_id_; }
  /// The negotiated version; empty until `initialize` is answered.
  const std::string& version() const { return version_; }

private:
  enum class phase { fresh, starting, agreed, confirming, open, lost };

  bool take_request(const message& from, remote_effects& out);
  bool take_cancel(const message& from);
  void hold(message from, remote_effects& out);
  std::optional<std::string> take_malformed(const text_ends& text, std::string_view why, remote_effects& out);
  std::optional<std::string> take_answer(message from, remote_effects& out);
  void take_initialize_answer(const message& from, remote_effects& out);
  void drop_held(std::string_view why, remote_effects& out);
  std::string key_of(const std::string& id) const;

  const bool finds_era_;
  phase phase_ = phase::fresh;
  std::set<std::string> requests_;
  std::deque<message> held_;
  std::size_t held_size_ = 0;
  std::size_t held_limit_;
  std::string initialize_id_;
  /// Kept until it is answered.
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
