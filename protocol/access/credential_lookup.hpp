#pragma once

#include "protocol/access/access_key.hpp"
#include "protocol/access/principal.hpp"
#include "protocol/time.hpp"
#include "protocol/two_generations.hpp"

#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <variant>
#include <vector>

namespace troupe::protocol {

/// SHA-256 of a key or token: identifies it without revealing it.
using credential_digest = std::array<std::byte, 32>;

/// Hash of a digest: a part of it, since digests are evenly distributed.
struct digest_hash {
  std::size_t operator()(const credential_digest& of) const {
    std::size_t result = 0;
    std::memcpy(&result, of.data(), sizeof result);
    return result;
  }
};

/// Keys of callers, by their digests. Digests are compared as a whole and in constant time, so that a wrong key does
/// not reveal how much of it is right.
class key_table {
public:
  key_table() = default;
  explicit key_table(const std::vector<access_key>& keys);

  /// Returns the owner of a key; otherwise the reason why it is invalid, in one line for the client.
  std::variant<caller, std::string> find(const credential_digest& of_key, calendar_time now) const;
  /// Does the same for the key of that name; returns nothing when there is none.
  std::optional<std::variant<caller, std::string>> find_named(std::string_view name, calendar_time now) const;
  /// Returns the `identity_of` callers whose key in `before` was removed, or now has another owner, scopes or expiry.
  std::vector<std::string> stale_since(const key_table& before) const;
  std::size_t size() const { return all_.size(); }

private:
  struct same_digest {
    bool operator()(const credential_digest& one, const credential_digest& other) const;
  };
  std::unordered_map<credential_digest, caller, digest_hash, same_digest> all_;
};

/// Cache of checked tokens and their callers, by digest, so that a token is checked periodically and not with every
/// request. Holds up to twice `most` tokens: the most recently used stay.
class known_callers {
public:
  explicit known_callers(std::size_t most = 10'000) : all_{most} {}

  struct known {
    /// Null when the token has to be checked.
    caller who;
    time_point until;
  };

  known find(const credential_digest& of_token, time_point now);
  /// Adds a checked token, which is valid until then.
  void add(const credential_digest& of_token, caller who, time_point until);
  std::size_t size() const { return all_.size(); }

private:
  two_generations<credential_digest, known, digest_hash> all_;
};

/// Cache of one recent key or token, and its caller. The next credentials of a client are compared with it, which costs
/// less than to digest them.
class recent_credential {
public:
  /// Longest credential that is kept, in bytes.
  static constexpr std::size_t longest = 4096;

  /// Returns the caller of a credential; null if it differs from the stored one. A stored one that is no longer valid,
  /// or was found by another version of the keys, is erased.
  caller find(std::string_view secret, std::uint64_t version, time_point now, calendar_time date);
  /// Stores a credential, which is valid until then.
  void put(std::string_view secret, caller who, std::uint64_t version, time_point until);
  void forget();

private:
  bool is_good(std::uint64_t version, time_point now, calendar_time date) const;

  std::string secret_;
  caller who_;
  std::uint64_t version_ = 0;
  time_point until_;
};

} // namespace troupe::protocol
