#include "net/node/node_link.hpp"

#include "tests/support/certificates.hpp"
#include "tests/support/link_node.hpp"

#include <openssl/err.h>

namespace troupe::tests::node_link_tls_test {

using namespace net;

namespace {

/// Nodes with certificates of an authority.
class node_link_tls_test : public tidy_test {
protected:
  /// The options of a node with this certificate and trusted authority.
  node_link_options options(const identity& who, const certificate_authority& trusted) {
    node_link_options result;
    auto number = std::to_string(++files_);
    result.limit = result.silence = patience;
    result.certificate = directory_.path("certificate" + number);
    result.private_key = directory_.path("key" + number);
    result.ca_file = trusted.file_name();
    save(who, result.certificate, result.private_key);
    return result;
  }
  node_link_options options() { return options(authority.sign(), authority); }

  static std::string why_not(const node_link_options& options) {
    try {
      link_node node{"node", options};
      return "";
    } catch (const std::runtime_error& error) {
      return error.what();
    }
  }

  std::string scratch_file(const std::string& name) const { return directory_.path(name); }

  certificate_authority authority;

private:
  scratch directory_;
  int files_ = 0;
};

/// A TLS client that trusts every server, and sends nothing.
class unauthenticated_peer {
public:
  unauthenticated_peer(const std::string& address, const identity& who, int newest = TLS1_3_VERSION) {
    SSL_CTX_set_max_proto_version(context_.get(), newest);
    if (who.key) {
      SSL_CTX_use_certificate(context_.get(), who.certificate.get());
      SSL_CTX_use_PrivateKey(context_.get(), who.key.get());
    }
    wire_.reset(BIO_new_ssl_connect(context_.get()));
    BIO_set_conn_hostname(wire_.get(), address.c_str());
  }

