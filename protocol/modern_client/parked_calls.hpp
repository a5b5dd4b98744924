#pragma once

#include "protocol/byte_budget.hpp"
#include "protocol/ids.hpp"
#include "protocol/message/message.hpp"
#include "protocol/modern_client/adapter_calls.hpp"
#include "protocol/modern_client/adapter_requests.hpp"
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

/// Tools, prompts and resources whose calls have led to single questions so far: their clients are asked without
/// waiting for more. If this guess fails, the next round asks the other questions, and later calls wait again.
class lone_questions {
public:
  bool are_of(const adapter_call& call) const;
  /// Notes how many questions arrived within the collecting time and were asked together.
  void asked_together(const adapter_call& call, std::size_t count);
  /// Notes a question that arrived after the client was asked.
  void came_late(const adapter_call& call);

  static constexpr std::size_t most = 64;
  static constexpr std::size_t longest_name = 256;

private:
  /// Method and name of each, see `name_of`.
  std::vector<std::string> all_;
};

/// Stored text and its share of a byte budget.
struct kept_text {
  std::string text;
  byte_budget::share bytes;
};

/// Most unanswered questions of one parked call.
inline constexpr std::size_t most_questions = 32;

/// Calls whose client was asked questions and has to bring the answers with a retry (2026-07-28, multi round-trip
/// requests). The server still works on its request meanwhile.
class parked_calls {
public:
  /// All arguments must outlive this.
  parked_calls(const server_as_modern_rules& rules, const server_initialization& start, adapter_calls& calls,
               byte_budget& bytes)
      : rules_{rules}, start_{start}, calls_{calls}, bytes_{bytes} {}

  // -- from the server -----------------------------------------------------------------
  /// Call that needs a client with more capabilities.
  struct unable {
    exchange_id call = 0;
    client_profile needs;
  };
  /// Assigns a question to a call and parks the call: the latest that it can be `about`, or one of the same name with
  /// fewer questions. Refuses the question if there is no call, or if its client lacks the capability. In the latter
  /// case returns the call, if its client waits and the question certainly belongs to it. Never for roots, which
  /// servers often request out of habit.
  std::optional<unable> server_asked(const message& question, const calls_meant& about, time_point now,
                                     stateless_effects& out);
  /// Removes the question that the server cancelled.
  void server_withdrew(const message& cancelled);
  /// Keeps the answer to a parked call until its client retries. Its open questions are reassigned, see `pass_on`.
  void keep(adapter_call& call, message answer, time_point now, stateless_effects& out);
  /// Asks the client to open URLs, without which the server refused the call; the call is sent again afterwards. False
  /// if a limit is exceeded.
  bool ask_for_urls(adapter_call& call, const std::vector<std::string>& elicitations, time_point now,
                    stateless_effects& out);

  // -- from clients ----------------------------------------------------------------------
  /// Returns the parked call that a retry continues: the first retry of its latest round, for the same call; or null.
  adapter_call* call_of(const message& retry);
  /// Returns the capabilities for a pending question that the retry's client does not cover; empty if it covers all.
  std::optional<client_profile> lacks(const adapter_call& call, const client_profile& can) const;
  /// State of a call after its retry.
  enum class next { asked_again, waits_for_server, has_answer, urls_opened, urls_declined };
  /// Takes the responses of a retry, to whose exchange the call is attached; passes answers on to the server.
  next receive_responses(adapter_call& call, const message& retry, time_point now, stateless_effects& out);
  /// Returns the kept answer after `has_answer` and unparks the call.
  message receive_response(const adapter_call& call);

  // -- ends ------------------------------------------------------------------------------
  /// Gives up calls whose client did not retry in time, and returns them. Reports progress to the server for the
  /// others.
  std::vector<exchange_id> tick(time_point now, stateless_effects& out);
  /// Reassigns the unsent questions of a call that ends: assigning them to this call was a guess. Each goes to another
  /// call that can take it, whose client is asked. If there is none, the question is answered as given up.
  void pass_on(adapter_call& call, time_point now, stateless_effects& out);
  /// Drops all questions of the server that exited.
  void server_lost();
  /// Gives up all parked calls.
  void end(stateless_effects& out);

  std::size_t size() const { return all_.size(); }
  time_point deadline() const;

private:
  struct question {
    /// Server's id and progress token, JSON tokens. The id is empty for a URL to open before the call is sent again;
    /// the token is empty if the server wants no progress.
    std::string id = {};
    std::string token = {};
    std::string method = {};
    client_profile needs = {};
    /// Calls that the question can concern.
    calls_meant about = {};
    /// Key among the questions of its call.
    std::string key = {};
    /// Entry of `inputRequests` for the client.
    std::optional<kept_text> request = {};
    std::uint64_t progress = 0;
  };
  struct kept_answer {
    message what;
    std::optional<byte_budget::share> bytes;
  };
  struct parked {
    std::list<question> questions = {};
    /// Time to ask the client; max() once asked.
    time_point ask_at = time_point::max();
    time_point until = time_point::max();
    /// Time of the next progress notification to the server; max() if no question wants progress.
    time_point next_progress = time_point::max();
    std::optional<kept_answer> answer = {};
    bool is_for_urls = false;
  };

  adapter_call* call_for(const calls_meant& about);
  std::size_t open_questions(const adapter_call& call) const;
  void ask(adapter_call* call, question one, std::string_view params, time_point now, stateless_effects& out);
  bool has_room_for_question(const adapter_call& call) const;
  /// Adds a question; false if there are too many, or too many bytes.
  bool add_question(adapter_call& call, question one, std::string_view params);
  void add_to(adapter_call& call, question one);
  void pass_on(question one, time_point now, stateless_effects& out);
  /// Schedules a new question for that time; asks at once if it has come.
  void ask_by(time_point when, const adapter_call& call, time_point now, stateless_effects& out);
  /// Returns the time to ask a call's client a new question.
  time_point when_to_ask(const adapter_call& call, time_point now);
  void ask_due(time_point now, stateless_effects& out);
  void ask_together(adapter_call& call, time_point now, stateless_effects& out);
  void ask_client(adapter_call& call, time_point now, stateless_effects& out);
  std::string input_required(const adapter_call& call, const parked& of) const;
  next ask_again(adapter_call& call, time_point now, stateless_effects& out);
  next receive_urls(adapter_call& call, parked& of, std::string_view responses, time_point now, stateless_effects& out);
  void send_progress(parked& of, time_point now, stateless_effects& out);
  void give_up(exchange_id own, stateless_effects& out);
  static void give_up(const question& one, stateless_effects& out);

  const server_as_modern_rules& rules_;
  const server_initialization& start_;
  adapter_calls& calls_;
  byte_budget& bytes_;
  std::map<exchange_id, parked> all_;
  lone_questions lone_;
};

} // namespace troupe::protocol
