#pragma once

#include <chrono>
#include <cstddef>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

namespace troupe::protocol {

/// How a remote server's tokens are obtained from its authorization server.
struct grant_rules {
  enum class kind {
    /// The gateway's own token (RFC 6749, 4.4).
    client_credentials,
    /// For each caller, in exchange for its own token (RFC 8693).
    token_exchange
  };
  enum class proof { basic, post };

  kind is = kind::client_credentials;
  /// One of the two: whose metadata names the token endpoint, or that itself.
  std::string issuer = {};
  std::string endpoint = {};
  std::string client_id;
  std::string client_secret;
  /// How the client shows that it is the client (RFC 6749, 2.3.1).
  proof by = proof::basic;
  std::vector<std::string> scopes = {};
  /// The server that the token is for (RFC 8707); empty when that is not said.
  std::string resource = {};
  std::string audience = {};
};

/// The value of `Authorization` by which a client proves who it is (RFC 6749, 2.3.1).
std::string basic_authorization(std::string_view client_id, std::string_view client_secret);

/// The form that is sent to the token endpoint. `subject` is the caller's token, of which only an exchange knows.
std::string grant_form(const grant_rules& rules, std::string_view subject);
/// What is sent with it.
std::vector<std::pair<std::string, std::string>> grant_fields(const grant_rules& rules);

/// Longest token that is shown to a server, in bytes.
inline constexpr std::size_t longest_granted_token = 16 * 1024;

/// What a token endpoint has granted.
struct granted_token {
  std::string text;
  /// How long it is good; a while when that is not said.
  std::chrono::seconds life = {};
  bool is_life_told = false;
  friend bool operator==(const granted_token&, const granted_token&) = default;
};

/// Whether a request was granted: RFC 6749, 5.1 says 200, but some issuers answer 201.
constexpr bool is_success(int status) { return status >= 200 && status < 300; }

/// Reads the answer of a token endpoint (RFC 6749, 5; RFC 8693, 2.2). Otherwise why there is no token, one line.
std::variant<granted_token, std::string> read_grant_answer(int status, std::string_view body);

} // namespace troupe::protocol
