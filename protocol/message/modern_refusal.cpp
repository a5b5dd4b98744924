#include "protocol/message/modern_refusal.hpp"

#include "protocol/message/message_parts.hpp"
#include "protocol/rejection.hpp"

#include <algorithm>
#include <array>

namespace troupe::protocol {

namespace {

constexpr std::array<int, 6> may_be = {error_code::unsupported_stateless_version,
                                       error_code::missing_capability,
                                       error_code::header_mismatch,
                                       error_code::method_not_found,
                                       error_code::invalid_params,
                                       error_code::invalid_request};

} // namespace

bool may_be_modern(const message& answer) { return std::ranges::find(may_be, error_code_of(answer)) != may_be.end(); }

bool is_surely_modern(const message& answer, int status) {
  const auto code = error_code_of(answer);
  return names_versions(answer) || code == error_code::header_mismatch || code == error_code::missing_capability ||
         (status == 404 && code == error_code::method_not_found);
}

bool names_versions(const message& answer) {
  auto supported = find_member(answer.text, {"error", "data", "supported"});
  return error_code_of(answer) == error_code::unsupported_stateless_version && supported && supported->starts_with('[');
}

} // namespace troupe::protocol
