#pragma once

#include "protocol/access/credential_digest.hpp"
#include "protocol/access/principal.hpp"
#include "protocol/time.hpp"

#include <cstddef>
#include <unordered_map>
#include <utility>

namespace troupe::protocol {

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

} // namespace troupe::protocol
