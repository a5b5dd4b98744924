#pragma once

#include <boost/asio/ssl/context.hpp>
#include <memory>
#include <string>
#include <vector>

namespace troupe::net {

/// The names of PEM files: a node's certificate and its key, and what signed those of all nodes.
struct node_link_files {
  std::string certificate;
  std::string private_key;
  std::string ca_file;
};

/// What nodes speak TLS 1.3 with, as clients and as servers: both show a certificate, and only what this
/// authority signed is trusted. Blocks while it reads. Throws `std::runtime_error` with one line when the files cannot
/// be used or do not fit together.
std::unique_ptr<boost::asio::ssl::context> node_link_tls(const node_link_files& files);

/// What nodes without certificates speak TLS 1.3 with, as clients and as servers: a key of both, which is made of one
/// of these (RFC 8446, 2.2). The caller proves first that it has the first of its own, and who does not hears nothing
/// but an alert.
std::unique_ptr<boost::asio::ssl::context> node_link_keyed_tls(const std::vector<std::string>& keys);

/// Before a client speaks: says by which key it will. Without that, a server takes it for its own first. Does nothing
/// where there are certificates.
void name_key(SSL* client);

/// What the two ends of a connection know, and nobody else who has the key (RFC 8446, 7.5).
std::string binding_of(SSL* connection);

/// Whether one that failed so may be a node of another setting: it has spoken, and not as a browser does.
bool is_like_a_node(const boost::system::error_code& error);

/// Why a handshake of TLS with another node failed, in one line.
std::string why_not_tls(SSL* of, const boost::system::error_code& error);

} // namespace troupe::net
