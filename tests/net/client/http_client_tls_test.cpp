#include "net/client/http_client.hpp"

#include "net/client_trust.hpp"
#include "tests/support/http_caller.hpp"

#include <filesystem>

namespace troupe::tests::http_client_tls_test {

using namespace net;
using namespace std::chrono_literals;

namespace {

void answer_all(peer& one) {
  for (std::string request; one.shook_hands() && !(request = one.read_request()).empty();)
    one.say(length_answer(request.substr(0, request.find(" HTTP")) + " to " + one.wanted_name()));
}

/// A client that trusts one authority besides the system's.
class http_client_tls_test : public tidy_test {
protected:
  http_client_options trusting(std::string file) const {
    http_client_options result;
    result.trust = std::make_shared<client_trust>(std::move(file));
    return result;
  }
  http_client_options trusting() const { return trusting(authority.file_name()); }

  /// The journal of a client that trusts the authority, for a GET from a server with this certificate.
  lines journal_of(const identity& who, const std::string& host = {}) {
    http_server server{answer_all, who};
    http_caller caller{trusting()};
    return caller.wait_for_end(caller.get(server.url("/", host)));
  }

  certificate_authority authority;
};

} // namespace

TEST_F(http_client_tls_test, speaks_to_a_server_that_it_trusts) {
  http_server server{answer_all, authority.sign()};
  http_caller caller{trusting()};
  caller.wait_for_end(caller.get(server.url("/a", "localhost")));
  caller.wait_for_end(caller.post(server.url("/b", "localhost"), std::string(1'000'000, 'x')));
  EXPECT_EQ(caller.seen.all(),
            (lines{"1 head 200", "1 end GET /a to localhost", "2 head 200", "2 end POST /b to localhost"}));
  EXPECT_EQ(server.accepted(), 1u);
}

TEST_F(http_client_tls_test, knows_servers_by_their_address_too) { // RFC 6066, 3: an address is no server name
  EXPECT_EQ(journal_of(authority.sign()), (lines{"1 head 200", "1 end GET / to "}));
}

TEST_F(http_client_tls_test, does_not_trust_a_server_that_nobody_vouches_for) {
  EXPECT_EQ(journal_of(certificate_authority::self_signed(), "localhost"),
            lines{"1 failed: cannot trust localhost: certificate verify failed: self-signed certificate"});
}

TEST_F(http_client_tls_test, does_not_trust_a_server_that_a_stranger_vouches_for) {
  certificate_authority stranger;
  auto journal_lines = journal_of(stranger.sign(), "localhost");
  EXPECT_TRUE(journal_lines.at(0).starts_with("1 failed: cannot trust localhost: certificate verify failed: "))
      << journal_lines.at(0);
}

TEST_F(http_client_tls_test, does_not_trust_without_a_file_whom_it_trusts_with_it) {
  http_server server{answer_all, authority.sign()};
  http_caller caller;
  auto journal_lines = caller.wait_for_end(caller.get(server.url("/", "localhost")));
  EXPECT_EQ(journal_lines, lines{"1 failed: cannot trust localhost: certificate verify failed: "
                                 "unable to get local issuer certificate"});
}

TEST_F(http_client_tls_test, does_not_trust_a_server_of_another_name) {
  EXPECT_EQ(journal_of(authority.sign({.subject = "DNS:example.com"}), "localhost"),
            lines{"1 failed: cannot trust localhost: certificate verify failed: hostname mismatch"});
  EXPECT_EQ(journal_of(authority.sign({.subject = "IP:127.0.0.2"})),
            lines{"1 failed: cannot trust 127.0.0.1: certificate verify failed: IP address mismatch"});
}

TEST_F(http_client_tls_test, does_not_trust_a_certificate_out_of_its_time) {
  EXPECT_EQ(journal_of(authority.sign({.from = -3600, .to = -60}), "localhost"),
            lines{"1 failed: cannot trust localhost: certificate verify failed: certificate has expired"});
  EXPECT_EQ(journal_of(authority.sign({.from = 600}), "localhost"),
            lines{"1 failed: cannot trust localhost: certificate verify failed: certificate is not yet valid"});
}

TEST_F(http_client_tls_test, does_not_send_a_byte_of_the_request_to_whom_it_does_not_trust) {
  journal handshakes;
  http_server server{[&](peer& one) { handshakes.note(one.read_request()); }, certificate_authority::self_signed()};
  http_caller caller{trusting()};
  caller.post(server.url("/", "localhost"), "secret");
  caller.wait_for_end(1);
  EXPECT_EQ(handshakes.wait_for(1), lines{""});
}

TEST_F(http_client_tls_test, does_not_speak_to_a_server_without_tls) {
  http_server server{[](peer& one) {
    one.say("HTTP/1.1 400 Bad Request\r\n\r\n");
    one.sees_the_end();
  }};
  http_caller caller{trusting()};
  auto journal_lines = caller.wait_for_end(caller.get("https" + server.url().substr(4)));
  EXPECT_TRUE(journal_lines.at(0).starts_with("1 failed: cannot speak TLS with 127.0.0.1: ")) << journal_lines.at(0);
}

TEST_F(http_client_tls_test, says_that_it_cannot_use_its_file) {
  for (auto file : {"/no/such/file", "/dev/null"}) {
    http_server plain{answer_all};
    http_caller caller{trusting(file)};
    for (auto i = 0; i < 2; ++i) {
      auto journal_lines = caller.wait_for_end(caller.get("https://localhost/")).back();
      EXPECT_NE(journal_lines.find("failed: cannot use the certificates in '" + std::string{file} + "': "),
                journal_lines.npos)
          << journal_lines;
    }
    EXPECT_EQ(caller.wait_for_end(caller.get(plain.url())).size(), 3u + 1u);
  }
}

TEST_F(http_client_tls_test, reads_its_file_again_when_that_has_changed) {
  certificate_authority other;
  http_server old_server{answer_all, authority.sign()}, new_server{answer_all, other.sign()};
  const auto options = trusting();
  auto is_trusted = [&](const http_server& which) {
    http_caller caller{options};
    return caller.wait_for_end(caller.get(which.url("/", "localhost"))).back() == "1 end GET / to localhost";
  };
  EXPECT_TRUE(is_trusted(old_server));
  EXPECT_FALSE(is_trusted(new_server));
  const std::filesystem::path file = authority.file_name();
  const auto written = std::filesystem::last_write_time(file);
  std::filesystem::copy_file(other.file_name(), file, std::filesystem::copy_options::overwrite_existing);
  std::filesystem::last_write_time(file, written + 1s);
  EXPECT_FALSE(is_trusted(old_server));
  EXPECT_TRUE(is_trusted(new_server));
}

TEST_F(http_client_tls_test, keeps_what_it_has_read_for_all_who_share_it) {
  client_trust trust{authority.file_name()};
  std::string why_not;
  const auto first = trust.read(why_not);
  EXPECT_TRUE(first);
  EXPECT_EQ(trust.read(why_not), first);
  EXPECT_NE(client_trust{authority.file_name()}.read(why_not), first);
  EXPECT_EQ(why_not, "");
}

TEST_F(http_client_tls_test, reads_until_the_server_closes_in_order) {
  for (auto is_cut : {false, true}) {
    http_server server{[&](peer& one) {
                         one.read_request();
                         one.say("HTTP/1.1 200 OK\r\n\r\nabc");
                         if (is_cut)
                           one.cut();
                       },
                       authority.sign()};
    http_caller caller{trusting()};
    auto journal_lines = caller.wait_for_end(caller.get(server.url()));
    EXPECT_EQ(journal_lines.back(), is_cut ? "1 failed: the connection was lost: stream truncated" : "1 end abc");
  }
}

TEST_F(http_client_tls_test, leaves_a_connection_that_the_server_closed_while_nobody_used_it) {
  std::promise<void> closed;
  http_server server{[&](peer& one) {
                       one.read_request();
                       one.say(length_answer(std::to_string(one.number)));
                       one.leave();
                       if (one.number == 0)
                         closed.set_value();
                     },
                     authority.sign()};
  http_caller caller{trusting()};
  caller.wait_for_end(caller.post(server.url(), "{}"));
  closed.get_future().wait();
  caller.wait_for_end(caller.post(server.url(), "{}"));
  EXPECT_EQ(caller.seen.all(), (lines{"1 head 200", "1 end 0", "2 head 200", "2 end 1"}));
}

TEST_F(http_client_tls_test, streams_and_is_aborted) {
  journal ends;
  http_server server{[&](peer& one) {
                       one.read_request();
                       one.say("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n3\r\none\r\n");
                       ends.note(one.sees_the_end() ? "closed" : "open");
                     },
                     authority.sign()};
  http_caller caller{trusting()};
  caller.wants_pieces = true;
  caller.get(server.url());
  EXPECT_EQ(caller.seen.wait_for("1 > one").back(), "1 > one");
  caller.abort(1);
  EXPECT_EQ(ends.wait_for(1), lines{"closed"});
}

TEST_F(http_client_tls_test, makes_many_calls_at_once) {
  http_server server{answer_all, authority.sign()};
  http_caller caller{trusting()};
  for (auto i = 0; i < 20; ++i)
    caller.get(server.url());
  auto journal_lines = caller.seen.wait_for(40);
  EXPECT_EQ(std::count_if(journal_lines.begin(), journal_lines.end(),
                          [](auto& line) { return line.ends_with(" end GET / to "); }),
            20);
}

TEST_F(http_client_tls_test, may_be_destroyed_at_any_moment) {
  http_server server{answer_all, authority.sign()};
  for (auto i = 0; i < 30; ++i) {
    http_caller caller{trusting()};
    for (auto call = 0; call < 3; ++call)
      caller.get(server.url());
    caller.seen.wait_for(static_cast<std::size_t>(i % 6));
  }
}

} // namespace troupe::tests::http_client_tls_test
