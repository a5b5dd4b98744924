#pragma once

#include "deploy/connect/connect_command.hpp"
#include "deploy/connect/login_callback.hpp"
#include "deploy/connect/login_file.hpp"
#include "net/client/http_client.hpp"
#include "net/client/http_fetch.hpp"
#include "net/io_thread.hpp"
#include "protocol/oauth/login_token.hpp"
#include "protocol/oauth/oauth_login.hpp"

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace troupe::deploy {

/// Runs the user's logins at one server, one at a time, and stores the tokens. Programs that want a login at the same
/// server at once wait for each other: the user logs in once. Lives on its io thread.
class user_login {
public:
  using on_token = std::function<void(std::string token, protocol::time_point until)>;
  using on_failure = std::function<void(const std::string& why)>;

  user_login(net::io_thread& thread, const connect_command& command, const net::http_client_options& client,
             log_sink log);
  ~user_login();
  user_login(const user_login&) = delete;
  user_login& operator=(const user_login&) = delete;

  void tell(on_token token, on_failure failure);
  /// Calls `on_token` with the stored token, if there is one.
  void begin_with_kept();
  /// Begins a login. Later, never within this call, calls either `on_token` or `on_failure`.
  void begin(const protocol::want_login& request);
  /// Stops the login. If one is under way, calls `on_failure` within this call.
  void stop();

private:
  std::optional<protocol::kept_login> kept() const;
  std::string why_not_again() const;
  bool lacks_scopes() const;
  bool was_just(const std::optional<net::io_thread::clock::time_point>& when) const;
  void take_turn();
  void log_in();
  void give(const protocol::kept_login& login);
  void fail(const std::string& why);
  void ask(net::http_call what);
  login_callback::on_return on_return();
  void returned(const std::string& query, login_callback::visit from, std::uint64_t to);
  void later(net::io_thread::timer_id& when, std::chrono::milliseconds time, void (user_login::*what)());
  void give_up() { carry_out(login_->given_up()); }
  void close_callback() { callback_.reset(); }
  void forget_client() const;

  void carry_out(protocol::login_effects effects);
  void perform(const protocol::get_document& effect);
  void perform(protocol::oauth_form& effect);
  void perform(const protocol::open_callback& effect);
  void perform(const protocol::ask_user& effect);
  void perform(const protocol::login_done& effect);
  void perform(const protocol::login_failed& effect);

  net::io_thread& thread_;
  const login_options options_;
  const protocol::login_rules rules_;
  log_sink log_;
  login_file file_;
  net::http_client client_;
  on_token told_;
  on_failure failed_;
  protocol::want_login request_;
  std::optional<protocol::oauth_login> login_;
  std::unique_ptr<login_callback> callback_;
  /// Number of callbacks opened; a redirect to an earlier callback is ignored.
  std::uint64_t callbacks_ = 0;
  /// Reason not to ask the user again; empty if the user may be asked.
  std::string never_again_;
  bool is_under_way_ = false;
  /// Last token of this process; when the user, and when a refresh token last gave one.
  std::string last_token_;
  std::optional<net::io_thread::clock::time_point> asked_at_;
  std::optional<net::io_thread::clock::time_point> refreshed_at_;
  /// Scopes that the server demanded for the last token.
  std::vector<std::string> last_scopes_;
  net::io_thread::timer_id next_{};
  net::io_thread::timer_id closes_{};
  /// Expires with this object: callbacks hold it weakly.
  std::shared_ptr<user_login*> self_ = std::make_shared<user_login*>(this);
};

} // namespace troupe::deploy
