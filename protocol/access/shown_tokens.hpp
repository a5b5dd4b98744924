#pragma once

#include "protocol/access/principal.hpp"
#include "protocol/time.hpp"

#include <cstddef>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

namespace troupe::protocol {

/// A token that a caller has shown.
struct shown_token {
  /// Empty when there is none that is good.
  std::string text = {};
  /// What it allows, see `scopes_told`.
  std::string scopes = {};
  /// When it is good no more.
  time_point until = time_point::min();
};

/// What requests have in common that a server is shown the same token for: what the token allows with which their
/// caller came. Empty for what nobody has sent.
std::string whose_requests(const caller& from);

/// The tokens that callers have shown last, for as long as they are good: what is exchanged at its issuer for one that
/// a server is for. Of each caller, by its `identity_of`, those that allow different things. Holds at most twice `most`
/// callers and `most_bytes`: what was shown lately stays.
class shown_tokens {
public:
  /// Tokens of one caller that are held.
  static constexpr std::size_t most_each = 4;

  explicit shown_tokens(std::size_t most = 5'000, std::size_t most_bytes = 32 * 1024 * 1024)
      : most_{most}, most_bytes_{most_bytes} {}

  /// It is good until then.
  void put(const std::string& owner, std::string_view token, std::string_view scopes, time_point until);
  /// The last one that allows just that.
  shown_token find(const std::string& owner, std::string_view scopes, time_point now) const;
  /// The last one of all that is good.
  shown_token last(const std::string& owner, time_point now) const;
  std::size_t size() const { return young_.size() + old_.size(); }
  /// Those of the tokens and of what they allow.
  std::size_t bytes() const { return young_bytes_ + old_bytes_; }

private:
  /// The last one first.
  using of_one = std::vector<shown_token>;
  using generation = std::unordered_map<std::string, of_one>;

  of_one& those_of(const std::string& owner);
  void grow_old();
  template <class Fits>
  shown_token first(const std::string& owner, time_point now, Fits fits) const;

  std::size_t most_;
  std::size_t most_bytes_;
  /// When the young ones are as many as there may be, they become the old ones, and the old ones are forgotten.
  generation young_, old_;
  std::size_t young_bytes_ = 0, old_bytes_ = 0;
};

} // namespace troupe::protocol
