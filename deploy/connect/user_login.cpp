#include "deploy/connect/user_login.hpp"

#include "deploy/log/write_out.hpp"
#include "net/crypto.hpp"
#include "protocol/grants/token_grant.hpp"
#include "protocol/text/base_encodings.hpp"
#include "protocol/text/url.hpp"
#include "protocol/time.hpp"

#include <algorithm>
#include <chrono>
#include <exception>
#include <string_view>
#include <utility>
#include <variant>

#include <unistd.h>

namespace troupe::deploy {

namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;

/// Time limit for the user to log in.
constexpr std::chrono::minutes longest_login{5};
/// A token that the server refuses within this time is not replaced by the same method.
constexpr std::chrono::minutes trust_time{1};
/// Interval between attempts to take the lock of the login file, which another program has.
constexpr milliseconds between_turns{200};
/// Time for which the callback's port stays open after a login.
constexpr seconds page_time{2};
/// Returns the time for which a token is used; 0 if it has expired.
milliseconds use_of(milliseconds life) { return std::max(life - protocol::renewal_margin(life), milliseconds{0}); }

std::int64_t seconds_since_1970() {
  return std::chrono::duration_cast<seconds>(std::chrono::system_clock::now().time_since_epoch()).count();
}

std::string long_secret() { return protocol::hex(net::random_128()) + protocol::hex(net::random_128()); }

std::string_view bytes_of(const std::array<std::byte, 32>& digest) {
  return {reinterpret_cast<const char*>(digest.data()), digest.size()};
}

protocol::login_secrets new_secrets() {
  protocol::login_secrets result{long_secret(), {}, long_secret()};
  result.challenge = protocol::base64url(bytes_of(net::digest_256(result.verifier)));
  return result;
}

protocol::login_rules login_rules_of(const connect_command& command) {
  const auto& login = command.login;
  return {.server_url = command.url,
          .client_id = login.client_id,
          .client_secret = login.client_secret,
          .issuer = login.issuer,
          .assumes_pkce = login.assumes_pkce};
}

/// Returns the port of a URL; 0 if the text is no URL.
std::uint16_t port_of(const std::string& url) {
  std::string why_not;
  const auto parts = protocol::parse_http_url(url, why_not);
  return parts ? parts->port : std::uint16_t{0};
}

std::unique_ptr<login_callback> callback_at(std::uint16_t port, const login_callback::on_return& tell) {
  try {
    return std::make_unique<login_callback>(port, tell);
  } catch (const std::exception&) {
    return nullptr;
  }
}

} // namespace

user_login::user_login(net::io_thread& thread, const connect_command& command, const net::http_client_options& client,
                       log_sink log)
    : thread_(thread), options_(command.login), rules_(login_rules_of(command)), log_(std::move(log)),
      file_(command.url, command.login.client_id), client_(thread, client) {}

user_login::~user_login() {
  thread_.cancel(next_);
  thread_.cancel(closes_);
}

void user_login::tell(on_token token, on_failure failure) {
  told_ = std::move(token);
  failed_ = std::move(failure);
}

std::optional<protocol::kept_login> user_login::kept() const {
  auto result = file_.read();
  return result && protocol::may_use(*result, rules_) ? result : std::nullopt;
}

void user_login::begin_with_kept() {
  if (const auto kept = this->kept(); kept && !kept->access_token.empty())
    give(*kept);
}

void user_login::begin(const protocol::want_login& request) {
  request_ = request;
  is_under_way_ = true;
  later(next_, milliseconds{0}, &user_login::take_turn);
}

void user_login::stop() {
  if (!is_under_way_)
    return;
  thread_.cancel(std::exchange(next_, {}));
  login_.reset();
  fail("the client has ended");
}

void user_login::later(net::io_thread::timer_id& when, milliseconds time, void (user_login::*what)()) {
  thread_.cancel(when);
  when = thread_.at(thread_.now() + time, [this, &when, what] {
    when = {};
    (this->*what)();
  });
}

std::string user_login::why_not_again() const {
  if (!never_again_.empty())
    return never_again_;
  if (!last_token_.empty() && lacks_scopes() && request_.told->scopes == last_scopes_)
    return "the server lacks scopes that the user was asked for";
  return "";
}

bool user_login::lacks_scopes() const { return request_.told && request_.told->error == "insufficient_scope"; }

bool user_login::was_just(const std::optional<net::io_thread::clock::time_point>& when) const {
  return when && thread_.now() - *when < trust_time;
}

/// Takes the lock, then logs in. Another program may have stored a newer token meanwhile.
void user_login::take_turn() {
  if (!file_.lock())
    return later(next_, between_turns, &user_login::take_turn);
  const auto kept = this->kept();
  if (kept && !kept->access_token.empty() && kept->access_token != request_.stale)
    return give(*kept);
  if (const auto why = why_not_again(); !why.empty())
    return fail(why);
  log_in();
}

void user_login::log_in() {
  thread_.cancel(std::exchange(closes_, {}));
  callback_.reset();
  login_.emplace(rules_, new_secrets());
  auto kept = this->kept();
  if (kept && request_.told && request_.stale == last_token_ && was_just(refreshed_at_))
    kept->refresh_token.clear(); // tokens from it are refused
  carry_out(login_->begin(request_.told.value_or(protocol::bearer_challenge{}), std::move(kept)));
}

