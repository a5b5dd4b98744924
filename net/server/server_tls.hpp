#pragma once

#include "net/changing_file.hpp"
#include "net/io_thread.hpp"

#include <openssl/types.h>

#include <atomic>
#include <chrono>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace troupe::net {

/// What a connection takes a key and certificates from, and keeps as long as it lasts.
using server_tls_context = std::shared_ptr<SSL_CTX>;

/// The contents of a PEM file, and the name of the file, for errors.
struct pem_text {
  std::string file;
  std::string text;
};

/// What a TLS server shows, and which of its clients' certificates it believes.
struct server_tls_texts {
  /// The server's own certificate, followed by those that lead to an authority.
  pem_text certificates;
  pem_text private_key;
  /// Authorities of clients; without a file no client is asked for a certificate.
  pem_text client_authorities;
  /// Whether a client must have a certificate if it is asked for one.
  bool is_certificate_required = true;
  /// What the authorities have taken back; without a file that is not looked at.
  pem_text client_revocations = {};
};

/// For TLS 1.2 and 1.3, with HTTP/1.1 as what is spoken in it. Throws `std::runtime_error` with one line when the texts
/// are no PEM, or do not fit together.
server_tls_context make_server_tls_context(const server_tls_texts& from);

/// Whether a connection of that context would be begun today with the client of another: one that has shown no
/// certificate, or one that is still good.
bool is_client_believed(const SSL* client, SSL_CTX* by);

/// Seconds of the calendar; nothing when the text of it is no time.
std::optional<std::chrono::sys_seconds> seconds_of(const ASN1_TIME* time);

/// From when on clients are refused for lack of a list of revoked certificates: the first authority of those in the
/// text has none that is of today then. Nothing when there is no such time.
std::optional<std::chrono::sys_seconds> end_of_revocations(const pem_text& from);

/// The PEM files of a listener that speaks TLS.
struct server_tls_files {
  /// The server's own certificate, followed by those that lead to an authority.
  std::string certificate;
  std::string private_key;
  /// Authorities of clients; when it is empty no client is asked for a certificate.
  std::string client_ca = {};
  /// Whether a client must have a certificate if it is asked for one. One that shows a certificate which is not good is
  /// refused in either case.
  bool is_certificate_required = true;
  /// Which certificates of clients their authorities have taken back; empty when that is not looked at.
  std::string client_crl = {};
};

/// What a listener shows in TLS, and which clients' certificates it believes: files that are read again when they have
/// changed, so that they can be renewed while it listens. Connections go on with the keys that they began with; whether
/// a client's certificate is still believed is asked of the context of now, see `connection_tls::is_believed`.
///
/// Blocks while it reads. Used by one thread at a time, but for `expires`.
class server_tls {
public:
  /// Why files that have changed cannot be used, in one line, so that those read before are kept; or an empty text when
  /// they are used from now on. Told once for each change, by the thread that uses them.
  using on_change = std::function<void(const std::string& why_not)>;
  using time_point = std::chrono::time_point<std::chrono::system_clock, std::chrono::seconds>;
  /// That clients are refused from now on, as a list of revoked certificates in that file has expired. Told once for
  /// each list, by the thread that looks after the files.
  using on_expiry = std::function<void(const std::string& file)>;

  static constexpr std::size_t longest_file = 1024 * 1024;

  /// Looks after the files once in such a time at most. Throws `std::runtime_error` with one line when they cannot be
  /// used.
  explicit server_tls(server_tls_files files, on_change tell = {},
                      std::chrono::milliseconds pause = std::chrono::seconds{1}, on_expiry tell_expired = {});

  /// For a connection that begins.
  const server_tls_context& for_connection(io_thread::clock::time_point now);
  /// Looks after the files, if it is time to. Whether there is another context since this was last asked.
  bool has_news(io_thread::clock::time_point now);
  const server_tls_context& context() const { return context_; }
  /// Whether certificates of clients are believed at all.
  bool asks_clients() const { return !files_.client_ca.empty(); }
  std::chrono::milliseconds pause() const { return pause_; }
  /// When the certificate that is shown to new connections ends to be good. Callable from any thread.
  time_point expires() const { return expires_.load(std::memory_order_relaxed); }
  /// From when on clients are refused for lack of a list of revoked certificates; nothing when there is no such time.
  std::optional<time_point> revocations_expire() const { return revocations_expire_; }

private:
  void look_when_due(io_thread::clock::time_point now);
  void look();
  void tell_of_expiry();
  bool has_changed();
  void read();

  server_tls_files files_;
  on_change tell_;
  on_expiry tell_expired_;
  std::chrono::milliseconds pause_;
  io_thread::clock::time_point look_at_;
  /// Certificate, private key and, perhaps, the authorities of clients and what these have taken back.
  std::vector<changing_file> read_files_;
  server_tls_context context_;
  bool is_new_ = false;
  std::atomic<time_point> expires_;
  std::optional<time_point> revocations_expire_;
  bool is_expiry_told_ = false;
};

/// When a certificate ends to be good.
server_tls::time_point expiry_of(const X509* certificate);

} // namespace troupe::net
