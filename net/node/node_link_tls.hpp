#pragma once

#include "net/byte_stream.hpp"

#include <boost/asio/ssl/context.hpp>

#include <array>
#include <filesystem>
#include <memory>
#include <optional>
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

/// What a node shows to others, and what it trusts: certificates in files, which are read again when they have changed,
/// so that they can be renewed while the node runs; or, without files, the cluster's keys.
///
/// Blocks while it reads. Used by one thread at a time; who has a context keeps it.
class node_link_trust {
public:
  /// Throws `std::runtime_error` with one line when the files cannot be used.
  node_link_trust(node_link_files files, const std::vector<std::string>& keys);

  const byte_stream::tls_context& context() const { return context_; }
  /// From now on these are the cluster's keys.
  void use(const std::vector<std::string>& keys);
  /// Reads the files again if they have changed; gives why they cannot be used, and those read before are kept, or an
  /// empty text when they are used from now on. Nothing while they are as they were.
  std::optional<std::string> look();

private:
  using times = std::array<std::filesystem::file_time_type, 3>;

  times changed() const;

  node_link_files files_;
  times read_at_;
  byte_stream::tls_context context_;
};

} // namespace troupe::net
