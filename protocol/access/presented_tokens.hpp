#pragma once

#include "protocol/access/principal.hpp"
#include "protocol/time.hpp"
#include "protocol/two_generations.hpp"

#include <cstddef>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

namespace troupe::protocol {

/// Token that a caller has shown.
struct presented_token {
  /// Empty when there is no valid token.
  std::string text = {};
  /// Scopes of the token, see `scopes_key`.
  std::string scopes = {};
  /// Time from which the token is invalid.
  time_point until = time_point::min();
};

/// Key of the requests for which a server is shown the same token: the scopes of their caller. Empty for messages
/// without a caller.
std::string token_key(const caller& from);

/// Tokens that callers have shown last, as long as they are valid, to be exchanged at their issuer for tokens of a
/// server. Each caller, by its `identity_of`, has one token for each set of scopes. Holds up to twice `most` callers,
/// and `most_bytes`: the most recent tokens stay.
class presented_tokens {
public:
  /// Most tokens of one caller that are held.
  static constexpr std::size_t most_each = 4;

  explicit presented_tokens(std::size_t most = 5'000, std::size_t most_bytes = 32 * 1024 * 1024)
      : all_{most, most_bytes / 2} {}

  /// Adds a token, which is valid until then.
  void put(const std::string& owner, std::string_view token, std::string_view scopes, time_point until);
  /// Returns the latest valid token with exactly these scopes.
  presented_token find(const std::string& owner, std::string_view scopes, time_point now) const;
  /// Returns the latest valid token.
  presented_token last(const std::string& owner, time_point now) const;
  std::size_t size() const { return all_.size(); }
  /// Size of the tokens and their scopes, in bytes.
  std::size_t bytes() const { return all_.weight(); }

private:
  /// Tokens of one caller, the latest first.
  using of_one = std::vector<presented_token>;
  struct bytes_of {
    std::size_t operator()(const of_one& tokens) const;
  };

  template <class Fits>
  presented_token first(const std::string& owner, time_point now, Fits fits) const;

  two_generations<std::string, of_one, std::hash<std::string>, bytes_of> all_;
};

} // namespace troupe::protocol
