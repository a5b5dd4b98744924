#pragma once

#include "protocol/oauth/kept_login.hpp"
#include "protocol/oauth/oauth_documents.hpp"
#include "protocol/remote/remote_effects.hpp"

#include <cstdint>
#include <string>
#include <string_view>
#include <variant>

namespace troupe::protocol {

/// What only this login knows: `challenge` is what `verifier` digests to (RFC 7636, 4.2).
struct login_secrets {
  std::string verifier;
  std::string challenge;
  std::string state;
};

/// A POST to an authorization server.
struct oauth_form {
  std::string url;
  http_fields fields;
  std::string body;
  friend bool operator==(const oauth_form&, const oauth_form&) = default;
};

/// Where the user's browser is sent (RFC 6749, 4.1.1; RFC 7636; RFC 8707). `of` has the client, its redirect URL, the
/// resource and the scope.
std::string authorization_request_url(const authorization_server& server, const kept_login& of,
                                      const login_secrets& secrets);
oauth_form code_form(const kept_login& of, std::string_view code, std::string_view verifier);
oauth_form refresh_form(const kept_login& of);
/// Of a program that its user runs (RFC 7591, 2).
oauth_form registration_form(const authorization_server& server, const std::string& redirect_url,
                             const std::string& scope);

/// Takes what was answered to one of the forms into what is kept. Gives why it is of no use, if so; empty otherwise.
std::string take_registration(int status, std::string_view body, kept_login& into);
std::string take_tokens(int status, std::string_view body, std::int64_t now, kept_login& into);

/// What a browser brings back (RFC 6749, 4.1.2).
struct login_return {
  std::string state = {};
  std::string code = {};
  std::string error = {};
  std::string issuer = {};
  /// One of them is there twice, or cannot be decoded, and so is empty here (RFC 6749, 3.1).
  bool is_unclear = false;
};
/// Reads it from the query of a URL.
login_return read_login_return(std::string_view query);

/// The code of a login that may be used; otherwise why there is none (RFC 9207, 2.4).
std::variant<std::string, oauth_problem> code_of(const login_return& from, const authorization_server& server);

} // namespace troupe::protocol
