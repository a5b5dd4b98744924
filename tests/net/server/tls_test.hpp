#pragma once

#include "net/server/server_tls.hpp"
#include "tests/support/tls_client.hpp"

#include <filesystem>
#include <limits>
#include <memory>
#include <string>
#include <utility>

namespace troupe::tests {

/// A listener with TLS, and its files. The suite spans several files.
class tls_site_test : public tidy_test {
protected:
  tls_site_test() { put(authority.sign()); }

  /// Replaces the certificate and the key, each file atomically.
  void put(const identity& who) {
    save(who, path("new certificate"), path("new key"));
    std::filesystem::rename(path("new certificate"), path("certificate"));
    std::filesystem::rename(path("new key"), path("key"));
  }
  std::string path(const std::string& file) const { return directory_.path(file); }
  net::server_tls_files files() const { return {path("certificate"), path("key")}; }
  /// With an authority for client certificates.
  net::server_tls_files mutual(bool is_required) const {
    return {path("certificate"), path("key"), clients.file_name(), is_required};
  }
  /// Creates the TLS configuration. Errors in its files are noted in `told`.
  std::shared_ptr<net::server_tls> speaking(net::server_tls_files of) {
    return std::make_shared<net::server_tls>(
        std::move(of), [this](auto& why_not) { told.note(why_not); }, std::chrono::milliseconds{0});
  }
  test_listener secure(const net::connection_limits& limits = {}, test_listener::script play = {},
                       std::size_t threads = 1, std::shared_ptr<net::connections_by_address> by_address = nullptr) {
    return secure_with(files(), limits, std::move(play), threads, std::move(by_address));
  }
  test_listener secure_with(net::server_tls_files of, const net::connection_limits& limits = {},
                            test_listener::script play = {}, std::size_t threads = 1,
                            std::shared_ptr<net::connections_by_address> by_address = nullptr) {
    return test_listener{
        limits,        std::move(play),        threads, std::numeric_limits<std::size_t>::max(), by_address,
        {"127.0.0.1"}, speaking(std::move(of))};
  }

  /// The name in the client's certificate, as the server sees it.
  static std::string name_seen(test_listener& at, const tls_offer& offer) {
    tls_client client{at.port(), offer};
    client.send("GET / HTTP/1.1\r\nHost: x\r\n\r\n");
    auto answer = client.read_answer();
    return answer.status == 200 ? "<" + answer.body + ">" : why_not(client);
  }
  /// The error that a client receives. In TLS 1.3 it arrives after the client considers the connection open.
  static std::string why_not(tls_client& client) {
    const auto* why = ERR_reason_error_string(ERR_PACK(ERR_LIB_SSL, 0, client.why_not()));
    return why ? why : std::to_string(client.why_not());
  }

  certificate_authority authority, clients;
  journal told;

private:
  scratch directory_;
};

inline net::connection_limits limits_with(auto change) {
  net::connection_limits result;
  change(result);
  return result;
}

inline std::string get_text(const std::string& target, const std::string& fields = {}) {
  return "GET " + target + " HTTP/1.1\r\nHost: x\r\n" + fields + "\r\n";
}
inline std::string post_text(const std::string& target, const std::string& body) {
  return "POST " + target + " HTTP/1.1\r\nHost: x\r\nContent-Length: " + std::to_string(body.size()) + "\r\n\r\n" +
         body;
}

/// Answers with the request.
inline void echo_request(net::exchange& one) {
  auto& request = one.request();
  one.respond(text_answer(std::string{request.target} + request.body));
}

} // namespace troupe::tests
