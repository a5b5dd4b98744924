#pragma once

#include "protocol/time.hpp"

#include <array>
#include <chrono>
#include <cstddef>
#include <string>
#include <unordered_map>

namespace troupe::protocol {

/// Who may have tokens looked at, by the address that they come from: none uses up what others need, and one whose
/// tokens were bad waits longer each time, but for one token at a time: others may be behind the same address. One
/// without a name is not limited: such requests come over a unix socket, are the gateway's own, or show a token that
/// was good before.
class token_turns {
public:
  /// Of one address, at the same time: tokens that wait for the issuer, as many whose signature is checked, requests
  /// that show them, and of these tokens those that the issuer is asked about.
  static constexpr std::size_t most_tokens = 100;
  static constexpr std::size_t most_tickets = 1000;
  static constexpr std::size_t most_asked = 8;
  /// So many bad ones cost nothing, for clients come with tokens that have expired, and are forgotten one by one.
  static constexpr std::size_t free_mistakes = 10;
  static constexpr std::chrono::seconds forgotten_after{5};
  static constexpr std::chrono::milliseconds first_pause{200};
  static constexpr std::chrono::milliseconds longest_pause{10'000};
  /// Addresses of which something is known; further ones are not limited until some of these rest.
  static constexpr std::size_t most_addresses = 10'000;

  /// What is done with a token.
  enum class look { waits_for_issuer, checks_signature };

  /// How long an address has to wait before the issuer is asked about another token of it; nothing when it need not.
  std::chrono::milliseconds pause(const std::string& address, time_point now);
  /// Whether it has its share of tokens, or of requests that show them.
  bool has_all_tokens(const std::string& address, look which) const;
  bool has_all_tickets(const std::string& address) const;
  /// How many of its tokens the issuer is asked about.
  std::size_t asked(const std::string& address) const;
  bool may_ask(const std::string& address) const { return address.empty() || asked(address) < most_asked; }

  // -- facts
  void token_begun(const std::string& address, look which, time_point now);
  /// What it has waited for is there.
  void token_changes(const std::string& address, look from, look to);
  /// It was found to be bad, good, or neither.
  enum class outcome { good, bad, unknown };
  void token_ended(const std::string& address, look which, outcome how, time_point now);
  void ticket_begun(const std::string& address, time_point now);
  void ticket_ended(const std::string& address);
  void ask_begun(const std::string& address);
  void ask_ended(const std::string& address);

  std::size_t size() const { return known_.size(); }

private:
  struct record {
    /// By what is done with them.
    std::array<std::size_t, 2> tokens = {};
    std::size_t tickets = 0;
    std::size_t asked = 0;
    std::size_t mistakes = 0;
    /// Since when one more of these could be forgotten.
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
