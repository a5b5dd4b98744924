#pragma once

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
#include <utility>

namespace troupe::net {

/// Whom a certificate is for: its first subjectAltName that is a DNS name, a URI or an e-mail address; without any of
/// those its common name, of several the last and so most specific one. Empty when there is none, or when it has
/// characters that no name has: control characters could make it look like another.
std::string certificate_name(const X509* certificate);

/// TLS on the connection of one client, which it is the server for. The handshake is a part of reading.
///
/// Reads from and writes to a socket that does not block, and that is its owner's. Never blocks; lives on the thread of
/// its connection, and moves with it. Between two messages it has no buffers. Destroying it says nothing to the client.
class connection_tls {
public:
  using error_code = boost::system::error_code;

  connection_tls(const server_tls_context& with, int socket);
  connection_tls(const connection_tls&) = delete;
  connection_tls& operator=(const connection_tls&) = delete;

  // -- reading
  /// What the client has said. `would_block` when that is nothing, for now: then there is something to do when the
  /// socket can be read from, or written to if this `awaits_writing`. `eof` when it will say nothing more.
  std::size_t read_some(std::span<char> to, error_code& error);
  /// Whether there is something to read of which the socket does not tell, because it was received already.
  bool has_unread() const;
  bool awaits_writing() const { return awaits_writing_; }
  /// Whether the client was told why it is not spoken with any more.
  bool has_refused() const { return has_refused_; }
  /// Whether the handshake is done.
  bool is_open() const { return is_open_; }
  /// Whom the client's certificate names; empty without one. Known once something was read, and stays.
  const std::string& certificate() const { return certificate_; }
  /// When it, or one that leads to it, ends to be good; nothing without one.
  std::optional<std::chrono::sys_seconds> certificate_until() const { return certificate_until_; }
  /// Whether the client's certificate is believed by that context, too; none need be. Asked once of each context.
  bool is_believed(const server_tls_context& by);

  // -- writing
  /// Encrypts and writes what the socket takes, up to `most_written`; what it did not take comes again with the next
  /// write, unchanged and first. `would_block` when it takes nothing for now.
  template <class Buffers>
  std::size_t write_some(const Buffers& from, error_code& error);
  /// Keeps what is left of a write.
  void keep(const write_queue::rest& rest) { rest_ = rest; }
  /// Writes of what is kept what the socket takes. Whether that is over: all is written, or there was an error.
  bool write_kept(error_code& error);
  /// Tells the client that nothing more will be said, if that can be told now.
  void say_end();

private:
  /// Others of the thread have their turn after that.
  static constexpr std::size_t most_written = 256 * 1024;

  std::size_t write(boost::asio::const_buffer from, error_code& error);
  error_code on_not_read(int result);
  void on_open();

  bio_socket socket_;
  std::unique_ptr<SSL, void (*)(SSL*)> tls_;
  /// What the client's certificate was last judged by.
  server_tls_context judged_by_;
  std::string certificate_;
  std::optional<std::chrono::sys_seconds> certificate_until_;
  std::optional<write_queue::rest> rest_;
  /// What the last read met after what it gave.
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
