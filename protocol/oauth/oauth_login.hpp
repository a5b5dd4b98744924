#pragma once

#include "protocol/access/issuer.hpp"
#include "protocol/oauth/oauth_messages.hpp"

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

namespace troupe::protocol {

// Effects of a login, besides the POST of an `oauth_form`. Each GET and POST is answered with `answered` or
// `unanswered`.

struct get_document {
  std::string url;
  friend bool operator==(const get_document&, const get_document&) = default;
};
/// Listen for the browser's return, at the URL that the client is registered with, if any; answered with
/// `callback_opened` or `callback_refused`.
struct open_callback {
  std::string registered = {};
  friend bool operator==(const open_callback&, const open_callback&) = default;
};
/// Send the user's browser to this URL; answered with `returned`.
struct ask_user {
  std::string url;
  friend bool operator==(const ask_user&, const ask_user&) = default;
};
/// The login has succeeded: its new tokens are to be stored.
struct login_done {
  kept_login login;
  /// Whether the user logged in; false after a refresh.
  bool by_user = false;
  friend bool operator==(const login_done&, const login_done&) = default;
};
/// The login has failed. `by_user`: the user was asked, and is not to be asked again without notice.
struct login_failed {
  std::string why;
  bool by_user = false;
  /// Whether the server may not know the client of an earlier registration any more.
  bool doubts_client = false;
  friend bool operator==(const login_failed&, const login_failed&) = default;
};

using login_effect = std::variant<get_document, oauth_form, open_callback, ask_user, login_done, login_failed>;
using login_effects = std::vector<login_effect>;

struct login_rules {
  std::string server_url;
  /// Id of the configured client; otherwise the client is registered (RFC 7591).
  std::string client_id = {};
  std::string client_secret = {};
  /// Only permitted issuer; any when empty. A secret requires it, since it is for one issuer. Also counts where the
  /// server names none.
  std::string issuer = {};
  /// Log in though the issuer's metadata does not name PKCE. PKCE is used all the same.
  bool assumes_pkce = false;
};

/// True if a stored login is of an issuer that these rules permit.
bool may_use(const kept_login& login, const login_rules& rules);

/// True if a URL named by a server may be on this machine or its network. Permitted are the places of the server and
/// the issuer that the user has named, and all of this machine for a server on it. All other URLs must be public.
bool may_be_private(const std::string& url, const login_rules& rules);

/// Login of a user at a remote server (2025-11-25, authorization): by the last refresh token, or in the browser. Facts
/// in, effects out.
class oauth_login {
public:
  oauth_login(login_rules rules, login_secrets secrets) : rules_{std::move(rules)}, secrets_{std::move(secrets)} {}

  /// The server requires a token, or another one than that of `kept`.
  login_effects begin(bearer_challenge told, std::optional<kept_login> kept);
  /// `now` is in seconds since 1970.
  login_effects answered(int status, std::string_view body, std::int64_t now);
  login_effects unanswered(const std::string& why);
  login_effects callback_opened(const std::string& url);
  login_effects callback_refused(const std::string& why);
  /// Takes the browser's return; ignores the return of another login.
  login_effects returned(const login_return& from);
  /// The user has taken too long.
  login_effects given_up();

  bool is_over() const { return step_ == step::over; }

private:
  enum class step { refresh, resource, server, callback, registration, user, code, over };

  login_effects discover();
  login_effects receive_refreshed_tokens(int status, std::string_view body, std::int64_t now);
  login_effects receive_resource_metadata(int status, std::string_view body);
  resource_document resource_without_document() const;
  login_effects choose_server(resource_document about);
  login_effects look_for_next_server();
  login_effects receive_server_metadata(int status, std::string_view body);
  login_effects next_place(const std::string& why_not_this);
  login_effects use_server(authorization_server server);
  login_effects register_client();
  login_effects send_user();
  login_effects done();
  login_effects fail(std::string why, bool doubts_client = false);
  std::string wanted_scope() const;

  const login_rules rules_;
  const login_secrets secrets_;
  step step_ = step::over;
  bool asked_user_ = false;
  /// Whether the client was registered by an earlier login.
  bool reuses_client_ = false;
  bearer_challenge told_;
  /// Search for the document about the server, and then for the metadata of its issuer.
  document_search search_;
  resource_document about_;
  /// Issuer that is being tried or was found, and those to try after it, the next one first.
  std::string issuer_;
  std::vector<std::string> other_issuers_;
  /// True while neither server nor origin has said anything about authorization: the paths of 2025-03-26 may exist.
  bool is_untold_ = false;
  /// Reason why the metadata found is unusable; empty when none was found.
  std::string problem_ = {};
  authorization_server server_;
  /// Stored login, and its changes by this one.
  kept_login login_;
};

} // namespace troupe::protocol
