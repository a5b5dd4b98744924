#pragma once

#include <cstddef>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>

namespace troupe::net {

/// How many connections the clients at each address have. Callable from any thread.
class connections_by_address : public std::enable_shared_from_this<connections_by_address> {
public:
  /// Counts a connection for as long as it lives.
  using share = std::shared_ptr<void>;
  /// What a connection from an IP address counts for; nothing when it is not limited.
  using key_of = std::function<std::string(const std::string&)>;

  /// `most` for each, at least 1.
  connections_by_address(std::size_t most, key_of key) : most_{most}, key_{std::move(key)} {}

  /// Null for one that is not limited; nothing when there are as many as there may be.
  std::optional<share> add(const std::string& from);
  /// Addresses that have connections.
  std::size_t size() const;

private:
  void remove(const std::string& key);

  std::size_t most_;
  key_of key_;
  mutable std::mutex mutex_;
  std::map<std::string, std::size_t> counts_;
};

} // namespace troupe::net
