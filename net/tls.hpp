#pragma once

#include <boost/system/error_code.hpp>
#include <openssl/ssl.h>
#include <string>

namespace troupe::net {

/// Lets a connection speak to this host alone. False when it cannot be asked for.
bool expect_host(SSL* of, const std::string& host);

/// Why a handshake with a host failed: what is wrong with its certificate, if that is it.
std::string why_handshake_failed(SSL* of, const std::string& host, const boost::system::error_code& error);

} // namespace troupe::net
