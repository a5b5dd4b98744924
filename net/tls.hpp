#pragma once

#include <boost/asio/ssl/context.hpp>
#include <string>

namespace troupe::net {

/// Whom we trust as a client of TLS 1.2 and later: the system's authorities, and those of a file besides.
///
/// They are read when they are first asked for, which blocks, and then kept for the life of the process: for each
/// session anew they would hold up a thread. Null when the file cannot be used, and then `why_not` says why. Callable
/// from any thread.
boost::asio::ssl::context* client_tls(const std::string& ca_file, std::string& why_not);

/// Lets a connection speak to this host alone. False when it cannot be asked for.
bool expect_host(SSL* of, const std::string& host);

/// Why a handshake with a host failed: what is wrong with its certificate, if that is it.
std::string why_handshake_failed(SSL* of, const std::string& host, const boost::system::error_code& error);

} // namespace troupe::net
