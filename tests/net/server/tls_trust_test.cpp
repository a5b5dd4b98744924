// Trust in clients of established connections when certificates expire, are revoked, or lose their authority.

#include "tests/net/server/tls_test.hpp"

#include <fstream>
#include <iterator>
#include <thread>

namespace troupe::tests::tls_trust_test {

using namespace net;

namespace {

class tls_trust_test : public tls_site_test {
protected:
  /// Whether the connection ends, possibly after other data.
  static bool is_cut_off(tls_client& client) {
    client.tcp().read_to_end();
    return client.tcp().sees_the_end();
  }
};

/// Streams, or answers with the name and whether its validity has an end.
void stream_or_tell(exchange& one) {
  if (one.request().target == "/stream")
    return one.begin_events({});
  one.respond(text_answer(std::string{one.request().certificate} + (one.request().certificate_until ? " 1" : " 0")));
}

} // namespace

TEST_F(tls_trust_test, ends_connections_and_streams_with_the_certificate_of_their_client) {
  auto at = secure_with(mutual(true), {}, stream_or_tell);
  const auto brief = clients.sign({.subject = "DNS:brief", .to = 2}), steady = clients.sign();
  tls_client idle{at.port(), {.who = brief}}, listener{at.port(), {.who = brief}}, other{at.port(), {.who = steady}};
  idle.send(get_text("/"));
  EXPECT_EQ(idle.read_answer().body, "brief 1");
  listener.send(get_text("/stream"));
  EXPECT_EQ(listener.read_answer().status, 200);
  EXPECT_TRUE(idle.gets_close_notify());
  EXPECT_TRUE(is_cut_off(listener));
  other.send(get_text("/"));
  EXPECT_EQ(other.read_answer().body, "localhost 1");
}

TEST_F(tls_trust_test, judges_connections_again_when_their_authority_is_not_believed_any_more) {
  auto trusted = mutual(true);
  trusted.client_ca = path("authorities");
  std::filesystem::copy_file(clients.file_name(), trusted.client_ca);
  auto at = secure_with(trusted, {}, stream_or_tell, 2);
  std::vector<std::unique_ptr<tls_client>> there;
  for (auto target : {"/", "/", "/stream", "/stream"}) {
    there.push_back(std::make_unique<tls_client>(at.port(), tls_offer{.who = clients.sign()}));
    there.back()->send(get_text(target));
    EXPECT_EQ(there.back()->read_answer().status, 200);
  }
  std::filesystem::rename(authority.file_name(), trusted.client_ca);
  for (auto& one : there)
    EXPECT_TRUE(is_cut_off(*one)) << "though nobody connects";
}

TEST_F(tls_trust_test, goes_on_with_those_who_are_believed_by_new_files_too) {
  auto at = secure_with(mutual(true), {}, stream_or_tell);
  tls_client client{at.port(), {.who = clients.sign()}}, asks_later{at.port(), {.who = clients.sign()}};
  client.send(get_text("/"));
  client.read_answer();
  put(authority.sign());
  while (told.all().empty()) // the reload needs no new connection
    std::this_thread::yield();
  for (auto* one : {&client, &asks_later}) {
    one->send(get_text("/"));
    EXPECT_EQ(one->read_answer().body, "localhost 1");
  }
}

TEST_F(tls_trust_test, refuses_certificates_that_are_revoked) {
  auto with = mutual(true);
  with.client_crl = path("revoked");
  const auto friendly = clients.sign({.subject = "DNS:friend"}), lost = clients.sign({.subject = "DNS:lost"});
  clients.revoke({clients.sign()}, with.client_crl);
  auto at = secure_with(with, {}, stream_or_tell);
  tls_client idle{at.port(), {.who = lost}}, listener{at.port(), {.who = lost}}, other{at.port(), {.who = friendly}};
  listener.send(get_text("/stream"));
  EXPECT_EQ(listener.read_answer().status, 200);
  for (auto* one : {&idle, &other}) {
    one->send(get_text("/"));
    EXPECT_EQ(one->read_answer().status, 200);
  }
  clients.revoke({lost}, with.client_crl);
  EXPECT_TRUE(idle.gets_close_notify());
  EXPECT_TRUE(is_cut_off(listener));
  EXPECT_EQ(name_seen(at, {.who = lost}), "sslv3 alert certificate revoked");
  EXPECT_EQ(name_seen(at, {.who = friendly}), "<friend 1>");
  other.send(get_text("/"));
  EXPECT_EQ(other.read_answer().body, "friend 1");
}

TEST_F(tls_trust_test, believes_nobody_whose_authority_has_no_list_of_today) {
  auto with = mutual(true);
  with.client_crl = path("revoked");
  clients.revoke({}, with.client_crl, -60);
  auto at = secure_with(with, {}, stream_or_tell);
  EXPECT_EQ(name_seen(at, {.who = clients.sign()}), "sslv3 alert certificate expired");
  authority.revoke({}, with.client_crl);
  EXPECT_NE(name_seen(at, {.who = clients.sign()}), "<localhost 1>");
  clients.revoke({}, with.client_crl);
  EXPECT_EQ(name_seen(at, {.who = clients.sign()}), "<localhost 1>");
}

TEST_F(tls_trust_test, tells_once_that_a_list_of_revoked_certificates_has_expired) {
  auto with = mutual(true);
  with.client_crl = path("revoked");
  clients.revoke({}, with.client_crl, -60);
  lines expired;
  server_tls one{with, {}, std::chrono::milliseconds{0}, [&](const std::string& file) { expired.push_back(file); }};
  EXPECT_LT(one.revocations_expire(), std::chrono::system_clock::now());
  for (int i = 0; i < 3; ++i)
    one.has_news(io_thread::clock::now());
  EXPECT_EQ(expired, lines{with.client_crl});
  clients.revoke({}, with.client_crl);
  one.has_news(io_thread::clock::now());
  EXPECT_GT(one.revocations_expire(), std::chrono::system_clock::now());
  EXPECT_EQ(expired.size(), 1U);
  certificate_authority{"another"}.revoke({}, path("old"), -60);
  clients.revoke({}, path("older"), -60);
  const auto put_all = [&](const lines& names) {
    std::string all;
    for (auto& name : names) {
      std::ifstream file{path(name)};
      all.append(std::istreambuf_iterator<char>{file}, {});
    }
    std::ofstream{path("revoked")} << all;
    one.has_news(io_thread::clock::now());
  };
  clients.revoke({}, path("fresh"));
  put_all({"older", "fresh"});
  EXPECT_EQ(expired.size(), 1U) << "the authority has a newer one";
  put_all({"fresh", "old", "older"});
  EXPECT_EQ(expired.size(), 2U) << "another authority's";
}

} // namespace troupe::tests::tls_trust_test
