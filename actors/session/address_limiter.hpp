#pragma once

#include "net/guarded.hpp"
#include "protocol/http/callers.hpp"
#include "protocol/http/client_address.hpp"

#include <optional>
#include <string>
#include <utility>

namespace troupe::actors {

/// Limits what the clients at each address ask for, for the brokers of all units. Callable from any thread. An empty
/// address has no limits.
class address_limiter {
public:
  explicit address_limiter(const protocol::caller_rules& rules = {}, protocol::ip_networks trusted = {})
      : trusted_{std::move(trusted)}, callers_{protocol::callers{rules}} {}

  /// The address that a request counts for; empty when it is not limited.
  std::string address_of(const protocol::http_request& request) const {
    return protocol::client_address(request, trusted_);
  }

  std::optional<protocol::rejection> request(const std::string& address, protocol::time_point now) {
    return ask(address, [&](auto& callers) { return callers.request(address, now); });
  }
  std::optional<protocol::rejection> initialize(const std::string& address, protocol::time_point now) {
    return ask(address, [&](auto& callers) { return callers.initialize(address, now); });
  }
  std::optional<protocol::rejection> call(const std::string& address, protocol::time_point now) {
    return ask(address, [&](auto& callers) { return callers.call(address, now); });
  }
  void call_ended(const std::string& address, protocol::time_point now) {
    callers_.with([&](auto& callers) { callers.call_ended(address, now); });
  }

private:
  template <class Question>
  std::optional<protocol::rejection> ask(const std::string& address, Question question) {
    return address.empty() ? std::nullopt : callers_.with(question);
  }

  protocol::ip_networks trusted_;
  net::guarded<protocol::callers> callers_;
};

} // namespace troupe::actors
