#pragma once

#include "protocol/byte_budget.hpp"
#include "protocol/message/client_profile.hpp"
#include "protocol/message/message.hpp"
#include "protocol/message/request_table.hpp"
#include "protocol/modern_server/adapter_effects.hpp"
#include "protocol/modern_server/client_envelope.hpp"
#include "protocol/time.hpp"

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

} // namespace troupe::protocol