/// Passes on a token. Without a refresh token, it is used until the server refuses it.
void user_login::give(const protocol::kept_login& login) {
  file_.unlock();
  is_under_way_ = false;
  auto until = protocol::time_point::max();
  if (login.expires != 0 && !login.refresh_token.empty())
    until = thread_.now() + use_of(seconds{login.expires - seconds_since_1970()});
  told_(login.access_token, until);
}

void user_login::fail(const std::string& why) {
  file_.unlock();
  is_under_way_ = false;
  log_({why == never_again_ ? log_level::debug : log_level::error, "no login", {{"why", why}}});
  failed_(why);
}

/// Sends a request of the login. Its URL may come from a server: `may_be_private` limits private addresses.
void user_login::ask(net::http_call what) {
  what.may = protocol::may_be_private(what.url, rules_) ? net::reach::any : net::reach::public_only;
  what.fields.emplace_back("Accept", "application/json");
  net::fetch(client_, std::move(what), {}, [this](const net::fetched& got) {
    if (!login_)
      return;
    carry_out(got.status == 0 ? login_->unanswered(got.why_not)
                              : login_->answered(got.status, got.body, seconds_since_1970()));
  });
}

/// Returns the handler of redirects. It runs on a thread of the callback, which ends before this object.
login_callback::on_return user_login::on_return() {
  return [&thread = thread_, self = std::weak_ptr(self_), to = ++callbacks_](std::string query,
                                                                             login_callback::visit from) {
    thread.post([self, query = std::move(query), from, to] {
      if (const auto alive = self.lock())
        (*alive)->returned(query, from, to);
    });
  };
}

/// Handles a redirect; a redirect that belongs to another login is ignored.
void user_login::returned(const std::string& query, login_callback::visit from, std::uint64_t to) {
  if (!callback_ || to != callbacks_)
    return;
  auto effects = login_ ? login_->returned(protocol::read_login_return(query)) : protocol::login_effects{};
  callback_->answer(from, !effects.empty());
  carry_out(std::move(effects));
}

// -- effects -------------------------------------------------------------------------------

void user_login::carry_out(protocol::login_effects effects) {
  for (auto& effect : effects)
    std::visit([this](auto& one) { perform(one); }, effect);
}

void user_login::perform(const protocol::get_document& effect) {
  ask({.method = "GET", .url = effect.url, .follows = true});
}

void user_login::perform(protocol::oauth_form& effect) {
  ask({.method = "POST",
       .url = std::move(effect.url),
       .fields = std::move(effect.fields),
       .body = std::move(effect.body)});
}

/// Opens the callback. Fails if the server refuses the token that the user just got, which would repeat for ever.
/// Prefers the registered port, if it is free; `--callback-port` allows no other.
void user_login::perform(const protocol::open_callback& effect) {
  if (was_just(asked_at_) && request_.told && !lacks_scopes())
    return carry_out(login_->callback_refused("the server refuses the token that it was just given"));
  const auto asked = options_.callback_port != 0 ? options_.callback_port : port_of(effect.registered);
  callback_ = callback_at(asked, on_return());
  if (!callback_ && options_.callback_port == 0)
    callback_ = callback_at(0, on_return());
  carry_out(callback_ ? login_->callback_opened(callback_->url())
                      : login_->callback_refused("the port of --callback-port is taken"));
}

/// Asks the user to log in. Prints the URL on stderr, too, for users without a browser here; it has no secret.
void user_login::perform(const protocol::ask_user& effect) {
  const auto has_browser = options_.opens_browser && open_browser(effect.url);
  write_out(STDERR_FILENO, std::string("troupe: log in at the server") +
                               (has_browser ? " in the browser that opens, or at\n" : ": open\n") + "  " + effect.url +
                               '\n');
  later(next_, longest_login, &user_login::give_up);
}

void user_login::perform(const protocol::login_done& effect) {
  if (const auto why = file_.write(effect.login); !why.empty())
    log_({log_level::warning, "the login cannot be kept", {{"file", file_.path().string()}, {"why", why}}});
  thread_.cancel(std::exchange(next_, {}));
  later(closes_, page_time, &user_login::close_callback);
  last_token_ = effect.login.access_token;
  (effect.by_user ? asked_at_ : refreshed_at_) = thread_.now();
  last_scopes_ = request_.told.value_or(protocol::bearer_challenge{}).scopes;
  log_({log_level::info, "logged in", {{"issuer", effect.login.issuer}}});
  give(effect.login);
}

void user_login::perform(const protocol::login_failed& effect) {
  if (effect.by_user)
    never_again_ = effect.why + "; start again to log in";
  if (effect.doubts_client)
    forget_client();
  thread_.cancel(std::exchange(next_, {}));
  later(closes_, page_time, &user_login::close_callback);
  fail(effect.why);
}

/// Removes the client id: the next login registers a new client.
void user_login::forget_client() const {
  auto kept = file_.read();
  if (!kept)
    return;
  kept->client_id.clear();
  file_.write(*kept);
}

} // namespace troupe::deploy
