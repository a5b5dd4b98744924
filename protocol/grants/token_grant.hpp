#pragma once

#include <chrono>
#include <cstddef>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

namespace troupe::protocol {

/// Rules for a remote server's tokens from its authorization server.
struct grant_rules {
  enum class kind {
    /// The gateway's own token (RFC 6749, 4.4).
    client_credentials,
    /// A token for each caller, in exchange for its own (RFC 8693).
    token_exchange
  };
  enum class proof { basic, post };

  kind is = kind::client_credentials;
  /// Either the issuer, whose metadata names the token endpoint, or the endpoint itself.
  std::string issuer = {};
  std::string endpoint = {};
  std::string client_id;
  std::string client_secret;
  /// Authentication of the client (RFC 6749, 2.3.1).
  proof by = proof::basic;
  std::vector<std::string> scopes = {};
  /// Server that the token is for (RFC 8707); empty when it is not sent.
  std::string resource = {};
  std::string audience = {};
};

/// Returns the value of `Authorization` by which a client authenticates (RFC 6749, 2.3.1).
std::string basic_authorization(std::string_view client_id, std::string_view client_secret);

/// Returns the form for the token endpoint. `subject` is the caller's token, which only an exchange needs.
std::string grant_form(const grant_rules& rules, std::string_view subject);
/// Returns the header fields of the form.
std::vector<std::pair<std::string, std::string>> grant_fields(const grant_rules& rules);

/// Longest token for a server, in bytes.
inline constexpr std::size_t longest_granted_token = 16 * 1024;

/// Token that was granted by a token endpoint.
struct granted_token {
  std::string text;
  /// Lifetime; a default when it is not stated.
  std::chrono::seconds life = {};
  bool is_life_told = false;
  friend bool operator==(const granted_token&, const granted_token&) = default;
};

/// Returns how long before its end a token for a server is replaced: calls take time, and clocks differ. A tenth of a
/// short life, so that such a token is not replaced for each request.
std::chrono::milliseconds renewal_margin(std::chrono::milliseconds life);

/// True if a request was granted: RFC 6749, 5.1 requires 200, but some issuers answer 201.
constexpr bool is_success(int status) { return status >= 200 && status < 300; }

/// Parses a token endpoint's answer (RFC 6749, 5; RFC 8693, 2.2); otherwise returns why there is no token, one line.
std::variant<granted_token, std::string> read_grant_answer(int status, std::string_view body);

} // namespace troupe::protocol
