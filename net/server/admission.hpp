#pragma once

#include "protocol/counts_by_key.hpp"

#include <algorithm>
#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <utility>

namespace troupe::net {

/// Numbers of connections by client address. Callable from any thread.
class connections_by_address : public std::enable_shared_from_this<connections_by_address> {
public:
  /// Counts a connection for as long as it lives.
  using share = std::shared_ptr<void>;
  /// Maps an IP address to the key that its connections are counted by; empty when it is not limited.
  using key_of = std::function<std::string(const std::string&)>;

  /// Allows `most` connections for each key, at least 1.
  connections_by_address(std::size_t most, key_of key) : most_{most}, key_{std::move(key)} {}

  /// Counts a connection. Null if it is not limited; nullopt when its key has as many as allowed.
  std::optional<share> add(const std::string& from) {
    auto key = key_(from);
    if (key.empty())
      return share{};
    std::lock_guard lock{mutex_};
    if (counts_.of(key) == most_)
      return std::nullopt;
    counts_.add(key);
    return share{static_cast<void*>(this),
                 [self = shared_from_this(), key = std::move(key)](void*) { self->remove(key); }};
  }
  /// Number of addresses that have connections.
  std::size_t size() const {
    std::lock_guard lock{mutex_};
    return counts_.all().size();
  }

private:
  void remove(const std::string& key) {
    std::lock_guard lock{mutex_};
    counts_.remove(key);
  }

  std::size_t most_;
  key_of key_;
  mutable std::mutex mutex_;
  protocol::counts_by_key<std::string> counts_;
};

/// Returns the number of slots for connections above a limit of `admitted` ones: each is answered one request, most of
/// them by a refusal.
constexpr std::size_t most_surplus(std::size_t admitted) {
  constexpr std::size_t least = 2, enough = 32, part = 8;
  return std::clamp(admitted / part, least, enough);
}

/// Why clients are refused before they have an exchange.
enum class refusal {
  /// There are too many connections.
  connections,
  /// There are too many connections of one address.
  connections_of_address,
  /// TLS could not be agreed upon.
  handshake,
  /// The input is no HTTP that we understand.
  unreadable,
  /// The head or the body is longer than its limit.
  too_large,
  /// The request did not arrive in time.
  too_slow
};

/// Counts refusals by their reason. Callable from any thread.
class refusal_counts {
public:
  void add(refusal why) { counts_[static_cast<std::size_t>(why)].fetch_add(1, std::memory_order_relaxed); }
  std::uint64_t of(refusal why) const { return counts_[static_cast<std::size_t>(why)].load(std::memory_order_relaxed); }

private:
  std::array<std::atomic<std::uint64_t>, static_cast<std::size_t>(refusal::too_slow) + 1> counts_{};
};

} // namespace troupe::net
