#pragma once

#include <boost/asio/ssl/context.hpp>
#include <memory>
#include <string>

namespace troupe::net {

/// The names of PEM files: a node's certificate and its key, and what signed those of all nodes.
struct node_link_files {
  std::string certificate;
  std::string private_key;
  std::string ca_file;
};

/// What nodes speak TLS 1.2 and later with, as clients and as servers: both show a certificate, and only what this
/// authority signed is trusted. Blocks while it reads. Throws `std::runtime_error` with one line when the files cannot
/// be used or do not fit together.
std::unique_ptr<boost::asio::ssl::context> node_link_tls(const node_link_files& files);

/// Why a handshake of TLS with another node failed, in one line.
std::string why_not_tls(SSL* of, const boost::system::error_code& error);

} // namespace troupe::net
