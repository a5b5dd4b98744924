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

/// Names of PEM files: a node's certificate, its key, and the authority that signed those of all nodes.
struct node_link_files {
  std::string certificate;
  std::string private_key;
  std::string ca_file;
};

/// Makes the TLS 1.3 context of nodes with certificates, as clients and as servers. Both show a certificate, and only
/// those that this authority signed are trusted. Blocks while it reads. Throws `std::runtime_error` with one line when
/// the files cannot be used or do not fit together.
std::unique_ptr<boost::asio::ssl::context> node_link_tls(const node_link_files& files);

/// Makes the TLS 1.3 context of nodes without certificates, as clients and as servers: a shared key, made of one of
/// these (RFC 8446, 2.2). A caller proves its first key at once; without it, it receives nothing but an alert.
std::unique_ptr<boost::asio::ssl::context> node_link_keyed_tls(const std::vector<std::string>& keys);

/// Names the key that the client will use, before its handshake. Otherwise a server uses its own first key. Does
/// nothing with certificates.
void name_key(SSL* client);

/// Returns a secret of the two ends of a connection, unknown to other holders of the key (RFC 8446, 7.5).
std::string binding_of(SSL* connection);

/// Whether a peer with this error may be a node of another setting: it has spoken, and not as a browser does.
bool is_like_a_node(const boost::system::error_code& error);

/// Returns why a TLS handshake with another node failed, in one line.
std::string why_not_tls(SSL* of, const boost::system::error_code& error);

/// TLS credentials of a node: certificates in files, which are read again when they have changed, so that they can be
/// renewed while the node runs; or, without files, the cluster's keys.
///
/// Blocks while it reads. Used by one thread at a time; holders of a context keep it.
class node_link_trust {
public:
  /// Throws `std::runtime_error` with one line when the files cannot be used.
  node_link_trust(node_link_files files, const std::vector<std::string>& keys);

  const byte_stream::tls_context& context() const { return context_; }
  /// Replaces the cluster's keys.
  void use(const std::vector<std::string>& keys);
  /// Reads the files again if they have changed. Returns why they cannot be used, and then keeps those read before; an
  /// empty text when they are used from now on; nullopt while unchanged.
  std::optional<std::string> look();

private:
  using times = std::array<std::filesystem::file_time_type, 3>;

  times changed() const;

  node_link_files files_;
  times read_at_;
  byte_stream::tls_context context_;
};

} // namespace troupe::net
