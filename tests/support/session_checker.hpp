#pragma once

#include "protocol/delivery/effects.hpp"
#include "protocol/delivery/event_store.hpp"
#include "protocol/message/message.hpp"
#include "tests/support/protocol_effects.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <set>
#include <string>
#include <utility>
#include <variant>

namespace troupe::tests {

using namespace protocol;

/// Checks every effect of a session against the invariants for the client and the server.
class session_checker {
public:
  enum class state { waiting, answered, streaming, ended };
  struct exchange {
    state is = state::waiting;
    /// Whether its client has disconnected.
    bool left = false;
    /// The stream that it resumes; 0 when it resumes none.
    exchange_id resumes = 0;
    /// The requests in it that have no answer.
    std::set<std::string> unanswered = {};
    /// Set when answers may have been missed because no client resumed the stream.
    bool broke = false;
  };

  /// With `one_stream` (HTTP+SSE), all answers arrive on that stream. When streams poll or the store may `forget`
  /// events, a resuming client may miss some.
  session_checker(bool one_stream, bool forget) : one_stream_{one_stream}, forget_{forget} {}

  // -- facts, before the session gets them ---------------------------------------------

  void told(exchange_id number, const post_body* body = nullptr) {
    auto& one = exchanges[number];
    for (std::size_t i = 0; body && i < body->messages.size(); ++i) {
      auto& part = body->messages[i];
      if (part.kind == message_kind::request)
        one.unanswered.insert(part.id);
      if (part.method == "notifications/cancelled")
        cancelled_.insert(part.reference);
    }
  }
  void note_resume(exchange_id number, exchange_id stream) { exchanges[number].resumes = stream; }
  void note_question(const std::string& id) { questions.insert(id); }
  void note_withdrawal(const std::string& id) { questions.erase(id); }
  void note_answer(const std::string& own) { calls.erase(own); }
  void left(exchange_id number) {
    exchanges[number].left = true;
    exchanges[stream_of(number)].broke = true;
  }
  /// The node exits, with all connections and the server.
  void note_death() {
    for (auto& [number, one] : exchanges)
      one.left = one.broke = true;
    calls.clear();
    questions.clear();
    own_ids_.clear();
  }
  /// Requests of a stream that still need an answer.
  std::set<std::string> unanswered_on(exchange_id stream) {
    auto result = exchanges[stream].unanswered;
    std::erase_if(result, [&](auto& id) { return cancelled_.contains(id); });
    return result;
  }
  /// Time passes, and streams may close for polling.
  void note_time() { parts_ = forget_; }

  // -- effects --------------------------------------------------------------------------

  void saw(const effects& all) {
    may_abandon_ = std::any_of(all.begin(), all.end(), [](const effect& one) {
      auto end = std::get_if<end_session>(&one);
      return std::holds_alternative<forget_session>(one) ||
             (end && (end->why == "its client ended it" || end->why == "its client left"));
    });
    parts_ = parts_ || std::any_of(all.begin(), all.end(), [&](const effect& one) {
               auto opened = std::get_if<open_stream>(&one);
               return opened && exchanges[opened->exchange].resumes != 0;
             });
    for (auto& one : all)
      std::visit([this](auto& it) { saw(it); }, one);
    parts_ = false;
  }

  /// After the end of the session no connected client waits, and every request has its answer.
  void expect_nobody_waits() const {
    for (auto& [number, one] : exchanges) {
      EXPECT_TRUE(one.left || one.is == state::answered || one.is == state::ended) << "exchange " << number;
      for (auto& id : one.unanswered) {
        EXPECT_TRUE(one.broke || abandoned_ || cancelled_.contains(id)) << "no answer to " << id << " of " << number;
      }
    }
  }

  bool over = false;
  std::map<exchange_id, exchange> exchanges;
  /// Our ids of calls that are pending at the server.
  std::set<std::string> calls;
  /// The server's ids of its pending requests.
  std::set<std::string> questions;
  /// Our ids of server requests that the client received.
  std::set<std::string> seen_questions;
  /// The ids of events that a client received.
  std::set<std::string> seen_events;

private:
  exchange_id stream_of(exchange_id number) {
    auto resumed = exchanges[number].resumes;
    return resumed == 0 ? number : resumed;
  }

  message read(const std::string& text) {
    auto result = read_message(text);
    if (auto bad = std::get_if<rejection>(&result)) {
      ADD_FAILURE() << bad->text << ": " << text;
      return {};
    }
    EXPECT_EQ(text.find('\n'), text.npos) << text;
    return std::get<message>(std::move(result));
  }

  /// Whether the parsed fields of a message match its text.
  static bool same_envelope(const message& a, const message& b) {
    auto same = [](const slice& x, const slice& y) { return x.at == y.at && x.size == y.size; };
    return a.kind == b.kind && a.id == b.id && a.method == b.method && a.reference == b.reference &&
           same(a.id_at, b.id_at) && same(a.reference_at, b.reference_at);
  }

  // -- messages to the server ----------------------------------------------------------

  void saw(const forward& it) {
    EXPECT_FALSE(over) << it.what.text;
    auto one = read(it.what.text);
    EXPECT_TRUE(same_envelope(it.what, one)) << it.what.text;
    if (one.kind == message_kind::request) {
      EXPECT_TRUE(own_ids_.insert(one.id).second) << "an id of ours came twice: " << it.what.text;
    }
    if (one.kind == message_kind::request)
      calls.insert(one.id);
    if (one.kind == message_kind::response) {
      EXPECT_EQ(questions.erase(one.id), 1u) << "the server did not ask, or was answered: " << it.what.text;
    }
    if (one.method == "notifications/cancelled") {
      EXPECT_EQ(calls.erase(one.reference), 1u) << "cancels what is not in flight: " << it.what.text;
    }
  }

