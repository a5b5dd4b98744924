#pragma once

#include "protocol/oauth/login_token.hpp"
#include "protocol/remote/bearer_challenge.hpp"
#include "protocol/remote/remote_effects.hpp"

#include <cstdint>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

namespace troupe::protocol {

/// Reason why a document or an answer is unusable, in one line.
struct oauth_problem {
  std::string why;
  friend bool operator==(const oauth_problem&, const oauth_problem&) = default;
};

/// True if tokens and codes may be sent to a URL that a server has named (2025-11-25, authorization, "Communication
/// Security"). Such a URL uses TLS, or both it and the server are on this machine.
bool is_safe_url(const std::string& url, const std::string& server_url);

/// Returns the possible URLs of the document about a server, in the order of the search (RFC 9728, 3 and 5.1;
/// 2025-11-25, authorization, "Protected Resource Metadata Discovery Requirements"). Servers name URLs without a
/// document.
std::vector<std::string> resource_document_urls(const std::string& server_url, const bearer_challenge& told);

/// Metadata of a protected resource, the server (RFC 9728, 2).
struct resource_document {
  /// Resource that tokens are requested for.
  std::string resource;
  /// Authorization servers that grant tokens for it, at least one. The client chooses (RFC 9728, 7.6).
  std::vector<std::string> issuers;
  std::vector<std::string> scopes = {};
};
/// Parses the document: `resource` must have the server's origin and a prefix of its path.
std::variant<resource_document, oauth_problem> read_resource_document(std::string_view text,
                                                                      const std::string& server_url);
/// Returns the defaults for servers without a document, as of 2025-03-26: the server's origin is the issuer.
resource_document assumed_resource(const std::string& server_url);

/// Metadata of an authorization server (RFC 8414, 2).
struct authorization_server {
  std::string issuer;
  std::string authorization_url;
  std::string token_url;
  /// Empty when clients cannot register.
  std::string registration_url = {};
  /// Authentication of a registered client (RFC 7591, 2), among the methods that the server and we support: `none` if
  /// possible.
  std::string registered_proof = "none";
  bool has_refresh_tokens = true;
  /// Whether the server names itself in its answers (RFC 9207).
  bool names_itself = false;
  /// Whether the server grants refresh tokens to clients that request `offline_access`.
  bool has_offline_access = false;
  /// Whether clients must send their secret in the form.
  bool takes_secret_in_form = false;
};
/// Parses the metadata: it must name the expected issuer, and PKCE by S256 (2025-11-25, authorization, "Authorization
/// Code Protection"). `assumes_pkce`: the user vouches for PKCE, where the metadata does not name it.
std::variant<authorization_server, oauth_problem> read_authorization_server(std::string_view text,
                                                                            const std::string& issuer,
                                                                            const std::string& server_url,
                                                                            bool assumes_pkce = false);
/// Returns the defaults for servers without metadata, as of 2025-03-26 (authorization, "Fallbacks for Servers without
/// Metadata Discovery"). Such servers must support PKCE, too.
std::variant<authorization_server, oauth_problem> assumed_server(const std::string& issuer,
                                                                 const std::string& server_url);

/// Secrets of one login: `challenge` is the digest of `verifier` (RFC 7636, 4.2).
struct login_secrets {
  std::string verifier;
  std::string challenge;
  std::string state;
};

/// POST to an authorization server.
struct oauth_form {
  std::string url;
  http_fields fields;
  std::string body;
  friend bool operator==(const oauth_form&, const oauth_form&) = default;
};

/// Returns the URL for the user's browser (RFC 6749, 4.1.1; RFC 7636; RFC 8707). `of` has the client, its redirect URL,
/// the resource and the scope.
std::string authorization_request_url(const authorization_server& server, const kept_login& of,
                                      const login_secrets& secrets);
oauth_form code_form(const kept_login& of, std::string_view code, std::string_view verifier);
oauth_form refresh_form(const kept_login& of);
/// Returns the registration of a program that its user runs (RFC 7591, 2).
oauth_form registration_form(const authorization_server& server, const std::string& redirect_url,
                             const std::string& scope);

/// Stores the answer to a form in `into`. Returns the reason why the answer is unusable; empty when it is usable.
std::string read_registration(int status, std::string_view body, kept_login& into);
std::string read_tokens(int status, std::string_view body, std::int64_t now, kept_login& into);

/// Parameters of the browser's return (RFC 6749, 4.1.2).
struct login_return {
  std::string state = {};
  std::string code = {};
  std::string error = {};
  std::string issuer = {};
  /// Whether a parameter is repeated or cannot be decoded, and therefore empty here (RFC 6749, 3.1).
  bool is_unclear = false;
};
/// Parses the query of a URL.
login_return read_login_return(std::string_view query);

/// Returns the code of a login if it may be used; otherwise why there is none (RFC 9207, 2.4).
std::variant<std::string, oauth_problem> code_of(const login_return& from, const authorization_server& server);

} // namespace troupe::protocol
