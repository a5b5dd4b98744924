#include "deploy/connect/connector.hpp"

#include "actors/runtime/event_log.hpp"
#include "deploy/log/write_out.hpp"
#include "net/client_trust.hpp"
#include "net/crypto.hpp"
#include "protocol/text/base_encodings.hpp"
#include "protocol/text/words.hpp"

#include <algorithm>
#include <chrono>
#include <memory>
#include <unistd.h>
#include <utility>
#include <variant>

namespace troupe::deploy {

namespace {

constexpr std::size_t longest_client_line = std::size_t{64} << 20;
constexpr std::chrono::hours longest_call{1};

/// True if the fields have an `Authorization`.
bool has_credentials(const protocol::http_fields& fields) {
  return std::ranges::any_of(fields, [](auto& one) { return protocol::same_word(one.first, "Authorization"); });
}

std::string secret_word() { return protocol::hex(net::random_128()); }

protocol::remote_options remote_of(const connect_command& command) {
  protocol::remote_options result;
  result.url = command.url;
  result.kind = command.kind;
  result.headers = command.headers;
  result.renews_credentials = command.may_log_in();
  result.read = longest_call + std::chrono::minutes{1};
  result.message = result.held = longest_client_line;
  return result;
}

protocol::bridge_rules rules_of(const connect_command& command) {
  protocol::bridge_rules result;
  result.remote = remote_of(command);
  result.mark = secret_word();
  result.seal = [key = secret_word()](std::string_view text) {
    return std::vector{protocol::hex(net::keyed_digest(key, text))};
  };
  result.seed = net::random_64();
  result.version = TROUPE_VERSION;
  result.longest_line = longest_client_line;
  return result;
}

net::http_client_options http_options_of(const connect_command& command) {
  net::http_client_options result;
  result.trust = std::make_shared<net::client_trust>(command.ca_file);
  result.head = result.silence = {}; // the bridge has the time limits of every call
  return result;
}

} // namespace

bool connect_command::may_log_in() const { return !has_credentials(headers); }

connector::connector(net::io_thread& thread, const connect_command& command, log_sink log, std::function<void()> on_end)
    : thread_(thread), log_(std::move(log)), on_end_(std::move(on_end)),
      lines_(longest_client_line, protocol::overflow::skip), bridge_(rules_of(command)),
      calls_(
          net::http_client_group(http_options_of(command)).on(thread),
          [this](protocol::call_event news) {
            calls_.arrived(std::move(news));
            remind();
          },
          listener_here()) {
  if (!command.may_log_in())
    return;
  login_.emplace(thread, command, http_options_of(command), log_);
  begin_logins();
}

connector::carrier::listener connector::listener_here() {
  return {[this](protocol::http_call_id call) { bridge_.call_waits(call); },
          [this](protocol::call_event news) { carry_out(bridge_.receive_event(std::move(news), now())); },
          [this](const protocol::want_login& what) { want(what); }};
}

/// Sets up logins. A stored login is used from the first request on.
void connector::begin_logins() {
  calls_.use_tokens();
  login_->tell(
      [this](std::string token, protocol::time_point until) {
        clock_.resume(thread_.now());
        calls_.token_given({}, std::move(token), until);
        remind();
      },
      [this](const std::string& why) {
        clock_.resume(thread_.now());
        calls_.token_refused({}, why);
        remind();
      });
  login_->begin_with_kept();
}

connector::~connector() { thread_.cancel(reminder_); }

void connector::client_wrote(std::string_view bytes) {
  for (auto& line : lines_.feed(bytes))
    carry_out(bridge_.client_wrote(std::move(line), now()));
  for (const auto& line : lines_.take_skipped())
    carry_out(bridge_.client_skipped(line, now()));
}

/// Handles the end of stdin. The last line may lack its line break. A login under way fails.
void connector::client_ended() {
  client_wrote("\n");
  client_has_ended_ = true;
  if (login_)
    login_->stop();
  carry_out(bridge_.client_ended(now()));
}

void connector::end() {
  if (auto told = std::exchange(on_end_, nullptr))
    told();
}

void connector::remind() {
  thread_.cancel(std::exchange(reminder_, {}));
  if (const auto when = bridge_.deadline(); when != protocol::time_point::max() && !clock_.is_paused())
    reminder_ = thread_.at(clock_.when(when), [this] {
      reminder_ = {};
      carry_out(bridge_.tick(now()));
    });
}

// -- effects -------------------------------------------------------------------------------

void connector::carry_out(protocol::connect_effects effects) {
  for (auto& effect : effects)
    std::visit([this](auto& one) { perform(one); }, effect);
  if (std::exchange(client_stopped_reading_, false))
    carry_out(bridge_.client_gone(now()));
  remind();
}

void connector::perform(protocol::log_note& effect) {
  log_({actors::level_of(effect.is), std::move(effect.text), std::move(effect.facts)});
}

/// Writes a line to the client. On failure the bridge is notified once all effects are carried out.
void connector::perform(protocol::write_line& effect) {
  effect.text += '\n';
  client_stopped_reading_ = !write_out(STDOUT_FILENO, effect.text).empty() || client_stopped_reading_;
}

// -- logins -----------------------------------------------------------------------------------

/// Starts a login, and stops the clock: the time that the user takes counts against no call.
void connector::want(const protocol::want_login& what) {
  if (client_has_ended_)
    return calls_.token_refused({}, "the client has ended");
  clock_.stop(thread_.now());
  login_->begin(what);
}

} // namespace troupe::deploy
