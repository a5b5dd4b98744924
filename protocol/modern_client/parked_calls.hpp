#pragma once

#include "protocol/byte_budget.hpp"
#include "protocol/ids.hpp"
#include "protocol/message/message.hpp"
#include "protocol/modern_client/face_calls.hpp"
#include "protocol/modern_client/face_requests.hpp"
#include "protocol/modern_client/server_as_modern_rules.hpp"
#include "protocol/modern_client/stateless_effects.hpp"
#include "protocol/time.hpp"

#include <cstddef>
#include <cstdint>
#include <list>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace troupe::protocol {

/// The tools, prompts and resources whose calls have led to one question at a time so far. Their client need not wait
/// for others. A guess: when it was wrong, the other questions are asked in the next round, and waited for again later.
class lone_questions {
public:
  bool are_of(const face_call& call) const;
  /// A client was asked as many questions together as came within the time that they are collected in.
  void asked_together(const face_call& call, std::size_t count);
  /// Another came when the client had been asked already.
  void came_late(const face_call& call);

  static constexpr std::size_t most = 64;
  static constexpr std::size_t longest_name = 256;

private:
  /// By method and name.
  std::vector<std::string> all_;
};

/// A text that is kept, and its part of a byte budget.
struct kept_text {
  std::string text;
  byte_budget::share bytes;
};

/// Most questions of one parked call that have no answer.
inline constexpr std::size_t most_questions = 32;

/// Calls whose client was asked something, and is to bring the answers with a retry (2026-07-28, multi round-trip
/// requests). The server has its request under way meanwhile.
class parked_calls {
public:
  /// All outlive this.
  parked_calls(const server_as_modern_rules& rules, const face_start& start, face_calls& calls, byte_budget& bytes)
      : rules_{rules}, start_{start}, calls_{calls}, bytes_{bytes} {}

  // -- from the server -----------------------------------------------------------------
  /// A call that needs a client who can be asked more.
  struct unable {
    exchange_id call = 0;
    client_profile needs;
  };
  /// A question: for the latest call that can have one, of those that it can be `about` by their ids, or one of the
  /// same name that has fewer. The call is parked for it. Refused when there is none, or when its client cannot be
  /// asked that. Gives the call then, if a client waits for it and the question is surely its own; roots are often
  /// asked for out of habit, so that no call fails by them.
  std::optional<unable> server_asked(const message& question, const calls_meant& about, time_point now,
                                     stateless_effects& out);
  /// The server no longer wants to know.
  void server_withdrew(const message& cancelled);
  /// An answer to a parked call, kept until its client asks again. Its questions see `pass_on`.
  void keep(face_call& call, message answer, time_point now, stateless_effects& out);
  /// The server has refused the call until its user has opened these URLs: the client is asked to, and the call is to
  /// be made again. False when that is too much.
  bool ask_for_urls(face_call& call, const std::vector<std::string>& elicitations, time_point now,
                    stateless_effects& out);

  // -- from clients ----------------------------------------------------------------------
  /// The parked call that a retry goes on with: the first with the state of its latest round, and for the same call.
  face_call* call_of(const message& retry);
  /// What a retry's client must be capable of, and is not, to be asked what the call still waits for.
  std::optional<client_profile> lacks(const face_call& call, const client_profile& can) const;
  /// What becomes of a call after its retry.
  enum class next { asked_again, waits_for_server, has_answer, urls_opened, urls_declined };
  /// Takes what a retry says, to whose exchange the call is attached; passes answers on to the server.
  next take_responses(face_call& call, const message& retry, time_point now, stateless_effects& out);
  /// The answer that was kept, which is there after `has_answer`. The call is no longer parked.
  message take_answer(const face_call& call);

  // -- ends ------------------------------------------------------------------------------
  /// Gives up calls whose client did not come back, and tells the server of those that still wait that they do. Gives
  /// the calls that were given up.
  std::vector<exchange_id> tick(time_point now, stateless_effects& out);
  /// The call is over at the server, or about to be, and its client was not asked yet. As it was a guess whose its
  /// questions are, they are another call's now that can have them, whose client is asked. When there is none, the
  /// server is told that nobody answers.
  void pass_on(face_call& call, time_point now, stateless_effects& out);
  /// Nobody wants to know any more.
  void server_lost();
  /// Gives up all.
  void end(stateless_effects& out);

  std::size_t size() const { return all_.size(); }
  time_point deadline() const;

private:
  struct question {
    /// The server's id and progress token, JSON tokens. The id is empty for a URL that is to be opened before the call
    /// is made again; the token is empty when the server wants no progress.
    std::string id = {};
    std::string token = {};
    std::string method = {};
    client_profile needs = {};
    /// The calls that it can be about.
    calls_meant about = {};
    /// Among the questions of its call.
    std::string key = {};
    /// As the client is asked.
    std::optional<kept_text> request = {};
    std::uint64_t progress = 0;
  };
  struct kept_answer {
    message what;
    std::optional<byte_budget::share> bytes;
  };
  struct parked {
    std::list<question> questions = {};
    /// When the client is asked; never when it was.
    time_point ask_at = time_point::max();
    time_point until = time_point::max();
    /// When the server is told next that the call still waits; never when no question wants progress.
    time_point next_progress = time_point::max();
    std::optional<kept_answer> answer = {};
    bool is_for_urls = false;
  };

  face_call* call_for(const calls_meant& about);
  std::size_t open_questions(const face_call& call) const;
  void ask(face_call* call, question one, std::string_view params, time_point now, stateless_effects& out);
  bool has_room_for_question(const face_call& call) const;
  /// False when there are too many, or too many bytes.
  bool add_question(face_call& call, question one, std::string_view params);
  void add_to(face_call& call, question one);
  void pass_on(question one, time_point now, stateless_effects& out);
  /// The client of a call that has a new question is asked then.
  void ask_by(time_point when, const face_call& call, time_point now, stateless_effects& out);
  /// When the client of a call is asked that has a new question.
  time_point when_to_ask(const face_call& call, time_point now);
  void ask_due(time_point now, stateless_effects& out);
  void ask_together(face_call& call, time_point now, stateless_effects& out);
  void ask_client(face_call& call, time_point now, stateless_effects& out);
  std::string input_required(const face_call& call, const parked& of) const;
  next ask_again(face_call& call, time_point now, stateless_effects& out);
  next take_urls(face_call& call, parked& of, std::string_view responses, time_point now, stateless_effects& out);
  void tell_progress(parked& of, time_point now, stateless_effects& out);
  void give_up(exchange_id own, stateless_effects& out);
  static void give_up(const question& one, stateless_effects& out);

  const server_as_modern_rules& rules_;
  const face_start& start_;
  face_calls& calls_;
  byte_budget& bytes_;
  std::map<exchange_id, parked> all_;
  lone_questions lone_;
};

} // namespace troupe::protocol
