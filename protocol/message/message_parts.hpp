#pragma once

#include "protocol/message/message.hpp"
#include "protocol/text/member_start.hpp"
#include "protocol/text/string_member.hpp"

#include <string>
#include <string_view>

namespace troupe::protocol {

/// Whether the message is an `initialize` request.
inline bool is_initialize(const message& one) { return is_request(one) && one.is_method("initialize"); }

/// A string among the `params` of a message; empty when there is none of that name.
inline std::string string_param(const message& of, std::string_view name) {
  return string_member(of.text, {"params", name});
}

/// Whether a response says that its request has succeeded.
inline bool has_result(const message& response) { return member_start(response.text, {"result"}).has_value(); }

} // namespace troupe::protocol
