#include "protocol/options/cluster_rules.hpp"

#include <gtest/gtest.h>

namespace troupe::tests::cluster_rules_test {

using namespace protocol;

namespace {

using lines = std::vector<std::string>;

/// Valid options of a node, which a test then changes.
struct options {
  std::string name = "a";
  std::string host = "127.0.0.1";
  std::uint16_t port = 7946;
  std::string advertise;
  std::vector<std::string> join;
  std::string key = std::string(shortest_cluster_key, 'k');
  std::string key_file;
  std::string certificate, private_key, ca_file;
  bool plain = false;
  std::chrono::milliseconds heartbeat = std::chrono::seconds{5};
  std::string store;
  std::string store_ca_file;
  std::size_t restores_per_second = 50;
};

/// The errors after this change, one per line.
template <class Change>
lines faults_after(Change change) {
  options of;
  change(of);
  lines result;
  for (const auto& fault : problems_of(view_of(of)))
    result.push_back(std::string(cluster_member_names[static_cast<std::size_t>(fault.option)]) + ' ' + fault.text);
  return result;
}

const lines open_listening = {
    "host is beyond this machine, and nodes have no certificates: whoever learns the key and reaches "
    "this address controls the gateway: give `certificate`, `private_key` and `ca_file`, or `plain`"};

} // namespace

TEST(cluster_rules, find_nothing_wrong_with_a_node_on_this_machine) {
  EXPECT_EQ(faults_after([](options&) {}), lines{});
  EXPECT_EQ(faults_after([](options& of) {
              of.host = "::1";
              of.join = {"127.0.0.1:7946", "node-2:7946", "[::1]:7947"};
              of.store = "redis://:secret@store:6379/1";
            }),
            lines{});
}

TEST(cluster_rules, want_a_name_of_64_characters_at_most) {
  EXPECT_EQ(faults_after([](options& of) { of.name.clear(); }),
            lines{"name is missing: each node of a cluster has a name of its own"});
  for (const std::string good : {"a", "troupe-0", "A.b_c-9"})
    EXPECT_TRUE(is_node_name(good)) << good;
  for (const std::string bad : {"", "a b", "a/b", "a:b", "é", "a\n", "a,b"})
    EXPECT_FALSE(is_node_name(bad)) << bad;
  EXPECT_TRUE(is_node_name(std::string(63, 'a')));
  EXPECT_TRUE(is_node_name(std::string(64, 'a')));
  EXPECT_FALSE(is_node_name(std::string(65, 'a')));
}

TEST(cluster_rules, want_a_key_of_16_to_4096_bytes) {
  auto with = [](std::size_t size) { return faults_after([&](options& of) { of.key.assign(size, 'k'); }); };
  EXPECT_EQ(with(0), lines{"key is missing: the nodes of a cluster have one secret, such as `openssl rand -hex 32`"});
  EXPECT_EQ(with(15), lines{"key must have at least 16 bytes, such as those of `openssl rand -hex 32`"});
  EXPECT_EQ(with(16), lines{});
  EXPECT_EQ(with(17), lines{});
  EXPECT_EQ(with(4095), lines{});
  EXPECT_EQ(with(4096), lines{});
  EXPECT_EQ(with(4097), lines{"key must have at most 4096 bytes"});
}

TEST(cluster_rules, want_a_key_or_its_file) {
  EXPECT_EQ(faults_after([](options& of) {
              of.key.clear();
              of.key_file = "file";
            }),
            lines{});
  EXPECT_EQ(faults_after([](options& of) { of.key += "\nshort"; }),
            lines{"key has a key a line, and line 2 must have at least 16 bytes, such as those of `openssl rand -hex "
                  "32`"});
}

TEST(cluster_rules, want_all_of_tls_or_nothing_of_it) {
  const std::string all = " is missing: TLS takes `certificate`, `private_key` and `ca_file`";
  EXPECT_EQ(faults_after([](options& of) { of.certificate = of.private_key = of.ca_file = "x"; }), lines{});
  EXPECT_EQ(faults_after([](options& of) { of.certificate = "x"; }), (lines{"private_key" + all, "ca_file" + all}));
  EXPECT_EQ(faults_after([](options& of) { of.private_key = of.ca_file = "x"; }), (lines{"certificate" + all}));
}

TEST(cluster_rules, refuse_to_be_open_beyond_this_machine) {
  EXPECT_EQ(faults_after([](options& of) { of.host = "10.0.0.1"; }), open_listening);
  EXPECT_EQ(faults_after([](options& of) { of.host = "127.0.0.1.example.org"; }), open_listening);
  EXPECT_EQ(faults_after([](options& of) { of.advertise = "node-1:7946"; }),
            lines{"advertise" + open_listening.front().substr(4)});
  EXPECT_EQ(faults_after([](options& of) { of.advertise = "localhost:7946"; }), lines{});
}

TEST(cluster_rules, let_it_speak_beyond_this_machine_by_tls_or_when_told_to) {
  EXPECT_EQ(faults_after([](options& of) {
              of.host = "10.0.0.1";
              of.plain = true;
            }),
            lines{});
  EXPECT_EQ(faults_after([](options& of) {
              of.host = "10.0.0.1";
              of.certificate = of.private_key = of.ca_file = "x";
            }),
            lines{});
}

TEST(cluster_rules, want_to_know_where_a_node_is_reached_that_listens_everywhere) {
  for (const auto* host : {"0.0.0.0", "::"}) {
    auto everywhere = [=](options& of) {
      of.host = host;
      of.plain = true;
    };
    EXPECT_EQ(faults_after(everywhere),
              lines{"host is every address of this machine: say with `advertise` where others "
                    "reach it"});
    EXPECT_EQ(faults_after([&](options& of) {
                everywhere(of);
                of.advertise = "10.0.0.1:7946";
              }),
              lines{});
  }
}

TEST(cluster_rules, want_addresses_that_lead_somewhere) {
  const std::string form = " must be " + std::string(host_port_form);
  const std::string nowhere = " must be where others reach a node: neither port 0 nor every address";
  EXPECT_EQ(faults_after([](options& of) {
              of.host = "a b";
              of.plain = true;
            }),
            lines{"host must be an address or a name"});
  EXPECT_EQ(faults_after([](options& of) { of.advertise = "node"; }), lines{"advertise" + form});
  EXPECT_EQ(faults_after([](options& of) {
              of.join = {"a:1", "b", "c:0", "[::]:1"};
            }),
            (lines{"join" + form, "join" + nowhere, "join" + nowhere}));
}

TEST(cluster_rules, want_a_heartbeat_of_a_fifth_of_a_second_to_five_minutes) {
  auto with = [](int milliseconds) {
    return faults_after([=](options& of) { of.heartbeat = std::chrono::milliseconds{milliseconds}; });
  };
  const lines refused = {"heartbeat must be 0.2 to 300 seconds"};
  EXPECT_EQ(with(199), refused);
  EXPECT_EQ(with(200), lines{});
  EXPECT_EQ(with(201), lines{});
  EXPECT_EQ(with(299'999), lines{});
  EXPECT_EQ(with(300'000), lines{});
  EXPECT_EQ(with(300'001), refused);
}

TEST(cluster_rules, want_a_store_of_redis) {
  auto with = [](const char* url) { return faults_after([&](options& of) { of.store = url; }); };
  const std::string must = "store must be redis://[[USER]:PASSWORD@]HOST[:PORT][/DATABASE], or rediss://: the URL has ";
  EXPECT_EQ(with("redis://:pw@h:1/0"), lines{});
  EXPECT_EQ(with("rediss://user:pw@h"), lines{});
  EXPECT_EQ(with("redis://user@h"), lines{must + "a user without a password"});
  EXPECT_EQ(with("redis://:a%zz@h"), lines{must + "a character in its user or password that must be escaped"});
}

TEST(cluster_rules, want_certificates_of_a_store_for_tls_alone) {
  auto with = [](const char* url) {
    return faults_after([&](options& of) {
      of.store = url;
      of.store_ca_file = "ca.pem";
    });
  };
  const lines refused{"store_ca_file is for TLS: `store` must begin with rediss://"};
  EXPECT_EQ(with("rediss://h"), lines{});
  EXPECT_EQ(with("redis://h"), refused);
  EXPECT_EQ(with(""), refused);
}

TEST(cluster_rules, never_repeat_a_value) {
  for (const auto& line : faults_after([](options& of) {
         of.name = of.advertise = of.store = "s3cret value";
         of.key = "s3cret value";
         of.join = {"s3cret value"};
       }))
    EXPECT_EQ(line.find("s3cret"), std::string::npos) << line;
}

TEST(cluster_rules, speak_the_words_of_whoever_asks) {
  options of;
  of.ca_file = "x";
  cluster_option_names names = cluster_member_names;
  names[static_cast<std::size_t>(cluster_option::certificate)] = "--cert";
  EXPECT_EQ(
      problems_of(view_of(of), names).front(),
      (cluster_problem{cluster_option::certificate, "is missing: TLS takes `--cert`, `private_key` and `ca_file`"}));
}

} // namespace troupe::tests::cluster_rules_test
