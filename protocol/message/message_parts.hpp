#pragma once

#include "protocol/message/message.hpp"
#include "protocol/text/member_start.hpp"
#include "protocol/text/string_member.hpp"

#include <optional>
#include <string>
#include <string_view>

namespace troupe::protocol {

/// Whether the message is an `initialize` request.
inline bool is_initialize(const message& one) { return is_request(one) && one.is_method("initialize"); }

/// A string among the `params` of a message; empty when there is none of that name.
inline std::string string_param(const message& of, std::string_view name) {
  return string_member(of.text, {"params", name});
}

/// The `name` among the `params` of a request, as it stands there; nothing when there is none.
inline std::optional<std::string_view> name_token(const message& request) {
  const auto& [at, size] = request.name_at;
  if (size != 0 && at + size <= request.text.size())
    return std::string_view{request.text}.substr(at, size);
  return find_member(request.text, {"params", "name"});
}

/// Its characters; empty when there is no such string.
inline std::string name_param(const message& request) {
  auto token = name_token(request);
  return token ? string_value(*token).value_or("") : "";
}

/// How a request ended that is answered by this error, or by this result.
call_outcome outcome_of_error(std::string_view error);
call_outcome outcome_of_result(std::string_view result);

/// The `code` of an error object, or of the error that a response is, however the number is written; 0 when there is
/// none.
int code_of_error(std::string_view error);
int error_code_of(const message& response);

/// Whether a response says that its request has succeeded.
inline bool has_result(const message& response) { return member_start(response.text, {"result"}).has_value(); }

} // namespace troupe::protocol
