#pragma once

#include "net/byte_stream.hpp"
#include "net/node/node_link_tls.hpp"

#include <array>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

namespace troupe::net {

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
