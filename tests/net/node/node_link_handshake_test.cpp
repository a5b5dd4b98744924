#include "net/node/node_link_handshake.hpp"

#include <gtest/gtest.h>

using namespace troupe::net;

namespace {

const std::string nonce(32, 'a');

std::string greeting_of(std::size_t size) { return "troupe-node 1 " + nonce + " " + std::to_string(size) + "\n"; }

/// What is said of a peer that says this.
std::string verdict_on(const std::string& said) {
  node_link_handshake one{false, "key", "us"};
  one.feed(said);
  return one.why_not();
}

/// Two sides that say everything to each other, byte by byte.
void converse(node_link_handshake& a, node_link_handshake& b) {
  auto to_b = a.greeting();
  auto to_a = b.greeting();
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
  node_link_handshake a{true, "key", "I am a"};
  node_link_handshake b{false, "key", ""};
  converse(a, b);
  EXPECT_TRUE(a.is_proven() && b.is_proven());
  EXPECT_EQ(a.hello(), "");
  EXPECT_EQ(b.hello(), "I am a");
  EXPECT_FALSE(a.is_welcome());
  a.feed("ok\nbytes");
  EXPECT_TRUE(a.is_welcome());
  EXPECT_EQ(a.take_rest(), "bytes");
  b.feed("no because\n");
  EXPECT_TRUE(b.is_refused());
  EXPECT_EQ(b.why_not(), "because");
}

TEST(node_link_handshake, does_not_believe_who_has_another_key) {
  node_link_handshake a{true, "key", "a"};
  node_link_handshake b{false, "another", "b"};
  converse(a, b);
  EXPECT_FALSE(a.is_proven() || b.is_proven());
  EXPECT_EQ(a.why_not(), "it has another cluster key");
  EXPECT_EQ(b.why_not(), "it has another cluster key");
}

TEST(node_link_handshake, does_not_believe_a_mirror) {
  node_link_handshake a{false, "key", "a"};
  a.feed(a.greeting());
  EXPECT_EQ(a.why_not(), "it says what we say");
  node_link_handshake b{false, "key", "b"};
  auto proof = b.feed(greeting_of(1) + "b");
  EXPECT_TRUE(proof.starts_with("proof ")) << proof;
  b.feed(proof);
  EXPECT_EQ(b.why_not(), "it has another cluster key");
}

TEST(node_link_handshake, does_not_believe_a_proof_that_was_good_before) {
  node_link_handshake caller{true, "key", "caller"};
  node_link_handshake first{false, "key", "called"};
  node_link_handshake second{false, "key", "called"};
  auto proof = caller.feed(first.greeting());
  first.feed(caller.greeting() + proof);
  EXPECT_TRUE(first.is_proven());
  second.feed(caller.greeting() + proof);
  EXPECT_EQ(second.why_not(), "it has another cluster key");
}

TEST(node_link_handshake, knows_a_stranger_by_its_first_bytes) {
  EXPECT_EQ(verdict_on("G"), "it is no node");
  EXPECT_EQ(verdict_on("troupe-nodes"), "it is no node");
  EXPECT_EQ(verdict_on("troupe-node 2"), "it speaks another version");
  EXPECT_EQ(verdict_on("troupe-node 10 "), "it speaks another version");
  EXPECT_EQ(verdict_on("\x16\x03"), "it speaks TLS");
  EXPECT_EQ(verdict_on("troupe-node 1 \n"), "it is no node");
  EXPECT_EQ(verdict_on("troupe-node 1 " + nonce + "\n"), "it is no node");
  EXPECT_EQ(verdict_on("troupe-node 1 " + nonce + " \n"), "it is no node");
  EXPECT_EQ(verdict_on("troupe-node 1 " + nonce + "x1\n"), "it is no node");
  EXPECT_EQ(verdict_on("troupe-node 1 " + std::string(32, 'G') + " 1\n"), "it is no node");
  EXPECT_EQ(verdict_on("troupe-node 1 " + nonce + " -1\n"), "it is no node");
  EXPECT_EQ(verdict_on(greeting_of(1) + "xwhat\n"), "it is no node");
  EXPECT_EQ(verdict_on(greeting_of(1) + "xno never\n"), "never");
  EXPECT_EQ(verdict_on(greeting_of(1) + "xno \n"), "it refuses the link");
}

TEST(node_link_handshake, keeps_no_more_than_a_hello_and_a_line) {
  EXPECT_EQ(verdict_on("troupe-node 1 " + std::string(50, 'a')), "");
  EXPECT_EQ(verdict_on("troupe-node 1 " + std::string(51, 'a')), "it is no node");
  for (std::size_t size : {4095, 4096})
    EXPECT_EQ(verdict_on(greeting_of(size) + std::string(size, 'x')), "");
  EXPECT_EQ(verdict_on(greeting_of(4097)), "its hello is too long");
  EXPECT_EQ(verdict_on(greeting_of(1) + "x" + std::string(203, 'x')), "");
  EXPECT_EQ(verdict_on(greeting_of(1) + "x" + std::string(204, 'x')), "it is no node");
  EXPECT_EQ(node_link_handshake::refusal(std::string(300, 'x') + "\n").size(), 204u);
}
