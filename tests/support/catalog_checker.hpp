#pragma once

#include "protocol/catalog/merged_names.hpp"
#include "tests/support/catalog_driver.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

namespace troupe::tests {

/// A server whose results name the server.
struct model_server {
  enum class state { idle, greeting, ready };

  explicit model_server(const catalog_server& from)
      : id{from.id}, name{from.name}, prefix{from.prefix}, resources{"file:///" + name + "/1", "x:{y}", "x:2"} {
    for (int i = 0; i < 3; ++i)
      tools.push_back("t" + std::to_string(i));
    for (auto last : {"a", "b"})
      tools.push_back(std::string(70, 'l') + last);
  }

  std::string answer(const message& asked) const {
    if (asked.method == "initialize")
      return result(asked.id, can_all);
    if (asked.method == "tools/list")
      return page(asked, "tools", "name", tools);
    if (asked.method == "resources/list")
      return page(asked, "resources", "uri", resources);
    if (asked.method == "resources/read" && !has(*string_value(*find_member(asked.text, {"params", "uri"}))))
      return error_text(asked.id, -32002, "not here");
    auto what = find_member(asked.text, {"params", asked.method == "tools/call" ? "name" : "uri"});
    return result(asked.id, R"({"server":")" + name + R"(","what":)" + std::string{what.value_or("\"\"")} + "}");
  }

  bool has(const std::string& uri) const {
    return uri == "ui://" + name || std::find(resources.begin(), resources.end(), uri) != resources.end();
  }

  std::uint64_t id;
  std::string name, prefix;
  std::vector<std::string> tools, resources;
  state is = state::idle;
  /// Received requests without an answer.
  std::vector<message> inbox = {};
  /// Requests to the client without an answer.
  std::set<std::string> asking = {};

private:
  /// A page of two items, from the cursor.
  static std::string page(const message& asked, std::string list, std::string key,
                          const std::vector<std::string>& all) {
    auto cursor = find_member(asked.text, {"params", "cursor"});
    std::size_t at = cursor ? std::stoul(*string_value(*cursor)) : 0;
    std::string items;
    for (auto i = at; i < std::min(at + 2, all.size()); ++i)
      items += (i > at ? "," : "") + ("{\"" + key + "\":" + protocol::quoted(all[i]) + "}");
    auto next = at + 2 < all.size() ? R"(,"nextCursor":")" + std::to_string(at + 2) + '"' : std::string{};
    return result(asked.id, "{\"" + list + "\":[" + items + "]" + next + "}");
  }
};

/// Checks every effect of a catalog against the invariants for clients and servers.
class catalog_checker {
public:
  // -- facts, before the catalog gets them ------------------------------------------------

  /// The configuration. Removed servers stay until the catalog has released them and `forget_removed` is called.
  void note_servers(const std::vector<catalog_server>& all) {
    configured_.clear();
    for (auto& one : all) {
      configured_.insert(one.id);
      servers.try_emplace(one.id, one);
    }
  }
  void forget_removed() {
    std::erase_if(servers, [&](auto& one) { return left_.contains(one.first); });
    for (auto& one : configured_)
      EXPECT_TRUE(servers.contains(one));
  }
  std::string note_request(std::string method, std::string server = {}, std::string what = {}) {
    auto id = std::to_string(++last_request_);
    pending_[id] = {std::move(method), std::move(server), std::move(what)};
    return id;
  }
  /// A random pending request; empty when there is none.
  std::string note_cancel(std::size_t dice) {
    std::vector<std::string> some;
    for (auto& [id, one] : pending_)
      if (one.method != "initialize")
        some.push_back(id);
    if (some.empty())
      return {};
    pending_.erase(some[dice % some.size()]);
    return some[dice % some.size()];
  }
  /// A random server request at the client; empty when there is none.
  std::string note_client_answer(std::size_t dice) {
    if (questions_.empty())
      return {};
    auto chosen = std::next(questions_.begin(), static_cast<std::ptrdiff_t>(dice % questions_.size()));
    auto id = chosen->first;
    answering_ = std::move(chosen->second);
    questions_.erase(chosen);
    return id;
  }
  std::string note_question(model_server& from, std::size_t dice) {
    auto id = std::to_string(dice + 1);
    while (from.asking.contains(id))
      id += "0";
    from.asking.insert(id);
    return id;
  }
  std::string note_withdrawal(model_server& from) {
    auto id = from.asking.empty() ? std::string{} : *from.asking.begin();
    from.asking.erase(id);
    return id;
  }
  void note_lost(model_server& one) {
    one.is = model_server::state::idle;
    one.inbox.clear();
    one.asking.clear();
  }

