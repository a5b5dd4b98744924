#pragma once

#include "protocol/oauth/oauth_login.hpp"

#include <map>
#include <optional>
#include <string>
#include <utility>
#include <variant>
#include <vector>

/// Drives `oauth_login` with the answers of an issuer.
namespace troupe::tests::issuer_world {

using namespace protocol;

using texts = std::vector<std::string>;
using page = std::pair<int, std::string>;

inline const std::string server_url = "https://mcp.example.com/mcp";
inline const std::string callback = "http://127.0.0.1:5000/callback";
inline const std::string resource_place = "https://mcp.example.com/.well-known/oauth-protected-resource";
inline const std::string oauth_place = "https://as.example.com/.well-known/oauth-authorization-server";
inline const std::string openid_place = "https://as.example.com/.well-known/openid-configuration";
inline const std::string pkce = R"(,"code_challenge_methods_supported":["S256"])";

inline std::string about(const std::string& issuer, const std::string& resource = server_url) {
  return R"({"resource":")" + resource + R"(","authorization_servers":[")" + issuer + R"("]})";
}

inline std::string metadata(const std::string& issuer, const std::string& more = pkce) {
  return R"({"issuer":")" + issuer +
         R"(","authorization_endpoint":"https://as.example.com/auth","token_endpoint":"https://as.example.com/token",)"
         R"("registration_endpoint":"https://as.example.com/reg")" +
         more + "}";
}

/// The answers of an issuer and a server. The default is a correct login.
struct login_answers {
  std::map<std::string, page> pages = {{resource_place + "/mcp", {200, about("https://as.example.com")}},
                                       {oauth_place, {200, metadata("https://as.example.com")}}};
  page registration = {201, R"({"client_id":"c1"})"};
  page tokens = {200, R"({"access_token":"t1","token_type":"Bearer"})"};
  std::string back = "code=c&state=state";
  bearer_challenge told = {};
  std::optional<kept_login> kept = std::nullopt;
  login_rules rules = {server_url};
};

/// The outcome of a login, with the requests that it made.
struct outcome {
  std::optional<kept_login> login = {};
  std::string why = {};
  bool by_user = false;
  texts places = {};
  std::string asked_user = {};
  std::vector<oauth_form> forms = {};
};

class login_driver {
public:
  explicit login_driver(const login_answers& with)
      : with_{with}, login_{with.rules, {"verifier", "challenge", "state"}} {}

  outcome run() {
    go_on(login_.begin(with_.told, with_.kept));
    return std::move(out_);
  }

private:
  void go_on(const login_effects& effects) {
    for (auto& effect : effects)
      std::visit([this](auto& one) { perform(one); }, effect);
  }
  void perform(const get_document& effect) {
    out_.places.push_back(effect.url);
    const auto found = with_.pages.find(effect.url);
    const auto& [status, text] = found == with_.pages.end() ? page{404, "not found"} : found->second;
    go_on(login_.answered(status, text, 1000));
  }
  void perform(const oauth_form& effect) {
    out_.forms.push_back(effect);
    const auto is_registration = effect.url.ends_with("/reg") || effect.url.ends_with("/register");
    const auto& [status, text] = is_registration ? with_.registration : with_.tokens;
    go_on(login_.answered(status, text, 1000));
  }
  void perform(const open_callback&) { go_on(login_.callback_opened(callback)); }
  void perform(const ask_user& effect) {
    out_.asked_user = effect.url;
    go_on(login_.returned(read_login_return(with_.back)));
  }
  void perform(const login_done& effect) {
    out_.login = effect.login;
    out_.by_user = effect.by_user;
  }
  void perform(const login_failed& effect) { out_.why = effect.why; }

  const login_answers& with_;
  oauth_login login_;
  outcome out_;
};

inline outcome log_in(const login_answers& with) { return login_driver{with}.run(); }

} // namespace troupe::tests::issuer_world
