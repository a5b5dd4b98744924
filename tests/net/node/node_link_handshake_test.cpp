#include "net/node/node_link_handshake.hpp"

#include <algorithm>
#include <gtest/gtest.h>

namespace troupe::tests::node_link_handshake_test {

using namespace net;

namespace {

const std::string zeros(32, '0');
const std::string wire = "what only the two ends know";

std::string greeting_of(std::size_t size) { return "troupe-node 2 " + zeros + " " + std::to_string(size) + "\n"; }

/// The verdict of a called node on a caller that sends this.
std::string verdict_on(const std::string& said) {
  node_link_handshake one{false, {"key"}, "us"};
  one.begin(wire);
  one.feed(said);
  return one.why_not();
}

/// The verdict of a caller on a node that answers this.
std::string verdict_on_called(const std::string& said) {
  node_link_handshake one{true, {"key"}, "us"};
  one.begin(wire);
  one.feed(said);
  return one.why_not();
}

/// The opening message of a caller with the key.
std::string called(std::string hello, const std::string& over = wire) {
  return node_link_handshake{true, {"key"}, std::move(hello)}.begin(over);
}

/// The answer of a called node.
std::string answered(std::string hello) {
  node_link_handshake one{false, {"key"}, std::move(hello)};
  one.begin(wire);
  return one.feed(called("caller"));
}

/// Exchanges everything between two sides, byte by byte.
void converse(node_link_handshake& a, node_link_handshake& b) {
  auto to_b = a.begin(wire);
  auto to_a = b.begin(wire);
  while (!to_a.empty() || !to_b.empty()) {
    std::string from_b, from_a;
    for (auto c : std::exchange(to_b, {}))
      from_b += b.feed({&c, 1});
    for (auto c : std::exchange(to_a, {}))
      from_a += a.feed({&c, 1});
    to_a = from_b;
    to_b = from_a;
  }
}

} // namespace

TEST(node_link_handshake, proves_to_each_other_who_has_the_same_key) {
  node_link_handshake a{true, {"key"}, "I am a"};
  node_link_handshake b{false, {"key"}, ""};
  converse(a, b);
  EXPECT_TRUE(a.is_authenticated() && b.is_authenticated());
  EXPECT_EQ(a.hello(), "");
  EXPECT_EQ(b.hello(), "I am a");
  EXPECT_FALSE(a.is_accepted());
  a.feed("ok\nbytes");
  EXPECT_TRUE(a.is_accepted());
  EXPECT_EQ(a.take_rest(), "bytes");
  b.feed("no because\n");
  EXPECT_TRUE(b.is_refused());
  EXPECT_EQ(b.why_not(), "because");
}

TEST(node_link_handshake, says_nothing_before_the_caller_has_proven_itself) {
  node_link_handshake one{false, {"key"}, "called"};
  EXPECT_EQ(one.begin(wire), "");
  const auto said = called("caller");
  EXPECT_EQ(one.feed(said.substr(0, said.size() - 1)), "");
  EXPECT_TRUE(one.feed(said.substr(said.size() - 1)).starts_with("troupe-node 2 "));
  EXPECT_TRUE(one.is_authenticated());
}

TEST(node_link_handshake, does_not_believe_who_has_another_key) {
  node_link_handshake a{true, {"key"}, "a"};
  node_link_handshake b{false, {"another"}, "b"};
  b.begin(wire);
  EXPECT_EQ(b.feed(a.begin(wire)), "");
  EXPECT_EQ(b.why_not(), "it has another cluster key");
  EXPECT_EQ(verdict_on_called(greeting_of(1) + "x"), "it has another cluster key");
}

// A key rotation: the new key is appended, then moved to the front, then the old one is removed.
TEST(node_link_handshake, takes_the_first_key_of_the_caller_for_any_of_its_own) {
  const std::vector<std::vector<std::string>> states = {{"old"}, {"old", "new"}, {"new", "old"}, {"new"}};
  for (const auto& callers : states)
    for (const auto& ours : states) {
      node_link_handshake a{true, callers, "a"};
      node_link_handshake b{false, ours, "b"};
      converse(a, b);
      const bool is_known = std::ranges::find(ours, callers.front()) != ours.end();
      EXPECT_EQ(a.is_authenticated(), is_known) << callers.size() << ours.size();
      EXPECT_EQ(b.is_authenticated(), is_known) << callers.size() << ours.size();
      EXPECT_EQ(b.why_not(), is_known ? "" : "it has another cluster key");
      if (is_known) {
        EXPECT_EQ(a.key(), callers.front());
        EXPECT_EQ(b.key(), callers.front());
      }
    }
}

// A peer that answers with another key than the caller's may only have observed that key. It proves nothing about this
// connection.
TEST(node_link_handshake, does_not_believe_who_answers_with_another_of_its_keys) {
  node_link_handshake caller{true, {"new", "old"}, "caller"};
  node_link_handshake called{false, {"old"}, "called"};
  caller.begin(wire);
  called.begin(wire);
  caller.feed(called.feed(node_link_handshake{true, {"old"}, "another"}.begin(wire)));
  EXPECT_EQ(caller.why_not(), "it has another cluster key");
}

TEST(node_link_handshake, does_not_believe_a_mirror) {
  node_link_handshake one{true, {"key"}, "a"};
  one.feed(one.begin(wire));
  EXPECT_EQ(one.why_not(), "it has another cluster key");
}

TEST(node_link_handshake, does_not_believe_a_proof_of_another_connection_or_another_hello) {
  EXPECT_EQ(verdict_on(called("caller", wire)), "");
  EXPECT_EQ(verdict_on(called("caller", "another wire")), "it has another cluster key");
  auto said = called("caller");
  said.back() = 's';
  EXPECT_EQ(verdict_on(said), "it has another cluster key");
}

TEST(node_link_handshake, knows_a_stranger_by_its_first_bytes) {
  EXPECT_EQ(verdict_on("G"), "it is no node");
  EXPECT_EQ(verdict_on("no never\n"), "it is no node");
  EXPECT_EQ(verdict_on("troupe-nodes"), "it is no node");
  EXPECT_EQ(verdict_on("troupe-node 1"), "it speaks another version");
  EXPECT_EQ(verdict_on("troupe-node 20 "), "it speaks another version");
  EXPECT_EQ(verdict_on("troupe-node 2 \n"), "it is no node");
  EXPECT_EQ(verdict_on("troupe-node 2 " + zeros + "\n"), "it is no node");
  EXPECT_EQ(verdict_on("troupe-node 2 " + zeros + " \n"), "it is no node");
  EXPECT_EQ(verdict_on("troupe-node 2 " + zeros + "x1\n"), "it is no node");
  EXPECT_EQ(verdict_on("troupe-node 2 " + zeros + " -1\n"), "it is no node");
  EXPECT_EQ(verdict_on(called("a") + "what\n"), "it is no node");
  EXPECT_EQ(verdict_on(called("a") + "no never\n"), "never");
  EXPECT_EQ(verdict_on(called("a") + "no \n"), "it refuses the link");
}

TEST(node_link_handshake, hears_of_who_was_called_why_not_before_its_hello_or_after) {
  EXPECT_EQ(verdict_on_called("no"), "");
  EXPECT_EQ(verdict_on_called("no never\n"), "never");
  EXPECT_EQ(verdict_on_called("not\n"), "it is no node");
  EXPECT_EQ(verdict_on_called(answered("b") + "no never\n"), "never");
  EXPECT_EQ(verdict_on_called("troupe-node 1 "), "it speaks another version");
}

// Version 1 identifies other versions by these bytes.
TEST(node_link_handshake, tells_a_caller_of_another_version_its_own) {
  node_link_handshake one{false, {"key"}, "us"};
  one.begin(wire);
  EXPECT_EQ(one.feed("troupe-node 1 " + zeros + " 1\na"), "troupe-node 2 \n");
  EXPECT_EQ(one.why_not(), "it speaks another version");
}

TEST(node_link_handshake, keeps_no_more_than_a_hello_and_a_line) {
  EXPECT_EQ(verdict_on("troupe-node 2 " + std::string(50, 'a')), "");
  EXPECT_EQ(verdict_on("troupe-node 2 " + std::string(51, 'a')), "it is no node");
  for (std::size_t size : {4095, 4096})
    EXPECT_EQ(verdict_on(called(std::string(size, 'x'))), "");
  EXPECT_EQ(verdict_on(greeting_of(4097)), "its hello is too long");
  EXPECT_EQ(verdict_on(called("x") + std::string(203, 'x')), "");
  EXPECT_EQ(verdict_on(called("x") + std::string(204, 'x')), "it is no node");
  EXPECT_EQ(node_link_handshake::refusal(std::string(300, 'x') + "\n").size(), 204u);
}

} // namespace troupe::tests::node_link_handshake_test
