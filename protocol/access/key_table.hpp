#pragma once

#include "protocol/access/access_key.hpp"
#include "protocol/access/credential_digest.hpp"

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <variant>
#include <vector>

namespace troupe::protocol {

/// The keys that callers may have, found by their digests. Of a key that is wrong, nobody learns how much of it is
/// right: digests are compared, and as a whole.
class key_table {
public:
  key_table() = default;
  explicit key_table(const std::vector<access_key>& keys);

  /// Who has the key. Otherwise why it is not good, one line for the client.
  std::variant<caller, std::string> find(const credential_digest& of_key, calendar_time now) const;
  /// The same of the key of that name; nothing when there is none.
  std::optional<std::variant<caller, std::string>> find_named(std::string_view name, calendar_time now) const;
  /// Who had a key before that is none any more, or another's, or for something else; see `identity_of`.
  std::vector<std::string> stale_since(const key_table& before) const;
  std::size_t size() const { return all_.size(); }

private:
  struct same_digest {
    bool operator()(const credential_digest& one, const credential_digest& other) const;
  };
  std::unordered_map<credential_digest, caller, digest_hash, same_digest> all_;
};

} // namespace troupe::protocol
