#pragma once

#include "protocol/byte_budget.hpp"
#include "protocol/message/client_profile.hpp"
#include "protocol/message/message.hpp"
#include "protocol/message/request_table.hpp"
#include "protocol/modern_server/adapter_effects.hpp"
#include "protocol/modern_server/change_listens.hpp"
#include "protocol/modern_server/client_envelope.hpp"
#include "protocol/modern_server/legacy_conversion.hpp"
#include "protocol/time.hpp"

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace troupe::protocol {

/// Request of a user to a stateless (2026-07-28) server.
struct modern_call {
  explicit modern_call(message asked, envelope_of_user of = nullptr)
      : id{asked.id}, request{std::move(asked)}, envelope{std::move(of)} {}

  /// True if the server may answer that it needs input of the client (2026-07-28, multi round-trip requests).
  bool may_need_input() const {
    return request.is_method("tools/call") || request.is_method("prompts/get") || request.is_method("resources/read");
  }

  /// User's id, a JSON token.
  std::string id;
  /// Request as the user wrote it; without its text if that is not needed again.
  message request;
  /// Envelope of its user; null for an only user.
  envelope_of_user envelope;
  /// Budget share for the text; empty if the text is not stored.
  std::optional<byte_budget::share> bytes = {};
  /// True for a stateless (2026-07-28) request: its answer is shown unchanged.
  bool passes = false;
  /// Number of times the server was asked.
  std::size_t round = 1;
  /// No limit here: the user watches the time.
  time_point deadline = time_point::max();

  /// Returns the byte budget for storing this call; `of_only` is that of an only user.
  byte_budget& budget(byte_budget& of_only) const { return envelope ? *envelope->kept : of_only; }
  /// All calls are of one user.
  static constexpr std::optional<std::uint64_t> requester() { return 0; }
};

/// Result of a call's questions: the call is repeated or fails.
struct round_end {
  modern_call call;
  /// Members to add to the params of the repeated call, each after a comma.
  std::string retry = {};
  /// Reason why the call is not repeated; empty if it is.
  std::string failure = {};
};

/// Calls that wait for input of the client: a stateless (2026-07-28) server answers `input_required`, and is asked
/// again with the client's answers (2026-07-28, multi round-trip requests). A session-era client gets the questions of
/// a round as requests, all at once, under our ids. The first question that fails ends the round and cancels the
/// others.
class input_rounds {
public:
  /// Most times that a server is asked for one call.
  static constexpr std::size_t most_rounds = 8;
  /// Most questions in one round.
  static constexpr std::size_t most_questions = 64;
  /// A question fails after this long without an answer or progress.
  static constexpr std::chrono::seconds patience{600};
  /// Pause before the call is repeated when the server asked no questions.
  static constexpr std::chrono::milliseconds pause{250};

  /// `mark` makes each `elicitationId` unique. A round fails if `bytes`, or the budget of its user if there are several
  /// users, has no room. `bytes` must outlive this.
  input_rounds(std::string mark, byte_budget& bytes) : mark_{std::move(mark)}, bytes_{bytes} {}

  /// Begins a round for the server's result `input_required`. Returns the round's end if it ends at once.
  std::optional<round_end> begin(modern_call call, std::string_view result, const client_profile& can, time_point now,
                                 adapter_effects& out);
  /// Takes the user's answer to a question.
  std::optional<round_end> receive_response(const message& answer, adapter_effects& out);
  /// Takes the user's progress.
  void receive_progress(const message& progress, time_point now);
  /// Cancels the round of a user's call, by the user's id; false if there is none.
  bool cancel(std::string_view id, adapter_effects& out);
  std::vector<round_end> tick(time_point now, adapter_effects& out);

  time_point deadline() const { return questions_.deadline(); }

private:
  struct round {
    modern_call call;
    /// Server's `requestState`, a JSON token; empty if there is none.
    std::string state;
    /// Members of `inputResponses` so far, without braces.
    std::string responses = {};
    /// Our ids of questions without an answer.
    std::vector<std::uint64_t> open = {};
    /// Budget shares for the state, the keys of questions and the responses.
    std::vector<byte_budget::share> bytes = {};
  };
  /// Question to the client, or the pause of a round without questions.
  struct question {
    std::uint64_t round = 0;
    /// Server's key for the question, a JSON token; empty for a pause.
    std::string key = {};
    std::string token = {};
    time_point deadline = {};
    time_point cap = time_point::max();
    std::string id = {};

    static constexpr std::optional<std::uint64_t> requester() { return std::nullopt; }
  };

  std::string ask(std::uint64_t number, std::string_view requests, const client_profile& can, time_point now,
                  adapter_effects& out);
  std::string prepare(std::uint64_t number, std::string_view requests, const client_profile& can, time_point now,
                      adapter_effects& out);
  message question_of(std::string_view id, std::string_view asked);
  bool has_room(round& of, std::size_t bytes);
  round_end end(std::uint64_t number, std::string failure, adapter_effects& out);
  void withdraw(const round& of, adapter_effects& out);

  std::string mark_;
  byte_budget& bytes_;
  std::uint64_t urls_ = 0;
  std::uint64_t last_round_ = 0;
  std::map<std::uint64_t, round> rounds_;
  request_table<question> questions_;
};

/// Presents a stateless (2026-07-28) server to a session-era user after `initialize`. The result of `server/discover`
/// answers `initialize`, each request describes the client, and input that the server needs becomes requests to the
/// client. A user's own stateless requests and their answers pass unchanged, except for ids. Our request ids are
/// increasing numbers, independent of the user's.
class stateless_server {
public:
  /// `name` is for a server that does not give its name; `mark`: see `input_rounds`. `bytes` limits the storage for
  /// calls that may need input, and for their rounds.
  stateless_server(std::string name, std::string mark, std::size_t bytes)
      : name_{std::move(name)}, bytes_{bytes}, rounds_{std::move(mark), bytes_} {}
  // Not copyable: the parts refer to each other.
  stateless_server(const stateless_server&) = delete;
  stateless_server& operator=(const stateless_server&) = delete;

  /// Answers the user's `initialize` from the result of `server/discover`, an object.
  void begin(const message& initialize, std::string_view discovered, adapter_effects& out);
  /// `envelope` describes the client, if it is not the one that sent `initialize`.
  void user_sent(message&& from, time_point now, adapter_effects& out, envelope_of_user envelope = nullptr);
  /// `concerns`: see `server_as_legacy`.
  void server_sent(message&& from, time_point now, adapter_effects& out, std::string_view concerns = {});
  void tick(time_point now, adapter_effects& out);

  time_point deadline() const { return std::min(rounds_.deadline(), listens_.deadline()); }

private:
  void receive_request(message&& from, envelope_of_user envelope, time_point now, adapter_effects& out);
  void receive_notification(message&& from, time_point now, adapter_effects& out);
  void set_level(const message& request, bool is_for_all, adapter_effects& out);
  void pass(message&& request, adapter_effects& out);
  void begin_call(modern_call one, adapter_effects& out);
  void call(modern_call one, std::string_view retry, adapter_effects& out);
  void cancel(message&& from, adapter_effects& out);
  void show_notification(message&& from, std::string_view concerns, adapter_effects& out) const;
  void receive_response(modern_call call, message&& answer, time_point now, adapter_effects& out);
  void complete(const modern_call& call, std::string_view result, adapter_effects& out);
  message error_for(const modern_call& call, std::string_view error) const;
  void show(message&& answer, const modern_call& to, adapter_effects& out) const;
  void end(round_end&& how, adapter_effects& out);
  const client_envelope& envelope_of(const modern_call& one) const { return one.envelope ? *one.envelope : envelope_; }

  std::string name_;
  client_envelope envelope_;
  bool offers_logs_ = false;
  output_schemas schemas_;
  /// Budget for all stored texts of the user and the server.
  byte_budget bytes_;
  request_table<modern_call> calls_;
  input_rounds rounds_;
  change_listens listens_{envelope_};
};

} // namespace troupe::protocol
