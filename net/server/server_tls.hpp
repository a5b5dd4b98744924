#pragma once

#include "net/io_thread.hpp"
#include "net/watched_file.hpp"

#include <openssl/types.h>

#include <atomic>
#include <chrono>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace troupe::net {

/// OpenSSL context with the key and certificates of a connection, which keeps it as long as it lasts.
using server_tls_context = std::shared_ptr<SSL_CTX>;

/// The contents of a PEM file, and the name of the file, for errors.
struct pem_text {
  std::string file;
  std::string text;
};

/// PEM texts of a TLS server: its own certificate, and the authorities of its clients.
struct server_tls_texts {
  /// The server's own certificate, followed by those that lead to an authority.
  pem_text certificates;
  pem_text private_key;
  /// Authorities of clients; without a file no client is asked for a certificate.
  pem_text client_authorities;
  /// Whether a client must have a certificate if it is asked for one.
  bool is_certificate_required = true;
  /// Lists of certificates that the authorities have revoked; not checked without a file.
  pem_text client_revocations = {};
};

/// Makes a context for TLS 1.2 and 1.3, with HTTP/1.1 as the protocol inside. Throws `std::runtime_error` with one line
/// when the texts are no PEM, or do not fit together.
server_tls_context make_server_tls_context(const server_tls_texts& from);

/// Whether `by` would accept today the client of a connection that was made by another context: one without a
/// certificate, or with one that is still valid.
bool is_client_believed(const SSL* client, SSL_CTX* by);

/// Converts a time to seconds of the calendar; nullopt when its text is no time.
std::optional<std::chrono::sys_seconds> seconds_of(const ASN1_TIME* time);

/// Returns when clients begin to be refused for lack of a list of revoked certificates: the time when the first
/// authority has no current one. Returns nullopt when there is no such time.
std::optional<std::chrono::sys_seconds> end_of_revocations(const pem_text& from);

/// The PEM files of a listener that speaks TLS.
struct server_tls_files {
  /// The server's own certificate, followed by those that lead to an authority.
  std::string certificate;
  std::string private_key;
  /// Authorities of clients; when it is empty no client is asked for a certificate.
  std::string client_ca = {};
  /// Whether a client must have a certificate if it is asked for one. An invalid certificate is refused in either case.
  bool is_certificate_required = true;
  /// Lists of clients' certificates that the authorities have revoked; not checked when empty.
  std::string client_crl = {};
};

/// TLS credentials of a listener, and authorities of its clients: files that are read again when they have changed, so
/// that they can be renewed while it listens. Connections keep the keys that they began with. A client's certificate is
/// checked by the present context, see `connection_tls::is_trusted`.
///
/// Blocks while it reads. Used by one thread at a time, except for `expires`.
class server_tls {
public:
  /// Called once for each change, by the thread that uses the files. `why_not` says in one line why they cannot be
  /// used, and then those read before are kept; it is empty when they are used from now on.
  using on_change = std::function<void(const std::string& why_not)>;
  using time_point = std::chrono::time_point<std::chrono::system_clock, std::chrono::seconds>;
  /// Called when clients are refused from now on, because a list of revoked certificates in `file` has expired. Called
  /// once for each list, by the thread that checks the files.
  using on_expiry = std::function<void(const std::string& file)>;

  static constexpr std::size_t longest_file = 1024 * 1024;

  /// Checks the files at most once in each `pause`. Throws `std::runtime_error` with one line when they cannot be used.
  explicit server_tls(server_tls_files files, on_change tell = {},
                      std::chrono::milliseconds pause = std::chrono::seconds{1}, on_expiry tell_expired = {});

  /// Checks the files, if it is time to. Whether the context has changed since the last call.
  bool has_news(io_thread::clock::time_point now);
  const server_tls_context& context() const { return context_; }
  /// Whether clients are asked for certificates.
  bool asks_clients() const { return !files_.client_ca.empty(); }
  std::chrono::milliseconds pause() const { return pause_; }
  /// Time when the certificate shown to new connections expires. Callable from any thread.
  time_point expires() const { return expires_.load(std::memory_order_relaxed); }
  /// Time when clients begin to be refused for lack of a list of revoked certificates; nullopt if never.
  std::optional<time_point> revocations_expire() const { return revocations_expire_; }

private:
  void look();
  void tell_of_expiry();
  bool has_changed();
  void read();

  server_tls_files files_;
  on_change tell_;
  on_expiry tell_expired_;
  std::chrono::milliseconds pause_;
  io_thread::clock::time_point look_at_;
  /// Certificate, private key and, perhaps, the authorities of clients and their lists of revoked certificates.
  std::vector<watched_file> read_files_;
  server_tls_context context_;
  bool is_new_ = false;
  std::atomic<time_point> expires_;
  std::optional<time_point> revocations_expire_;
  bool is_expiry_told_ = false;
};

/// Returns when a certificate expires.
server_tls::time_point expiry_of(const X509* certificate);

} // namespace troupe::net
