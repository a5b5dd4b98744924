#pragma once

#include "tests/support/server_driver.hpp"

#include <algorithm>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <utility>

namespace troupe::tests {

/// Checks a supervisor between the users of a shared server and the server. The params of each user request name the
/// user (`who`) and the id (`n`). Answers, progress and requests of the server repeat them.
class shared_server_checker {
public:
  struct user {
    /// The methods of pending requests, by id.
    std::map<std::uint64_t, std::string> unanswered;
    /// Server requests by the id that the user received: the server's number.
    std::map<std::string, std::uint64_t> questions;
    /// URIs whose updates the user may receive, and those that it must receive.
    std::set<std::string> may, must;
    /// The URIs of its requests, by id.
    std::map<std::uint64_t, std::string> uris;

    bool unsubscribes(const std::string& uri) const {
      return std::any_of(unanswered.begin(), unanswered.end(),
                         [&](auto& one) { return one.second == "resources/unsubscribe" && uris.at(one.first) == uri; });
    }
  };

  // -- facts --------------------------------------------------------------------------
  void asks(user_id one, std::uint64_t n, const message& what) {
    auto& of = users[one];
    of.unanswered[n] = what.method;
    auto uri = param(what, "uri");
    of.uris[n] = uri;
    if (what.method == "resources/unsubscribe")
      of.must.erase(uri);
  }

  void cancels(user_id one, std::uint64_t n) {
    cancelling = {one, n};
    auto& of = users[one];
    if (auto asked = of.unanswered.find(n); asked != of.unanswered.end() && asked->second != "initialize")
      of.unanswered.erase(asked);
  }

  void leaves(user_id one) { users.erase(one); }

  /// The server answers a request.
  void answers(std::uint64_t own, bool success) {
    auto asked = pending.extract(own);
    auto uri = param(asked.mapped(), "uri");
    if (asked.mapped().method == "resources/subscribe" && !success) {
      at_server.erase(uri);
      if (param(asked.mapped(), "who").empty())
        for (auto& [one, of] : users)
          of.must.erase(uri);
    }
    if (asked.mapped().method == "initialize")
      greeted = success;
  }

  void dies() {
    alive = greeted = initialized_once = false;
    pending.clear();
    open_questions.clear();
    at_server.clear();
  }

  // -- observations -------------------------------------------------------------------
  void saw(const server_effects& all) {
    for (auto& one : all)
      std::visit([this](auto& it) { saw(it); }, one);
    cancelling.reset();
  }

  void expect_nobody_waits() const {
    for (auto& [one, of] : users) {
      EXPECT_TRUE(of.unanswered.empty()) << one << " waits for " << of.unanswered.begin()->first;
      EXPECT_TRUE(of.questions.empty()) << one << " is asked still";
    }
  }

  /// The users whose requests are pending at the server.
  std::set<user_id> concerned() const {
    std::set<user_id> result;
    for (auto& [own, asked] : pending) {
      auto who = number(asked, "who");
      auto of = who ? users.find(*who) : users.end();
      if (of != users.end() && of->second.unanswered.contains(*number(asked, "n")))
        result.insert(*who);
    }
    return result;
  }

  static std::string param(const message& one, std::string_view name) {
    auto token = find_member(one.text, {"params", name});
    return token ? string_value(*token).value_or(std::string{*token}) : "";
  }
  static std::optional<std::uint64_t> number(const message& one, std::string_view name) {
    auto token = find_member(one.text, {"params", name});
    return token ? own_id(*token) : std::nullopt;
  }

  std::map<user_id, user> users;
  bool alive = false;
  bool greeted = false;
  /// Pending requests at the server, by the id that it received.
  std::map<std::uint64_t, message> pending;
  /// Requests of the server without an answer.
  std::set<std::uint64_t> open_questions;
  /// Users that received an update. The test clears it.
  std::set<user_id> updated_users;

private:
  void saw(const start_server&) {
    EXPECT_FALSE(alive);
    alive = true;
  }
  void saw(const stop_server&) {
    EXPECT_TRUE(alive);
    dies();
  }
  void saw(const log_note&) {}
  void saw(const note_sharing&) { ADD_FAILURE() << "its rules do not ask for that"; }
  void saw(const show_status& it) {
    if (it.status.is == phase::waiting || it.status.is == phase::resting) {
      EXPECT_GT(it.status.pause.count(), 0);
      EXPECT_FALSE(it.status.why.empty());
    }
  }
  void saw(const end_user& it) {
    EXPECT_TRUE(users.contains(it.user));
    EXPECT_TRUE(users[it.user].unanswered.empty());
    EXPECT_TRUE(users[it.user].questions.empty());
    users.erase(it.user);
  }

  // -- server ---------------------------------------------------------------------------

  void saw(const send_to_server& it) {
    auto what = gateway_message(it.what.text);
    EXPECT_TRUE(alive) << what.text;
    if (what.kind == message_kind::request)
      server_asked(what);
    else if (what.kind == message_kind::response)
      server_answered(what);
    else
      server_told(what);
  }

