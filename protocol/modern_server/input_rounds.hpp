#pragma once

#include "protocol/byte_budget.hpp"
#include "protocol/message/client_profile.hpp"
#include "protocol/message/message.hpp"
#include "protocol/message/request_table.hpp"
#include "protocol/modern_server/client_envelope.hpp"
#include "protocol/modern_server/face_effects.hpp"
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

/// A request of a user to a server of 2026-07-28.
struct modern_call {
  explicit modern_call(message asked, envelope_of_user of = nullptr)
      : id{asked.id}, request{std::move(asked)}, envelope{std::move(of)} {}

  /// Whether the server may answer that it needs input of the client (2026-07-28, multi round-trip requests).
  bool may_need_input() const {
    return request.is_method("tools/call") || request.is_method("prompts/get") || request.is_method("resources/read");
  }

  /// The user's, a JSON token.
  std::string id;
  /// As the user wrote it; without its text when that is not needed again.
  message request;
  /// Null when it is that of the only user.
  envelope_of_user envelope;
  /// For that text; nothing when it is not kept.
  std::optional<byte_budget::share> bytes = {};
  /// It is a request of 2026-07-28 itself: its answer is shown as it is.
  bool passes = false;
  /// How often the server was asked.
  std::size_t round = 1;
  /// Who asked sees to the time.
  time_point deadline = time_point::max();

  /// For what is kept of it; `of_only` is that of the only user.
  byte_budget& budget(byte_budget& of_only) const { return envelope ? *envelope->kept : of_only; }
  /// All are of one user.
  static constexpr std::optional<std::uint64_t> asker() { return 0; }
};

/// How the questions of a call came to an end.
struct round_end {
  modern_call call;
  /// What the call is repeated with: members for its params, each after a comma.
  std::string retry = {};
  /// Why it is not repeated; empty when it is.
  std::string failure = {};
};

/// Calls whose server wants input of the client before it goes on: in 2026-07-28 it answers `input_required`, and is
/// asked again with what the client has answered (2026-07-28, multi round-trip requests). A client of the session era
/// gets the questions as requests, all of a round at once, under ids of ours. The first that fails ends the round, and
/// the others are cancelled.
class input_rounds {
public:
  /// How often a server is asked for one call, at most.
  static constexpr std::size_t most_rounds = 8;
  /// Questions in one round, at most.
  static constexpr std::size_t most_questions = 64;
  /// A question fails after this long without an answer or progress.
  static constexpr std::chrono::seconds patience{600};
  /// Before a server is asked again that has asked nothing.
  static constexpr std::chrono::milliseconds pause{250};

  /// `mark` is in the `elicitationId` of URLs: no other may have it. A round that `bytes` has no room for fails, or
  /// that of its own user, where there are several; `bytes` outlive this.
  input_rounds(std::string mark, byte_budget& bytes) : mark_{std::move(mark)}, bytes_{bytes} {}

  /// The server answered a call with that result. Gives the end of the round when it ends at once.
  std::optional<round_end> begin(modern_call call, std::string_view result, const client_profile& can, time_point now,
                                 face_effects& out);
  /// The user's answer to a question.
  std::optional<round_end> take_answer(const message& answer, face_effects& out);
  /// `notifications/progress` of the user.
  void take_progress(const message& progress, time_point now);
  /// The user has cancelled a call, by its own id. False when none of that id has a round.
  bool cancel(std::string_view id, face_effects& out);
  std::vector<round_end> tick(time_point now, face_effects& out);

  time_point deadline() const { return questions_.deadline(); }

private:
  struct round {
    modern_call call;
    /// The server's, a JSON token; empty when it has given none.
    std::string state;
    /// Members of `inputResponses` so far, without braces.
    std::string responses = {};
    /// Our ids of questions without an answer.
    std::vector<std::uint64_t> open = {};
    /// For the state, the keys of questions and the responses.
    std::vector<byte_budget::share> bytes = {};
  };
  /// A question; the pause of a round that has none.
  struct question {
    std::uint64_t round = 0;
    /// As the server calls it, a JSON token; empty for a pause.
    std::string key = {};
    std::string token = {};
    time_point deadline = {};
    time_point cap = time_point::max();
    std::string id = {};

    static constexpr std::optional<std::uint64_t> asker() { return std::nullopt; }
  };

  std::string ask(std::uint64_t number, std::string_view requests, const client_profile& can, time_point now,
                  face_effects& out);
  std::string prepare(std::uint64_t number, std::string_view requests, const client_profile& can, time_point now,
                      face_effects& out);
  message question_of(std::string_view id, std::string_view asked);
  bool has_room(round& of, std::size_t bytes);
  round_end end(std::uint64_t number, std::string failure, face_effects& out);
  void withdraw(const round& of, face_effects& out);

  std::string mark_;
  byte_budget& bytes_;
  std::uint64_t urls_ = 0;
  std::uint64_t last_round_ = 0;
  std::map<std::uint64_t, round> rounds_;
  request_table<question> questions_;
};

} // namespace troupe::protocol
