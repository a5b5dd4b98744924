#pragma once

#include "protocol/access/access_key.hpp"
#include "protocol/access/principal.hpp"
#include "protocol/time.hpp"

#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <variant>
#include <vector>

namespace troupe::protocol {

/// SHA-256 of a key or token: names it to those who must not learn it.
using credential_digest = std::array<std::byte, 32>;

/// Digests are evenly spread as they are.
struct digest_hash {
  std::size_t operator()(const credential_digest& of) const {
    std::size_t result = 0;
    std::memcpy(&result, of.data(), sizeof result);
    return result;
  }
};

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

/// Who has shown which token, by its digest, so that each token is checked once in a while and not with every request.
/// Holds at most twice `most` tokens: those that were looked up lately stay.
class known_callers {
public:
  explicit known_callers(std::size_t most = 10'000) : most_{most} {}

  struct known {
    /// Null when the token has to be checked.
    caller who;
    time_point until;
  };

  known find(const credential_digest& of_token, time_point now);
  /// It was checked, and is good until then.
  void add(const credential_digest& of_token, caller who, time_point until);
  std::size_t size() const { return young_.size() + old_.size(); }

private:
  using generation = std::unordered_map<credential_digest, known, digest_hash>;

  void keep(const credential_digest& of_token, known what);

  std::size_t most_;
  /// When the young ones are as many as there may be, they become the old ones, and the old ones are forgotten.
  generation young_, old_;
};

/// A key or token that came lately, and who has it: what comes with each request of a client is compared with it, which
/// costs less than to digest it.
class recent_credential {
public:
  /// Longer ones are not kept.
  static constexpr std::size_t longest = 4096;

  /// Null when it is another one, when it is not good any more, or when it was found by other keys than those of that
  /// version. One that is not good any more is forgotten.
  caller find(std::string_view secret, std::uint64_t version, time_point now, calendar_time date);
  /// It is good until then.
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