  void server_asked(const message& what) {
    auto own = own_id(what.id);
    ASSERT_TRUE(own) << what.text;
    EXPECT_GT(*own, last_own_) << "an id comes again: " << what.text;
    last_own_ = *own;
    EXPECT_NE(greeted, what.method == "initialize") << what.text;
    if (auto who = param(what, "who"); !who.empty()) {
      auto& times = sent_[std::pair{who, param(what, "n")}];
      EXPECT_LE(++times, 2) << what.text;
    }
    auto uri = param(what, "uri");
    if (what.method == "resources/subscribe") {
      EXPECT_TRUE(at_server.insert(uri).second) << what.text;
    }
    if (what.method == "resources/unsubscribe") {
      EXPECT_EQ(at_server.erase(uri), 1u) << what.text;
    }
    pending.emplace(*own, what);
  }

  void server_answered(const message& what) {
    auto number = own_id(what.id);
    ASSERT_TRUE(number) << what.text;
    if (*number >= pings)
      return;
    EXPECT_EQ(open_questions.erase(*number), 1u) << "not asked, or answered: " << what.text;
    if (auto echo = find_member(what.text, {"result", "q"})) {
      EXPECT_EQ(own_id(*echo), number) << "the answer to another question: " << what.text;
    }
  }

  void server_told(const message& what) {
    EXPECT_TRUE(greeted) << what.text;
    if (what.method == "notifications/initialized") {
      EXPECT_FALSE(std::exchange(initialized_once, true));
    }
    if (what.method != "notifications/cancelled")
      return;
    auto asked = pending.extract(own_id(what.reference).value_or(0));
    ASSERT_FALSE(asked.empty()) << what.text;
    if (cancelling) {
      EXPECT_EQ(number(asked.mapped(), "who"), cancelling->first);
      EXPECT_EQ(number(asked.mapped(), "n"), cancelling->second);
    }
  }

  // -- user ------------------------------------------------------------------------------

  void saw(const send_to_user& it) {
    auto what = gateway_message(it.what.text);
    ASSERT_TRUE(users.contains(it.user)) << it.user << ' ' << what.text;
    if (what.kind == message_kind::response)
      user_answered(it.user, what);
    else if (what.kind == message_kind::request)
      user_asked(it.user, what);
    else
      user_told(it.user, what);
  }

  void user_answered(user_id one, const message& what) {
    auto& of = users[one];
    auto n = own_id(what.id).value_or(0);
    auto asked = of.unanswered.extract(n);
    ASSERT_FALSE(asked.empty()) << one << " did not ask, or was answered: " << what.text;
    auto who = find_member(what.text, {"result", "who"});
    if (who) {
      EXPECT_EQ(own_id(*who), one) << what.text;
      EXPECT_EQ(own_id(*find_member(what.text, {"result", "n"})), n) << what.text;
    }
    auto success = find_member(what.text, {"result"}).has_value();
    if (asked.mapped() == "m") {
      EXPECT_EQ(who.has_value(), success) << what.text;
    }
    auto uri = of.uris[n];
    if (success && asked.mapped() == "resources/subscribe") {
      of.may.insert(uri);
      if (!of.unsubscribes(uri))
        of.must.insert(uri);
    }
    if (success && asked.mapped() == "resources/unsubscribe")
      of.may.erase(uri);
  }

  void user_asked(user_id one, const message& what) {
    EXPECT_EQ(concerned(), (std::set<user_id>{one})) << what.text;
    EXPECT_TRUE(users[one].questions.emplace(what.id, number(what, "q").value_or(0)).second) << what.text;
  }

  void user_told(user_id one, const message& what) {
    auto& of = users[one];
    if (what.method == "notifications/progress") {
      EXPECT_EQ(number(what, "who"), one) << what.text;
      EXPECT_EQ(what.reference, "\"t" + param(what, "n") + '"') << what.text;
      EXPECT_TRUE(of.unanswered.contains(number(what, "n").value_or(0))) << what.text;
    } else if (what.method == "notifications/cancelled") {
      EXPECT_EQ(of.questions.erase(what.reference), 1u) << what.text;
    } else if (what.method == "notifications/resources/updated") {
      EXPECT_TRUE(of.may.contains(param(what, "uri"))) << one << ' ' << what.text;
      updated_users.insert(one);
    } else if (what.method == "custom") {
      EXPECT_EQ(concerned(), (std::set<user_id>{one})) << what.text;
    }
  }

public:
  /// The first number of the server's pings.
  static constexpr std::uint64_t pings = 1'000'000;
  bool initialized_once = false;

private:
  std::uint64_t last_own_ = 0;
  std::set<std::string> at_server;
  /// The number of times that each user request was sent.
  std::map<std::pair<std::string, std::string>, int> sent_;
  std::optional<std::pair<user_id, std::uint64_t>> cancelling;
};

} // namespace troupe::tests
