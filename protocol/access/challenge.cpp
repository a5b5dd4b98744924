#include "protocol/access/challenge.hpp"

#include "protocol/access/issuer.hpp"
#include "protocol/text/json.hpp"
#include "protocol/text/words.hpp"

#include <algorithm>
#include <utility>

namespace troupe::protocol {

namespace {

/// Escapes quotes and backslashes, and drops all characters that a quoted string cannot have (RFC 9110, 5.6.4).
std::string quotable(std::string_view text) {
  std::string result;
  for (auto c : text) {
    if (c < 0x20 || c > 0x7e)
      continue;
    if (c == '"' || c == '\\')
      result += '\\';
    result += c;
  }
  return result;
}

void add_parameter(std::string& to, std::string_view name, std::string_view value) {
  if (value.empty())
    return;
  to.append(to.ends_with(' ') ? "" : ", ").append(name).append("=\"").append(quotable(value)).append("\"");
}

/// Makes a rejection with a challenge. Its body is an OAuth error (RFC 6749, 5.2), which clients know.
rejection with_challenge(int status, std::string text, const challenge& what) {
  auto error = what.error.empty() ? std::string_view{"invalid_token"} : what.error;
  auto body = R"({"error":)" + quoted(error) + R"(,"error_description":)" + quoted(text) + "}";
  return {
      status,         error_code::invalid_request, std::move(text), {}, {{"WWW-Authenticate", challenge_text(what)}},
      std::move(body)};
}

} // namespace

std::string challenge_text(const challenge& what) {
  std::string result = "Bearer ";
  add_parameter(result, "error", what.error);
  add_parameter(result, "error_description", what.description);
  add_parameter(result, "scope", joined(what.scopes, " "));
  add_parameter(result, "resource_metadata", what.metadata_url);
  if (result.ends_with(' '))
    result.pop_back();
  return result;
}

rejection unauthorized(const challenge& what) {
  return with_challenge(401, what.description.empty() ? "a key or a token is required" : std::string{what.description},
                        what);
}

rejection insufficient_scope(challenge what) {
  what.error = "insufficient_scope";
  return with_challenge(403, "this needs the scopes " + joined(what.scopes, " "), what);
}

rejection insufficient_scope(std::vector<std::string> every_request, const std::vector<std::string>& more) {
  std::erase(every_request, offline_access);
  for (auto& one : more)
    if (std::ranges::find(every_request, one) == every_request.end())
      every_request.push_back(one);
  return insufficient_scope({.scopes = std::move(every_request)});
}

rejection bad_authorization(std::string_view why) {
  return with_challenge(400, std::string{why}, {.error = "invalid_request", .description = why});
}

} // namespace troupe::protocol