  // -- effects -----------------------------------------------------------------------------

  void saw(const catalog_effects& all) {
    for (auto& one : all)
      std::visit([this](auto& x) { saw(x); }, one);
    EXPECT_FALSE(answering_) << "the client's answer to a question is lost";
  }

  // -- invariants at the end -----------------------------------------------------------------

  std::string client_uri(const model_server& one, const std::string& uri) const {
    return one.prefix.empty() && (!is_ui_uri(uri) || configured_.size() == 1) ? uri : merged_uri(one.name, uri);
  }
  std::multiset<std::string> expected_items(const std::string& method) const {
    std::multiset<std::string> result;
    for (auto& [id, one] : servers)
      for (auto& item : !configured_.contains(id) ? std::vector<std::string>{}
                        : method == "tools/list"  ? one.tools
                                                  : one.resources)
        result.insert(method == "tools/list" ? merged_name(one.name, one.prefix, item) : client_uri(one, item));
    return result;
  }
  void expect_nobody_waits() const {
    for (auto& [id, one] : pending_)
      ADD_FAILURE() << "request " << id << " has no answer: " << one.method << ' ' << one.server << ' ' << one.what;
  }

  std::map<std::uint64_t, model_server> servers;
  /// The items of the last page that the client received.
  std::multiset<std::string> items;
  std::string cursor;

private:
  struct expectation {
    std::string method, server, what;
  };

  // -- servers' view ---------------------------------------------------------------------------

  void saw(const send_to_member& told) {
    auto found = servers.find(told.server);
    ASSERT_NE(found, servers.end()) << "a server that is not there is told " << told.what.text;
    ASSERT_FALSE(left_.contains(told.server)) << "a server that was let go is told " << told.what.text;
    auto& one = found->second;
    if (told.what.kind == message_kind::response)
      return note_client_answer(one, told.what);
    if (told.what.kind == message_kind::request)
      return note_request(one, told.what);
    EXPECT_NE(one.is, model_server::state::idle) << told.what.text;
    if (told.what.method == "notifications/initialized")
      one.is = model_server::state::ready;
    if (told.what.method == "notifications/cancelled") {
      auto is_it = [&](const message& asked) { return asked.id == told.what.reference; };
      EXPECT_EQ(std::erase_if(one.inbox, is_it), 1U) << "cancels what is not under way: " << told.what.text;
    }
  }

  void note_client_answer(model_server& one, const message& answer) {
    EXPECT_EQ(one.asking.erase(answer.id), 1U) << "a server is told what it did not ask: " << answer.text;
    if (answering_) {
      EXPECT_EQ(*answering_, std::pair(one.name, answer.id));
    }
    answering_.reset();
  }

  void note_request(model_server& one, const message& asked) {
    EXPECT_TRUE(configured_.contains(one.id)) << "a server that was removed is asked " << asked.text;
    EXPECT_TRUE(ids_.insert(asked.id).second) << "an id is used again: " << asked.text;
    EXPECT_EQ(gateway_message(asked.text).id_at.at, asked.id_at.at) << asked.text;
    if (asked.method == "initialize") {
      EXPECT_NE(one.is, model_server::state::ready) << "a server is initialised twice";
      one.is = model_server::state::greeting;
    } else {
      EXPECT_EQ(one.is, model_server::state::ready) << "a server is asked before it is initialised: " << asked.text;
    }
    one.inbox.push_back(asked);
  }