  /// The OpenSSL error of a read; 0 when data was available.
  int fate() {
    ERR_clear_error();
    char byte = 0;
    auto size = BIO_read(wire_.get(), &byte, 1);
    auto why = ERR_GET_REASON(ERR_peek_last_error());
    ERR_clear_error();
    return size > 0 ? 0 : why;
  }

private:
  std::unique_ptr<SSL_CTX, decltype(&SSL_CTX_free)> context_{SSL_CTX_new(TLS_client_method()), SSL_CTX_free};
  std::unique_ptr<BIO, decltype(&BIO_free_all)> wire_{nullptr, BIO_free_all};
};

std::string dialled(link_node& from, const link_node& to) {
  from.dial(to.address());
  return from.seen.wait_for(1).at(0);
}

/// Dials a node, and expects this line in the journal of the caller.
void expect_outcome(link_node& from, const link_node& to, const std::string& line) {
  from.dial(to.address());
  EXPECT_EQ(from.seen.wait_for(line).back(), line);
}

} // namespace

TEST_F(node_link_tls_test, carries_much_both_ways_between_nodes_of_one_authority) {
  link_node a{"a", options()}, b{"b", options()};
  EXPECT_EQ(dialled(a, b), "reached b");
  std::string text(10 * 1024 * 1024, 'x');
  expect_carried_both_ways(a, b, text);
  a.local.leave();
  EXPECT_EQ(b.local.hear(1), "");
  EXPECT_EQ(b.seen.wait_for("closed").back(), "closed");
  EXPECT_EQ(a.seen.wait_for("closed").back(), "closed");
}

TEST_F(node_link_tls_test, wants_the_key_of_the_cluster_too) {
  auto other = options();
  other.keys = {"another key"};
  link_node a{"a", options()}, b{"b", other};
  EXPECT_EQ(dialled(a, b), "failed: it has another cluster key");
}

TEST_F(node_link_tls_test, takes_any_of_its_keys) {
  auto with = [this](std::vector<std::string> keys) {
    auto result = options();
    result.keys = std::move(keys);
    return result;
  };
  link_node before{"before", with({"old", "new"})}, after{"after", with({"new", "old"})}, last{"last", with({"new"})};
  expect_outcome(before, after, "reached after");
  expect_outcome(after, before, "reached before");
  expect_outcome(after, last, "reached last");
  expect_outcome(last, after, "reached after");
  expect_outcome(before, last, "failed: it has another cluster key");
}

// A CA file with two authorities: the new one is added everywhere, certificates are replaced one by one, then the old
// one is removed.
TEST_F(node_link_tls_test, has_its_authority_renewed_without_losing_a_node) {
  certificate_authority renewed{"another authority"};
  const auto both = scratch_file("both.pem");
  std::ofstream{both} << std::ifstream{authority.file_name()}.rdbuf() << std::ifstream{renewed.file_name()}.rdbuf();
  auto with = [&](const certificate_authority& signs, const std::string& trusted) {
    auto result = options(signs.sign(), authority);
    result.ca_file = trusted;
    return result;
  };
  std::vector<std::unique_ptr<link_node>> states;
  for (const auto& one : {with(authority, authority.file_name()), with(authority, both), with(renewed, both),
                          with(renewed, renewed.file_name())})
    states.push_back(std::make_unique<link_node>("state " + std::to_string(states.size()), one));
  for (std::size_t i = 1; i < states.size(); ++i) {
    expect_outcome(*states[i - 1], *states[i], "reached state " + std::to_string(i));
    expect_outcome(*states[i], *states[i - 1], "reached state " + std::to_string(i - 1));
  }
  expect_outcome(*states.front(), *states.back(), "failed: its certificate was not signed by our authority");
}

TEST_F(node_link_tls_test, is_not_offered_to_the_node_of_a_foreign_authority) {
  certificate_authority foreign;
  link_node a{"a", options()}, b{"b", options(foreign.sign(), foreign)};
  EXPECT_EQ(dialled(a, b), "failed: its certificate was not signed by our authority");
  EXPECT_EQ(dialled(b, a), "failed: its certificate was not signed by our authority");
  EXPECT_EQ(a.seen.all().size() + b.seen.all().size(), 2u);
}

TEST_F(node_link_tls_test, is_not_offered_to_who_shows_no_certificate) {
  link_node node{"node", options()};
  unauthenticated_peer nobody{node.address(), {}};
  EXPECT_EQ(nobody.fate(), SSL_R_TLSV13_ALERT_CERTIFICATE_REQUIRED);
  EXPECT_EQ(node.seen.all(), lines{});
}

TEST_F(node_link_tls_test, is_not_offered_to_who_shows_the_certificate_of_a_foreign_authority) {
  link_node node{"node", options()};
  unauthenticated_peer foreign{node.address(), certificate_authority::self_signed()};
  EXPECT_EQ(foreign.fate(), SSL_R_TLSV1_ALERT_UNKNOWN_CA);
  EXPECT_EQ(node.seen.all(), lines{});
}

TEST_F(node_link_tls_test, does_not_speak_tls_before_1_3) {
  link_node node{"node", options()};
  unauthenticated_peer old{node.address(), authority.sign(), TLS1_2_VERSION};
  EXPECT_NE(old.fate(), 0);
  EXPECT_EQ(node.seen.all(), lines{});
}

TEST_F(node_link_tls_test, is_not_offered_between_a_node_in_tls_and_one_without) {
  node_link_options plain;
  plain.limit = patience;
  link_node a{"a", plain}, b{"b", options()};
  EXPECT_EQ(dialled(a, b),
            "failed: it shows a certificate, and we have none: only one of the two has the cluster's `tls`");
  auto why = dialled(b, a);
  EXPECT_TRUE(why.starts_with("failed: cannot speak TLS with it: ")) << why;
}

TEST_F(node_link_tls_test, says_which_of_its_files_it_cannot_use) {
  for (auto what : {&node_link_options::certificate, &node_link_options::private_key, &node_link_options::ca_file})
    for (auto broken : {"/no/such/file", "/dev/null", ""}) {
      auto with = options();
      with.*what = broken;
      auto why = why_not(with);
      EXPECT_TRUE(why.starts_with("cannot use the ") && why.find(broken) != why.npos) << why;
      EXPECT_EQ(why.find('\n'), why.npos);
    }
}

TEST_F(node_link_tls_test, says_which_use_its_certificate_is_not_for) {
  EXPECT_EQ(why_not(options(authority.sign({.uses = "serverAuth, clientAuth"}), authority)), "");
  auto why = why_not(options(authority.sign({.uses = "serverAuth"}), authority));
  EXPECT_NE(why.find("' is not for TLS clients (clientAuth), "), why.npos) << why;
  why = why_not(options(authority.sign({.uses = "clientAuth"}), authority));
  EXPECT_NE(why.find("' is not for TLS servers (serverAuth), "), why.npos) << why;
  EXPECT_EQ(why.find('\n'), why.npos);
}

TEST_F(node_link_tls_test, tells_of_callers_whom_it_turns_away_and_whether_they_may_be_nodes) {
  certificate_authority foreign;
  link_node node{"node", options()}, other{"other", options(foreign.sign(), foreign)};
  tcp_client{node.port()};
  auto why = node.refused_peer_log.wait_for(1).back();
  EXPECT_TRUE(why.starts_with("127.0.0.1 stranger: cannot speak TLS with it: ")) << why;
  tcp_client{node.port()}.send("troupe-node 1 ");
  why = node.refused_peer_log.wait_for(2).back();
  EXPECT_EQ(why, "127.0.0.1 it speaks no TLS: it is no node, or one of an older version of Troupe");
  dialled(other, node);
  why = node.refused_peer_log.wait_for(3).back();
  EXPECT_TRUE(why.starts_with("127.0.0.1 cannot speak TLS with it: tlsv1 alert ")) << why;
  tests::node_link_tls_test::unauthenticated_peer old{node.address(), foreign.sign()};
  old.fate();
  EXPECT_EQ(node.refused_peer_log.wait_for(4).back(), "127.0.0.1 its certificate was not signed by our authority");
}

TEST_F(node_link_tls_test, reads_its_files_again_when_they_have_changed) {
  certificate_authority renewed;
  const auto trusted = scratch_file("trusted.pem");
  const auto overwrite = std::filesystem::copy_options::overwrite_existing;
  std::filesystem::copy_file(authority.file_name(), trusted);
  auto with = options();
  with.ca_file = trusted;
  journal told;
  with.on_new_files = [&](const std::string& why_not) { told.note("told " + why_not); };
  auto later = std::filesystem::file_time_type::clock::now();
  auto touch = [&] {
    later += std::chrono::seconds{1};
    for (const auto& file : {with.certificate, with.private_key, trusted})
      std::filesystem::last_write_time(file, later);
  };
  link_node node{"node", with}, old{"old", options()}, fresh{"fresh", options(renewed.sign(), renewed)};
  EXPECT_EQ(dialled(old, node), "reached node");
  EXPECT_EQ(dialled(fresh, node), "failed: its certificate was not signed by our authority");
  EXPECT_EQ(told.all(), lines{});
  std::ofstream{with.certificate} << "nonsense";
  touch();
  old.dial(node.address());
  EXPECT_EQ(old.seen.wait_for(2).at(1), "reached node");
  EXPECT_TRUE(told.wait_for(1).back().starts_with("told cannot use the certificate in '")) << told.all().back();
  std::filesystem::copy_file(renewed.file_name(), trusted, overwrite);
  save(renewed.sign(), with.certificate, with.private_key);
  touch();
  fresh.dial(node.address());
  EXPECT_EQ(fresh.seen.wait_for(2).at(1), "reached node");
  EXPECT_EQ(told.wait_for(2).back(), "told ");
}

TEST_F(node_link_tls_test, says_that_its_files_do_not_fit_together) {
  auto with = options();
  with.private_key = options().private_key;
  EXPECT_NE(why_not(with).find("private key"), std::string::npos) << why_not(with);
  certificate_authority foreign;
  auto why = why_not(options(foreign.sign(), authority));
  EXPECT_NE(why.find(" do not vouch for that in "), why.npos) << why;
  why = why_not(options(authority.sign({.from = -3600, .to = -60}), authority));
  EXPECT_TRUE(why.ends_with(": certificate has expired")) << why;
}

} // namespace troupe::tests::node_link_tls_test
