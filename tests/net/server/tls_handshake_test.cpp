// TLS handshakes: negotiated parameters, accepted clients, and the server's certificate.

#include "tests/net/server/tls_test.hpp"

namespace troupe::tests::tls_handshake_test {

using namespace net;
using namespace std::chrono_literals;

namespace {

class tls_handshake_test : public tls_site_test {
protected:
  using session = std::unique_ptr<SSL_SESSION, decltype(&SSL_SESSION_free)>;
  /// The TLS session of a client that was served, because tickets of TLS 1.3 follow the handshake.
  static session session_of_another(test_listener& at, const tls_offer& offer) {
    tls_client client{at.port(), offer};
    client.send(get_text("/"));
    client.read_answer();
    client.send_close_notify();
    return {SSL_get1_session(client.tls()), SSL_SESSION_free};
  }
  std::string why_no_server(const server_tls_files& of) {
    try {
      server_tls one{of};
      return "";
    } catch (const std::runtime_error& error) {
      std::string text = error.what();
      for (auto at = text.find(path("")); at != text.npos; at = text.find(path("")))
        text.erase(at, path("").size());
      return text;
    }
  }
};

void tell_certificate(exchange& one) { one.respond(text_answer(std::string{one.request().certificate})); }

/// The error of a client whose certificate is from an authority of the same name with another key.
const std::string foreign = "tlsv1 alert decrypt error";

const connection_limits hasty = limits_with([](auto& x) { x.first_request = 100ms; });

} // namespace

// -- agreement ---------------------------------------------------------------------------

TEST_F(tls_handshake_test, agrees_on_TLS_1_2_and_1_3) {
  auto at = secure({}, tell_certificate);
  for (auto version : {TLS1_2_VERSION, TLS1_3_VERSION}) {
    tls_client client{at.port(), {.oldest = version, .newest = version}};
    client.send(get_text("/"));
    EXPECT_EQ(client.read_answer().status, 200);
    EXPECT_EQ(client.version(), version == TLS1_2_VERSION ? "TLSv1.2" : "TLSv1.3");
  }
}

TEST_F(tls_handshake_test, refuses_older_versions) {
  auto at = secure();
  for (auto version : {TLS1_VERSION, TLS1_1_VERSION}) {
    tls_client client{at.port(), {.oldest = version, .newest = version}};
    EXPECT_FALSE(client.is_open());
    EXPECT_EQ(client.why_not(), SSL_R_TLSV1_ALERT_PROTOCOL_VERSION);
  }
}

TEST_F(tls_handshake_test, agrees_on_HTTP_1_1) { // RFC 7301, 3.2
  auto at = secure({}, tell_certificate);
  EXPECT_EQ((tls_client{at.port(), {.protocols = {"h2", "http/1.1"}}}.protocol()), "http/1.1");
  EXPECT_EQ((tls_client{at.port(), {.protocols = {"http/1.1"}}}.protocol()), "http/1.1");
  tls_client silent{at.port()};
  EXPECT_EQ(silent.protocol(), "");
  silent.send(get_text("/"));
  EXPECT_EQ(silent.read_answer().status, 200);
}

TEST_F(tls_handshake_test, refuses_a_client_that_only_speaks_other_protocols) { // RFC 7301, 3.2
  auto at = secure();
  tls_client client{at.port(), {.protocols = {"h2"}}};
  EXPECT_FALSE(client.is_open());
  EXPECT_EQ(client.why_not(), SSL_R_TLSV1_ALERT_NO_APPLICATION_PROTOCOL);
}

TEST_F(tls_handshake_test, does_not_begin_again) {
  auto at = secure({}, tell_certificate);
  tls_client client{at.port(), {.newest = TLS1_2_VERSION}};
  SSL_renegotiate(client.tls());
  EXPECT_FALSE(client.send(get_text("/")) && client.read_answer().status == 200);
  tls_client other{at.port()};
  other.send(get_text("/"));
  EXPECT_EQ(other.read_answer().status, 200);
}

// -- invalid handshakes ------------------------------------------------------------------

TEST_F(tls_handshake_test, closes_on_a_client_that_does_not_begin_in_time) {
  auto at = secure(hasty);
  tcp_client silent{at.port()}, half{at.port()};
  half.send(std::string_view{"\x16\x03\x01\x02", 4});
  EXPECT_TRUE(silent.sees_the_end());
  EXPECT_TRUE(half.sees_the_end());
  // On a busy machine the timeout may expire before the handshake is complete.
  EXPECT_TRUE(eventually([&] { return tls_client{at.port()}.gets_close_notify(); }));
}

TEST_F(tls_handshake_test, closes_on_what_is_no_TLS_and_disturbs_nobody) {
  auto at = secure({}, tell_certificate);
  tls_client other{at.port()};
  for (const auto& garbage : {get_text("/"), std::string(100'000, 'x'), std::string(100, '\0')}) {
    tcp_client client{at.port()};
    client.send(garbage);
    client.read_to_end(); // there may be an alert
    EXPECT_TRUE(client.sees_the_end());
    EXPECT_FALSE(client.was_reset());
    other.send(get_text("/"));
    EXPECT_EQ(other.read_answer().status, 200);
  }
  EXPECT_EQ(at.seen.all(), (lines{"GET /", "GET /", "GET /"}));
  EXPECT_EQ(at.totals.refusals->of(refusal::handshake), 3U);
}

TEST_F(tls_handshake_test, notices_a_client_that_leaves_before_it_is_done) {
  auto at = secure();
  tcp_client client{at.port()}, other{at.port()};
  EXPECT_TRUE(eventually([&] { return at.totals.count->now() == 2; }));
  client.leave();
  other.reset();
  EXPECT_TRUE(eventually([&] { return at.totals.count->now() == 0; }));
}

TEST_F(tls_handshake_test, is_not_made_for_a_client_that_is_turned_away) {
  auto one_each = std::make_shared<connections_by_address>(1, [](const std::string& from) { return from; });
  auto at = secure({}, tell_certificate, 1, one_each);
  tls_client first{at.port()};
  tls_client second{at.port()};
  EXPECT_FALSE(second.is_open());
  first.send(get_text("/"));
  EXPECT_EQ(first.read_answer().status, 200);
}

// -- certificates of clients -------------------------------------------------------------

TEST_F(tls_handshake_test, tells_whom_the_certificate_of_the_client_names) {
  auto at = secure_with(mutual(true), {}, tell_certificate);
  for (auto newest : {TLS1_2_VERSION, TLS1_3_VERSION}) {
    auto seen = [&](const std::string& subject) {
      return name_seen(at, {.newest = newest, .who = clients.sign({.subject = subject, .uses = "clientAuth"})});
    };
    EXPECT_EQ(seen("DNS:agent.example"), "<agent.example>");
    EXPECT_EQ(seen("IP:127.0.0.1, URI:spiffe://here/agent, DNS:late"), "<spiffe://here/agent>");
    EXPECT_EQ(seen("email:agent@example.org"), "<agent@example.org>");
    EXPECT_EQ(seen("IP:127.0.0.1"), "<server>") << "the common name";
  }
}

TEST_F(tls_handshake_test, tells_it_with_each_request) {
  auto at = secure_with(mutual(true), {}, tell_certificate);
  tls_client client{at.port(), {.who = clients.sign({.subject = "DNS:friend"})}};
  for (auto i = 0; i < 3; ++i) {
    client.send(get_text("/"));
    EXPECT_EQ(client.read_answer().body, "friend");
  }
}

TEST_F(tls_handshake_test, refuses_clients_without_a_good_certificate) {
  auto at = secure_with(mutual(true), {}, tell_certificate);
  auto seen = [&](const identity& who) { return name_seen(at, {.who = who}); };
  EXPECT_EQ(seen({}), "tlsv13 alert certificate required");
  EXPECT_EQ(seen(authority.sign()), foreign);
  EXPECT_EQ(seen(certificate_authority::self_signed()), "tlsv1 alert unknown ca");
  EXPECT_EQ(seen(clients.sign({.from = -7200, .to = -3600})), "sslv3 alert certificate expired");
  EXPECT_EQ(seen(clients.sign({.from = 3600, .to = 7200})), "sslv3 alert bad certificate");
  EXPECT_EQ(seen(clients.sign({.uses = "serverAuth"})), "sslv3 alert unsupported certificate");
  EXPECT_EQ(at.seen.all(), lines{});
}

TEST_F(tls_handshake_test, may_do_without_a_certificate_but_not_with_a_bad_one) {
  auto at = secure_with(mutual(false), {}, tell_certificate);
  EXPECT_EQ(name_seen(at, {}), "<>");
  EXPECT_EQ(name_seen(at, {.who = clients.sign({.subject = "DNS:friend"})}), "<friend>");
  EXPECT_EQ(name_seen(at, {.who = authority.sign()}), foreign);
  EXPECT_EQ(name_seen(at, {.who = clients.sign({.from = -7200, .to = -3600})}), "sslv3 alert certificate expired");
}

TEST_F(tls_handshake_test, asks_for_no_certificate_when_there_is_no_authority_of_clients) {
  auto at = secure({}, tell_certificate);
  EXPECT_EQ(name_seen(at, {.who = clients.sign()}), "<>");
}

TEST_F(tls_handshake_test, is_shorter_for_a_client_that_comes_again) {
  auto at = secure({}, tell_certificate);
  for (auto newest : {TLS1_2_VERSION, TLS1_3_VERSION}) {
    const auto session = session_of_another(at, {.newest = newest});
    tls_client again{at.port(), {.newest = newest, .session = session.get()}};
    EXPECT_EQ(SSL_session_reused(again.tls()), 1);
    again.send(get_text("/"));
    EXPECT_EQ(again.read_answer().status, 200);
  }
}

TEST_F(tls_handshake_test, is_a_whole_one_each_time_for_clients_with_certificates) {
  auto at = secure_with(mutual(true), {}, tell_certificate);
  const auto who = clients.sign({.subject = "DNS:friend"});
  for (auto newest : {TLS1_2_VERSION, TLS1_3_VERSION}) {
    const auto session = session_of_another(at, {.newest = newest, .who = who});
    tls_client again{at.port(), {.newest = newest, .who = who, .session = session.get()}};
    EXPECT_EQ(SSL_session_reused(again.tls()), 0);
    again.send(get_text("/"));
    EXPECT_EQ(again.read_answer().body, "friend");
  }
}

// -- the certificate that is shown -------------------------------------------------------

TEST_F(tls_handshake_test, shows_a_new_certificate_to_new_clients_and_goes_on_with_others) {
  auto at = secure({}, tell_certificate);
  tls_client old{at.port()};
  put(authority.sign());
  tls_client fresh{at.port()};
  EXPECT_GT(fresh.shown(), old.shown());
  for (auto* one : {&old, &fresh}) {
    one->send(get_text("/"));
    EXPECT_EQ(one->read_answer().status, 200);
  }
  EXPECT_EQ(told.all(), lines{""});
}

TEST_F(tls_handshake_test, shows_the_old_certificate_when_the_new_one_cannot_be_used) {
  auto at = secure({}, tell_certificate);
  const auto before = tls_client{at.port()}.shown();
  std::filesystem::copy_file(path("key"), path("good key"));
  save(authority.sign(), path("other"), path("key"));
  for (auto i = 0; i < 3; ++i)
    EXPECT_EQ(tls_client{at.port()}.shown(), before);
  EXPECT_EQ(told.all(), lines{"the private key in '" + path("key") + "' is not that of the certificate in '" +
                              path("certificate") + "'"});
  std::filesystem::remove(path("certificate"));
  for (auto i = 0; i < 3; ++i)
    EXPECT_EQ(tls_client{at.port()}.shown(), before);
  EXPECT_EQ(told.all().size(), 2u);
  EXPECT_EQ(told.all().back(), "cannot read '" + path("certificate") + "': No such file or directory");
  put(authority.sign());
  EXPECT_GT(tls_client{at.port()}.shown(), before);
  EXPECT_EQ(told.all().size(), 3u);
  EXPECT_EQ(told.all().back(), "");
}

TEST_F(tls_handshake_test, believes_the_authority_that_is_there_now) {
  auto trusted = mutual(true);
  trusted.client_ca = path("authorities");
  std::filesystem::copy_file(clients.file_name(), trusted.client_ca);
  auto at = secure_with(trusted, {}, tell_certificate);
  const auto friendly = clients.sign({.subject = "DNS:friend"}), other = authority.sign({.subject = "DNS:other"});
  EXPECT_EQ(name_seen(at, {.who = friendly}), "<friend>");
  std::filesystem::rename(authority.file_name(), trusted.client_ca);
  EXPECT_EQ(name_seen(at, {.who = friendly}), foreign);
  EXPECT_EQ(name_seen(at, {.who = other}), "<other>");
}

TEST_F(tls_handshake_test, looks_after_its_files_now_and_then) {
  server_tls one{files(), [this](auto& why_not) { told.note(why_not); }, 1h};
  const auto now = io_thread::clock::now();
  put(authority.sign());
  one.has_news(now + 59min);
  EXPECT_EQ(told.all(), lines{});
  one.has_news(now + 61min);
  EXPECT_EQ(told.all(), lines{""});
  put(authority.sign());
  one.has_news(now + 119min);
  EXPECT_EQ(told.all(), lines{""});
  one.has_news(now + 122min);
  EXPECT_EQ(told.all(), (lines{"", ""}));
}

TEST_F(tls_handshake_test, knows_when_the_certificate_expires) {
  server_tls one{files(), {}, 0ms};
  const auto in = [&] {
    return one.expires() - std::chrono::time_point_cast<std::chrono::seconds>(std::chrono::system_clock::now());
  };
  EXPECT_LE(std::chrono::abs(in() - 1h), 60s);
  put(authority.sign({.to = 7200}));
  one.has_news(io_thread::clock::now() + 1s);
  EXPECT_LE(std::chrono::abs(in() - 2h), 60s);
}

TEST_F(tls_handshake_test, cannot_be_made_with_files_that_cannot_be_used) {
  EXPECT_EQ(why_no_server(files()), "");
  auto other = files();
  other.certificate = path("none");
  EXPECT_EQ(why_no_server(other), "cannot read 'none': No such file or directory");
  other.certificate = path("key");
  EXPECT_EQ(why_no_server(other), "cannot use the certificate in 'key': no start line");
  other = files();
  other.private_key = path("certificate");
  EXPECT_EQ(why_no_server(other), "cannot use the private key in 'certificate': unsupported");
  save(certificate_authority::self_signed(), path("other certificate"), path("other key"));
  other.private_key = path("other key");
  EXPECT_EQ(why_no_server(other), "the private key in 'other key' is not that of the certificate in 'certificate'");
  other = mutual(true);
  other.client_ca = path("key");
  EXPECT_EQ(why_no_server(other), "cannot use the client authority in 'key': no start line");
  other = mutual(true);
  other.client_crl = path("certificate");
  EXPECT_EQ(why_no_server(other), "cannot use the list of revoked certificates in 'certificate': no start line");
}

} // namespace troupe::tests::tls_handshake_test