  void saw(const member_known& known) { EXPECT_EQ(known.result, can_all); }
  void saw(const member_slow& slow) { EXPECT_EQ(servers.at(slow.server).is, model_server::state::greeting); }
  void saw(const member_left& left) {
    EXPECT_FALSE(configured_.contains(left.server));
    EXPECT_TRUE(left_.insert(left.server).second) << "a server is let go twice";
    for (auto& asked : servers.at(left.server).inbox)
      EXPECT_NE(asked.method, "tools/call") << "a server is let go in the middle of a call";
  }
  void saw(const name_hidden& what) { EXPECT_NE(what.shown, what.hidden) << what.name; }
  void saw(const list_part_failed& what) { EXPECT_FALSE(what.why.empty()); }
  void saw(const list_part_recovered&) {}
  void saw(const end_catalog& end) { ADD_FAILURE() << "the session ends: " << end.why; }

  // -- client's view -------------------------------------------------------------------------------

  void saw(const send_to_client& told) {
    if (told.what.kind == message_kind::response)
      note_answer(told.what);
    else if (told.what.kind == message_kind::request)
      note_question(told.what);
    else if (told.what.method == "notifications/cancelled")
      EXPECT_EQ(questions_.erase(told.what.reference), 1U) << told.what.text;
    else if (told.what.method == "notifications/progress")
      saw_progress(told.what);
  }

  void note_answer(const message& answer) {
    auto asked = pending_.extract(answer.id);
    ASSERT_TRUE(asked) << "an answer that nobody waits for: " << answer.text;
    auto& expected = asked.mapped();
    if (auto from = find_member(answer.text, {"result", "server"}); from && is_there(expected.server)) {
      EXPECT_EQ(*string_value(*from), expected.server) << answer.text;
      EXPECT_EQ(*string_value(*find_member(answer.text, {"result", "what"})), expected.what) << answer.text;
    }
    if (expected.method == "tools/list" || expected.method == "resources/list")
      saw_list(answer, expected.method);
  }

  /// Items of a removed server may have moved to another one.
  bool is_there(const std::string& server) const {
    auto is_it = [&](auto& one) { return configured_.contains(one.first) && one.second.name == server; };
    return std::any_of(servers.begin(), servers.end(), is_it);
  }

  void saw_list(const message& answer, const std::string& method) {
    auto list = find_member(answer.text, {"result", method == "tools/list" ? "tools" : "resources"});
    items.clear();
    cursor.clear();
    if (!list) {
      EXPECT_NE(answer.text.find("Too many calls"), std::string::npos) << answer.text;
      return;
    }
    for (array_reader each{*list}; each.next();)
      items.insert(*string_value(*find_member(each.value(), {method == "tools/list" ? "name" : "uri"})));
    cursor = find_member(answer.text, {"result", "nextCursor"}).value_or("");
    EXPECT_FALSE(json_error(answer.text)) << answer.text;
  }

  void note_question(const message& asked) {
    EXPECT_TRUE(ids_.insert(asked.id).second) << "an id is used again: " << asked.text;
    questions_[asked.id] = {*string_value(*find_member(asked.text, {"params", "from"})),
                            std::string{*find_member(asked.text, {"params", "id"})}};
  }

  void saw_progress(const message& said) {
    auto asked = pending_.find(said.reference);
    ASSERT_NE(asked, pending_.end()) << "progress of what is not under way: " << said.text;
    if (is_there(asked->second.server)) {
      EXPECT_EQ(*string_value(*find_member(said.text, {"params", "message"})), asked->second.server) << said.text;
    }
  }

  std::set<std::uint64_t> configured_;
  /// Removed servers without pending requests.
  std::set<std::uint64_t> left_;
  std::uint64_t last_request_ = 0;
  std::map<std::string, expectation> pending_;
  /// Requests of servers that are pending at the client.
  std::map<std::string, std::pair<std::string, std::string>> questions_;
  /// The server request that the client is answering.
  std::optional<std::pair<std::string, std::string>> answering_;
  std::set<std::string> ids_;
};

} // namespace troupe::tests
