#pragma once

#include "protocol/message/message.hpp"

#include <string>
#include <string_view>

namespace troupe::protocol {

/// Whether the message is an `initialize` request.
inline bool is_initialize(const message& one) { return is_request(one) && one.method == "initialize"; }

/// A string among the `params` of a message; empty when there is none of that name.
inline std::string string_param(const message& of, std::string_view name) {
  auto token = find_member(of.text, {"params", name});
  return token ? string_value(*token).value_or("") : "";
}

/// Whether a response says that its request has succeeded.
inline bool has_result(const message& response) { return find_member(response.text, {"result"}).has_value(); }

} // namespace troupe::protocol
