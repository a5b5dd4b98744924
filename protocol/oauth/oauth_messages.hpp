#pragma once

#include "protocol/oauth/kept_login.hpp"
#include "protocol/remote/bearer_challenge.hpp"
#include "protocol/remote/remote_effects.hpp"

#include <cstdint>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

namespace troupe::protocol {

/// Why a document or an answer cannot be used, in one line.
struct oauth_problem {
  std::string why;
  friend bool operator==(const oauth_problem&, const oauth_problem&) = default;
};

/// Whether tokens and codes may travel to a URL that a server has named: over TLS, or within this machine when the
/// server is here itself (2025-11-25, authorization, "Communication Security").
bool is_safe_url(const std::string& url, const std::string& server_url);

/// Where the document about a server may be, in the order in which it is looked for (RFC 9728, 3 and 5.1; 2025-11-25,
/// authorization, "Protected Resource Metadata Discovery Requirements"). Servers name places where nothing is.
std::vector<std::string> resource_document_urls(const std::string& server_url, const bearer_challenge& told);

/// What a server says of itself (RFC 9728, 2).
struct resource_document {
  /// What tokens for it are asked for.
  std::string resource;
  /// The authorization servers that grant tokens for it, at least one. The client chooses (RFC 9728, 7.6).
  std::vector<std::string> issuers;
  std::vector<std::string> scopes = {};
};
/// It has to be about the server: `resource` has its origin and a beginning of its path.
std::variant<resource_document, oauth_problem> read_resource_document(std::string_view text,
                                                                      const std::string& server_url);
/// What counts when there is none, as with servers of 2025-03-26: the server's origin is the issuer.
resource_document assumed_resource(const std::string& server_url);

/// What an authorization server says of itself (RFC 8414, 2).
struct authorization_server {
  std::string issuer;
  std::string authorization_url;
  std::string token_url;
  /// Empty when it registers nobody.
  std::string registration_url = {};
  /// How a client that is registered shows who it is (RFC 7591, 2), of the ways that the server has and we know: `none`
  /// where it can be.
  std::string registered_proof = "none";
  bool has_refresh_tokens = true;
  /// It names itself in its answers (RFC 9207).
  bool names_itself = false;
  /// It gives refresh tokens to who asks for that.
  bool has_offline_access = false;
  /// Clients may show their secret in the form only.
  bool takes_secret_in_form = false;
};
/// It has to name the issuer that was looked for, and PKCE by S256 (2025-11-25, authorization, "Authorization
/// Code Protection").
/// `assumes_pkce`: the user says that it does, where it does not say so itself.
std::variant<authorization_server, oauth_problem> read_authorization_server(std::string_view text,
                                                                            const std::string& issuer,
                                                                            const std::string& server_url,
                                                                            bool assumes_pkce = false);
/// What counts when it has no metadata, as with servers of 2025-03-26 (authorization, "Fallbacks for Servers without
/// Metadata Discovery"), which have to support PKCE all the same.
std::variant<authorization_server, oauth_problem> assumed_server(const std::string& issuer,
                                                                 const std::string& server_url);

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
