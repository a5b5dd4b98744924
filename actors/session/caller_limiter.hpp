#pragma once

#include "net/guarded.hpp"
#include "protocol/access/principal.hpp"
#include "protocol/http/caller_limits.hpp"
#include "protocol/http/original_request.hpp"

#include <optional>
#include <string>
#include <utility>

namespace troupe::actors {

/// Limits the requests of each caller, for the brokers of all units. A caller is a principal, or else all clients at
/// one address. Callable from any thread. A default-constructed one has no limits.
class caller_limiter {
public:
  explicit caller_limiter(const protocol::caller_rules& rules = {}, protocol::ip_networks trusted = {})
      : trusted_{std::move(trusted)}, callers_{protocol::caller_limits{rules}} {}

  /// Returns the caller that a request counts for: the principal or, when null, the client's address. A principal that
  /// uses several clients is one caller.
  std::string caller_key(const protocol::http_request& request, const protocol::caller& principal) const {
    if (!principal)
      return protocol::client_address(request, trusted_);
    std::string result;
    result.reserve(principal->issuer.size() + principal->subject.size() + 8);
    result.append("@").append(std::to_string(principal->issuer.size())).append(":");
    return result.append(principal->issuer).append(principal->subject);
  }

  std::optional<protocol::rejection> request(const std::string& who, protocol::time_point now) {
    return ask(who, [&](auto& callers) { return callers.request(who, now); });
  }
  std::optional<protocol::rejection> initialize(const std::string& who, protocol::time_point now) {
    return ask(who, [&](auto& callers) { return callers.initialize(who, now); });
  }
  std::optional<protocol::rejection> call(const std::string& who, protocol::time_point now) {
    return ask(who, [&](auto& callers) { return callers.call(who, now); });
  }
  void call_ended(const std::string& who, protocol::time_point now) {
    callers_.with([&](auto& callers) { callers.call_ended(who, now); });
  }

private:
  template <class Question>
  std::optional<protocol::rejection> ask(const std::string& who, Question question) {
    return who.empty() ? std::nullopt : callers_.with(question);
  }

  protocol::ip_networks trusted_;
  net::guarded<protocol::caller_limits> callers_;
};

} // namespace troupe::actors
