#pragma once

#include "protocol/time.hpp"

#include <cstddef>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>

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

/// The token that each caller has shown last, for as long as it is good: what is exchanged at its issuer for one that a
/// server is for. Of callers by their `identity_of`. Holds at most twice `most` tokens: those that were shown lately
/// stay.
class shown_tokens {
public:
  explicit shown_tokens(std::size_t most = 5'000) : most_{most} {}

  /// It is good until then.
  void put(const std::string& owner, std::string_view token, std::string_view scopes, time_point until);
  shown_token find(const std::string& owner, time_point now) const;
  std::size_t size() const { return young_.size() + old_.size(); }

private:
  using generation = std::unordered_map<std::string, shown_token>;

  std::size_t most_;
  /// When the young ones are as many as there may be, they become the old ones, and the old ones are forgotten.
  generation young_, old_;
};

} // namespace troupe::protocol
