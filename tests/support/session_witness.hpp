#pragma once

#include "protocol/effects.hpp"
#include "protocol/message.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <set>
#include <string>
#include <variant>

namespace troupe::tests {

using namespace protocol;

/// Sees every effect of a session and fails the test when one breaks a promise to the client or to the server.
class witness {
public:
  enum class state { waiting, answered, streaming, ended };
  struct exchange {
    state is = state::waiting;
    bool left = false;
    /// Requests that it brought and that have no answer.
    std::set<std::string> unanswered = {};
  };

  // -- what is told to the session, before it is told ----------------------------------

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
  void told_question(const std::string& id) { questions.insert(id); }
  void told_withdrawal(const std::string& id) { questions.erase(id); }
  void told_answer(const std::string& own) { calls.erase(own); }
  void left(exchange_id number) { exchanges[number].left = true; }

  // -- what the session does ------------------------------------------------------------

  void saw(const effects& all) {
    may_abandon_ = std::any_of(all.begin(), all.end(), [](const effect& one) {
      auto end = std::get_if<end_session>(&one);
      return end && end->why == "its client ended it";
    });
    for (auto& one : all)
      std::visit([this](auto& it) { saw(it); }, one);
  }

  /// When the session is over nobody waits who is still there.
  void expect_nobody_waits() const {
    for (auto& [number, one] : exchanges) {
      EXPECT_TRUE(one.left || one.is == state::answered || one.is == state::ended) << "exchange " << number;
    }
  }

  bool over = false;
  std::map<exchange_id, exchange> exchanges;
  /// Our ids of calls that the server has not answered.
  std::set<std::string> calls;
  /// The server's ids of questions that it has no answer to.
  std::set<std::string> questions;
  /// Our ids of questions that the client saw.
  std::set<std::string> seen_questions;

private:
  message read(const std::string& text) {
    auto result = read_message(text);
    if (auto bad = std::get_if<rejection>(&result)) {
      ADD_FAILURE() << bad->text << ": " << text;
      return {};
    }
    EXPECT_EQ(text.find('\n'), text.npos) << text;
    return std::get<message>(std::move(result));
  }

  void saw(const forward& it) {
    EXPECT_FALSE(over) << it.text;
    auto one = read(it.text);
    EXPECT_EQ(it.call, one.kind == message_kind::request ? one.id : "") << it.text;
    if (one.kind == message_kind::request) {
      EXPECT_TRUE(own_ids_.insert(one.id).second) << "an id of ours came twice: " << it.text;
    }
    if (one.kind == message_kind::request)
      calls.insert(one.id);
    if (one.kind == message_kind::response) {
      EXPECT_EQ(questions.erase(one.id), 1u) << "the server did not ask, or was answered: " << it.text;
    }
    if (one.method == "notifications/cancelled") {
      EXPECT_EQ(calls.erase(one.reference), 1u) << "cancels what is not in flight: " << it.text;
    }
  }

  void saw(const reply& it) {
    auto body = std::get<post_body>(read_body(it.text));
    for (auto& one : body.messages)
      take_answer(it.exchange, one);
    EXPECT_EQ(exchanges[it.exchange].unanswered, std::set<std::string>{}) << it.text;
    finish(it.exchange);
  }

  void saw(const accept& it) {
    EXPECT_EQ(exchanges[it.exchange].unanswered, std::set<std::string>{});
    finish(it.exchange);
  }

  void saw(const reject& it) {
    EXPECT_TRUE(!over || it.why.status == 404) << it.why.text;
    EXPECT_TRUE(it.why.status != 500 || may_abandon_) << it.why.text;
    auto was_over = std::exchange(over, false);
    finish(it.exchange);
    over = was_over;
  }

  void saw(const confirm_end& it) { finish(it.exchange); }

  void saw(const open_stream& it) {
    EXPECT_FALSE(over);
    auto& one = exchanges[it.stream];
    EXPECT_EQ(one.is, state::waiting) << it.stream;
    EXPECT_FALSE(one.left) << it.stream;
    one.is = state::streaming;
  }

  void saw(const publish& it) {
    EXPECT_FALSE(over) << it.text;
    auto& on = exchanges[it.stream];
    EXPECT_EQ(on.is, state::streaming) << it.stream << ' ' << it.text;
    EXPECT_FALSE(on.left) << it.stream << ' ' << it.text;
    auto one = read(it.text);
    if (one.kind == message_kind::response)
      return take_answer(it.stream, one);
    if (one.kind == message_kind::request)
      seen_questions.insert(one.id);
    if (one.method != "notifications/progress" && one.method != "notifications/cancelled") {
      EXPECT_TRUE(published_.insert(it.text).second) << "published twice: " << it.text;
    }
  }

  void saw(const end_stream& it) {
    auto& one = exchanges[it.stream];
    EXPECT_EQ(one.is, state::streaming) << it.stream;
    EXPECT_FALSE(one.left) << it.stream;
    for (auto& id : one.unanswered) {
      EXPECT_TRUE(may_abandon_ || cancelled_.contains(id)) << "the stream ends without an answer to " << id;
    }
    one.is = state::ended;
  }

  void saw(const end_session&) {
    EXPECT_FALSE(over);
    over = true;
  }

  void take_answer(exchange_id number, const message& one) {
    EXPECT_EQ(one.kind, message_kind::response) << one.text;
    EXPECT_EQ(exchanges[number].unanswered.erase(one.id), 1u) << "not asked there, or answered: " << one.text;
  }

  void finish(exchange_id number) {
    EXPECT_FALSE(over);
    auto& one = exchanges[number];
    EXPECT_EQ(one.is, state::waiting) << number;
    EXPECT_FALSE(one.left) << number;
    one.is = state::answered;
    one.unanswered.clear();
  }

  bool may_abandon_ = false;
  std::set<std::string> cancelled_;
  std::set<std::string> own_ids_;
  std::set<std::string> published_;
};

} // namespace troupe::tests