  // -- messages to an exchange ---------------------------------------------------------

  void saw(const reply& it) {
    auto body = std::get<post_body>(read_body(it.text));
    for (auto& one : body.messages)
      receive_response(it.exchange, one);
    EXPECT_EQ(exchanges[it.exchange].unanswered, std::set<std::string>{}) << it.text;
    finish(it.exchange);
  }

  void saw(const accept& it) {
    EXPECT_TRUE(one_stream_ || exchanges[it.exchange].unanswered.empty()) << it.exchange;
    finish(it.exchange);
  }

  void saw(const reject& it) {
    EXPECT_TRUE(!over || it.why.status == 404) << it.why.text;
    EXPECT_TRUE(it.why.status != 500 || may_abandon_) << it.why.text;
    exchanges[it.exchange].unanswered.clear();
    auto was_over = std::exchange(over, false);
    finish(it.exchange);
    over = was_over;
  }

  void saw(const confirm_end& it) { finish(it.exchange); }
  void saw(const hand_over&) { EXPECT_TRUE(calls.empty()) << "a call is left behind"; }
  /// The exchange is answered by another node.
  void saw(const pass_on& it) {
    exchanges[it.exchange].unanswered.clear();
    finish(it.exchange);
  }

  void finish(exchange_id number) {
    EXPECT_FALSE(over);
    auto& one = exchanges[number];
    EXPECT_EQ(one.is, state::waiting) << number;
    EXPECT_FALSE(one.left) << number;
    one.is = state::answered;
  }

  // -- messages to a stream ------------------------------------------------------------

  void saw(const open_stream& it) {
    EXPECT_FALSE(over);
    auto& one = exchanges[it.exchange];
    EXPECT_EQ(one.is, state::waiting) << it.exchange;
    EXPECT_FALSE(one.left) << it.exchange;
    one.is = state::streaming;
  }

  void saw(const publish& it) {
    EXPECT_FALSE(over) << it.what.data;
    auto& on = exchanges[it.exchange];
    EXPECT_EQ(on.is, state::streaming) << it.exchange << ' ' << it.what.data;
    EXPECT_FALSE(on.left) << it.exchange << ' ' << it.what.data;
    if (it.what.type == "message" && is_new(it))
      receive(stream_of(it.exchange), read(it.what.data));
  }

  /// False for an event that a client has received already, which must be identical.
  bool is_new(const publish& it) {
    if (!it.what.id)
      return one_stream_;
    auto at = read_event_id(tag, *it.what.id);
    EXPECT_TRUE(at && at->stream == stream_of(it.exchange)) << *it.what.id << " on " << it.exchange;
    seen_events.insert(*it.what.id);
    auto [known, fresh] = texts_.emplace(*it.what.id, it.what.data);
    EXPECT_EQ(known->second, it.what.data) << *it.what.id;
    return fresh;
  }

  void receive(exchange_id stream, const message& one) {
    if (one.kind == message_kind::response)
      return receive_response(stream, one);
    if (one.kind == message_kind::request)
      seen_questions.insert(one.id);
    if (one.method != "notifications/progress" && one.method != "notifications/cancelled") {
      EXPECT_TRUE(published_.insert(one.text).second) << "published twice: " << one.text;
    }
  }

  void saw(const end_stream& it) {
    auto& one = exchanges[it.exchange];
    EXPECT_EQ(one.is, state::streaming) << it.exchange;
    EXPECT_FALSE(one.left) << it.exchange;
    auto& begun = exchanges[stream_of(it.exchange)];
    auto may_miss = parts_ || may_abandon_ || (forget_ && begun.broke);
    for (auto& id : begun.unanswered) {
      EXPECT_TRUE(may_miss || cancelled_.contains(id)) << "the stream ends without an answer to " << id;
    }
    begun.broke = begun.broke || parts_;
    one.is = state::ended;
  }

  void saw(const remember&) {}
  void saw(const keep_event&) {}

  void saw(const forget_session&) {}
  void saw(const end_session&) {
    EXPECT_FALSE(over);
    over = true;
    abandoned_ = may_abandon_;
  }

  void receive_response(exchange_id number, const message& one) {
    EXPECT_EQ(one.kind, message_kind::response) << one.text;
    if (!one_stream_) {
      EXPECT_EQ(exchanges[number].unanswered.erase(one.id), 1u) << "not asked there, or answered: " << one.text;
      return;
    }
    auto asked = std::find_if(exchanges.rbegin(), exchanges.rend(),
                              [&](auto& it) { return it.second.unanswered.contains(one.id); });
    ASSERT_NE(asked, exchanges.rend()) << "not asked, or answered: " << one.text;
    asked->second.unanswered.erase(one.id);
  }

  bool one_stream_;
  bool forget_;
  bool may_abandon_ = false;
  bool abandoned_ = false;
  bool parts_ = false;
  std::set<std::string> cancelled_;
  std::set<std::string> own_ids_;
  std::set<std::string> published_;
  /// The text of every event id.
  std::map<std::string, std::string> texts_;
};

} // namespace troupe::tests
