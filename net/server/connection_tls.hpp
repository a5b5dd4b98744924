#pragma once

#include "net/io_thread.hpp"
#include "net/server/server_tls.hpp"
#include "net/tls.hpp"
#include "net/write_queue.hpp"

#include <boost/asio/buffer.hpp>
#include <boost/system/error_code.hpp>
#include <openssl/types.h>

#include <chrono>
#include <cstddef>
#include <memory>
#include <optional>
#include <span>
#include <string>

namespace troupe::net {

/// Returns the name in a certificate: its first subjectAltName that is a DNS name, a URI or an e-mail address; without
/// any, its last and so most specific common name. Empty when there is none, or when it has control characters, which
/// no name has and which could make it look like another.
std::string certificate_name(const X509* certificate);

/// TLS on the connection of a client, on the server side. The handshake is a part of reading.
///
/// Reads from and writes to a non-blocking socket, which stays its owner's. Never blocks; lives on the thread of its
/// connection, and moves with it. Has no buffers between two messages. Destroying it sends the client nothing.
class connection_tls {
public:
  using error_code = boost::system::error_code;
  using time_point = io_thread::clock::time_point;

  connection_tls(const server_tls_context& with, int socket);
  connection_tls(const connection_tls&) = delete;
  connection_tls& operator=(const connection_tls&) = delete;

  // -- reading
  /// Reads decrypted bytes. `would_block` if there are none for now: continue when the socket is readable, or writable
  /// if this `awaits_writing`. `eof` when the client will send nothing more.
  std::size_t read_some(std::span<char> to, error_code& error);
  /// Whether received bytes are left to read, of which the socket gives no sign.
  bool has_unread() const;
  bool awaits_writing() const { return awaits_writing_; }
  /// Whether TLS failed and the client was sent the reason.
  bool has_refused() const { return has_refused_; }
  /// Whether the handshake is done.
  bool is_open() const { return is_open_; }
  /// Name in the client's certificate; empty without one. Known once something was read, and does not change.
  const std::string& certificate() const { return certificate_; }
  /// Time when that certificate or its chain expires; nullopt without one.
  std::optional<std::chrono::sys_seconds> certificate_until() const { return certificate_until_; }
  /// Whether a context, too, trusts the client's certificate, or there is none. Checked once for each context.
  bool is_trusted(const server_tls_context& by);
  /// Notes the time when the client's certificate expires, once it is known. Returns that; max() for none.
  time_point await_certificate_end(time_point now);
  time_point certificate_end() const { return certificate_end_; }
  /// Whether the client's certificate expires now; true once.
  bool expires(time_point now);
  /// Whether the client's certificate has expired.
  bool has_expired() const { return has_expired_; }

  // -- writing
  /// Encrypts and writes the bytes that the socket takes, up to `most_written`. The rest comes again with the next
  /// write, unchanged and first. `would_block` when the socket takes nothing for now.
  template <class Buffers>
  std::size_t write_some(const Buffers& from, error_code& error);
  /// Keeps the rest of a write.
  void keep(const write_queue::rest& rest) { rest_ = rest; }
  /// Writes more of the kept rest. True when that is over: all is written, or there was an error.
  bool write_kept(error_code& error);
  /// Sends the client the end of TLS, if that is possible now.
  void send_close_notify();

private:
  /// Most bytes of one write; other connections of the thread have their turn after that.
  static constexpr std::size_t most_written = 256 * 1024;

  std::size_t write(boost::asio::const_buffer from, error_code& error);
  error_code on_not_read(int result);
  void on_open();

  bio_socket socket_;
  std::unique_ptr<SSL, void (*)(SSL*)> tls_;
  /// Context that last judged the client's certificate.
  server_tls_context verified_by_;
  std::string certificate_;
  std::optional<std::chrono::sys_seconds> certificate_until_;
  time_point certificate_end_ = time_point::max();
  /// Whether the client's certificate has expired.
  bool has_expired_ = false;
  std::optional<write_queue::rest> rest_;
  /// Error that the last read met after the bytes that it returned.
  error_code not_read_;
  bool is_open_ = false;
  bool awaits_writing_ = false;
  bool has_failed_ = false;
  bool has_refused_ = false;
};

template <class Buffers>
std::size_t connection_tls::write_some(const Buffers& from, error_code& error) {
  error = {};
  std::size_t written = 0;
  const auto end = boost::asio::buffer_sequence_end(from);
  for (auto at = boost::asio::buffer_sequence_begin(from); at != end && !error && written < most_written; ++at) {
    const boost::asio::const_buffer one{*at};
    const auto taken = write(boost::asio::buffer(one, most_written - written), error);
    written += taken;
    if (taken < one.size())
      break;
  }
  if (written != 0)
    error = {};
  return written;
}

} // namespace troupe::net
