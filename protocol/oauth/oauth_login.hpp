#pragma once

#include "protocol/oauth/oauth_messages.hpp"

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

namespace troupe::protocol {

// What a login decides, besides to POST an `oauth_form`. Each GET and POST is answered with `answered` or
// `unanswered`.

struct get_document {
  std::string url;
  friend bool operator==(const get_document&, const get_document&) = default;
};
/// Listen for a browser that comes back, at the place that the client is registered with if it is; answered with
/// `callback_opened`, or `callback_refused`.
struct open_callback {
  std::string registered = {};
  friend bool operator==(const open_callback&, const open_callback&) = default;
};
/// Send the user's browser there; answered with `returned`.
struct ask_user {
  std::string url;
  friend bool operator==(const ask_user&, const ask_user&) = default;
};
/// It is over: there are fresh tokens, which are to be kept.
struct login_done {
  kept_login login;
  /// Not by the refresh token.
  bool by_user = false;
  friend bool operator==(const login_done&, const login_done&) = default;
};
/// It is over. `by_user` when the user was asked: he is not to be asked again without a word.
struct login_failed {
  std::string why;
  bool by_user = false;
  /// The client that was registered before may be known no more.
  bool doubts_client = false;
  friend bool operator==(const login_failed&, const login_failed&) = default;
};

using login_effect = std::variant<get_document, oauth_form, open_callback, ask_user, login_done, login_failed>;
using login_effects = std::vector<login_effect>;

struct login_rules {
  std::string server_url;
  /// Configured; otherwise the client is registered (RFC 7591).
  std::string client_id = {};
  std::string client_secret = {};
  /// The one that may be logged in at; any when it is empty. A secret is for one issuer, so it requires this. It counts
  /// as well where the server names none.
  std::string issuer = {};
  /// Log in though the issuer's metadata do not name PKCE. It is used all the same.
  bool assumes_pkce = false;
};

/// Whether a login that was kept is of an issuer that these rules permit.
bool may_use(const kept_login& login, const login_rules& rules);

/// Whether a URL that a server has named may be on this machine or its network: where the user has said that the server
/// or the issuer is, and anywhere on this machine for a server that is there. All others have to be public.
bool may_be_private(const std::string& url, const login_rules& rules);

/// One login of a user at a remote server (2025-11-25, authorization): by the refresh token of the last one, or in the
/// browser. Facts in, effects out.
class oauth_login {
public:
  oauth_login(login_rules rules, login_secrets secrets) : rules_{std::move(rules)}, secrets_{std::move(secrets)} {}

  /// The server has said that it needs a token, or another than that of `kept`.
  login_effects begin(bearer_challenge told, std::optional<kept_login> kept);
  /// `now` is in seconds since 1970.
  login_effects answered(int status, std::string_view body, std::int64_t now);
  login_effects unanswered(const std::string& why);
  login_effects callback_opened(const std::string& url);
  login_effects callback_refused(const std::string& why);
  /// Nothing follows from what comes back from another login.
  login_effects returned(const login_return& from);
  /// The user has taken too long.
  login_effects given_up();

  bool is_over() const { return step_ == step::over; }

private:
  enum class step { refresh, resource, server, callback, registration, user, code, over };

  login_effects discover();
  login_effects take_refreshed(int status, std::string_view body, std::int64_t now);
  login_effects take_resource(int status, std::string_view body);
  resource_document resource_without_document() const;
  login_effects choose_server(resource_document about);
  login_effects look_for_next_server();
  login_effects take_server(int status, std::string_view body);
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
  /// The client was registered by an earlier login.
  bool reuses_client_ = false;
  bearer_challenge told_;
  /// Where documents are looked for yet, the next one first.
  std::vector<std::string> places_;
  resource_document about_;
  /// The issuer that is looked for, or was found, and those that are tried after it, the next one first.
  std::string issuer_;
  std::vector<std::string> other_issuers_;
  /// Neither the server nor its origin has said anything about authorization: there may be the paths of 2025-03-26.
  bool is_untold_ = false;
  /// Why metadata that were found cannot be used; empty when none were.
  std::string problem_ = {};
  authorization_server server_;
  /// What was kept, and what is becoming of it.
  kept_login login_;
};

} // namespace troupe::protocol
