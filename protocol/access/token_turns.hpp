#pragma once

#include "protocol/time.hpp"

#include <array>
#include <chrono>
#include <cstddef>
#include <string>
#include <unordered_map>

namespace troupe::protocol {

/// Limits on the tokens to verify, by client address. No address uses up the capacity that others need. After bad
/// tokens an address waits longer each time, except for one token at a time, since clients may share it. Requests with
/// an empty address are not limited: those over a unix socket, the gateway's own, and those with a token that was good
/// before.
class token_turns {
public:
  /// Limits of one address at a time. Tokens: so many wait for the issuer, and as many for a check of their signature.
  /// Tickets: requests that show them. Asked: tokens that the issuer is queried about.
  static constexpr std::size_t most_tokens = 100;
  static constexpr std::size_t most_tickets = 1000;
  static constexpr std::size_t most_asked = 8;
  /// Number of bad tokens that cause no pause, as clients show expired ones. Bad tokens are forgotten one by one.
  static constexpr std::size_t free_mistakes = 10;
  static constexpr std::chrono::seconds forgotten_after{5};
  static constexpr std::chrono::milliseconds first_pause{200};
  static constexpr std::chrono::milliseconds longest_pause{10'000};
  /// Most addresses with a record; further ones are not limited until some of these are idle.
  static constexpr std::size_t most_addresses = 10'000;

  /// Stage of a token's verification.
  enum class look { waits_for_issuer, checks_signature };

  /// Returns how long an address must wait before the issuer is queried about another token of it; 0 when it need not.
  std::chrono::milliseconds pause(const std::string& address, time_point now);
  /// True if the address has reached its limit of tokens, or of requests that show them.
  bool has_all_tokens(const std::string& address, look which) const;
  bool has_all_tickets(const std::string& address) const;
  /// Number of the address's tokens that the issuer is being queried about.
  std::size_t asked(const std::string& address) const;
  bool may_ask(const std::string& address) const { return address.empty() || asked(address) < most_asked; }

  // -- facts
  void token_begun(const std::string& address, look which, time_point now);
  /// Moves a token to another stage.
  void token_changes(const std::string& address, look from, look to);
  /// Result of a verification; `unknown` when the token was found neither good nor bad.
  enum class outcome { good, bad, unknown };
  void token_ended(const std::string& address, look which, outcome how, time_point now);
  void ticket_begun(const std::string& address, time_point now);
  void ticket_ended(const std::string& address);
  void ask_begun(const std::string& address);
  void ask_ended(const std::string& address);

  std::size_t size() const { return known_.size(); }

private:
  struct record {
    /// Number of tokens at each stage.
    std::array<std::size_t, 2> tokens = {};
    std::size_t tickets = 0;
    std::size_t asked = 0;
    std::size_t mistakes = 0;
    /// Time since which one more mistake may be forgotten.
    time_point mistaken = {};
    time_point may_come = time_point::min();
  };

  record* find(const std::string& address);
  record* find_or_make(const std::string& address, time_point now);
  static std::size_t& count(record& one, look which) { return one.tokens[static_cast<std::size_t>(which)]; }
  static void forget_mistakes(record& one, time_point now);
  static bool is_resting(record one, time_point now);

  std::unordered_map<std::string, record> known_;
  time_point next_look_ = time_point::min();
};

} // namespace troupe::protocol
