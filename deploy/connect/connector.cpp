#include "deploy/connect/connector.hpp"

#include "deploy/log/write_out.hpp"
#include "net/client_trust.hpp"
#include "net/digest.hpp"
#include "net/random.hpp"
#include "protocol/text/hex.hpp"

#include <chrono>
#include <memory>
#include <utility>
#include <variant>

#include <unistd.h>

namespace troupe::deploy {

namespace {

constexpr std::size_t longest_client_line = std::size_t{64} << 20;
constexpr std::chrono::hours longest_call{1};
/// How long the last word to the server may take.
constexpr std::chrono::seconds farewell_limit{2};

std::string secret_word() { return protocol::hex(net::random_128()); }

protocol::remote_options remote_of(const connect_command& command) {
  protocol::remote_options result;
  result.url = command.url;
  result.kind = command.kind;
  result.headers = command.headers;
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

net::http_client_options client_of(const connect_command& command) {
  net::http_client_options result;
  result.trust = std::make_shared<net::client_trust>(command.ca_file);
  result.head = result.silence = {}; // the bridge keeps the time of every call
  return result;
}

log_level level_of(protocol::log_note::weight weight) {
  switch (weight) {
  case protocol::log_note::weight::debug:
    return log_level::debug;
  case protocol::log_note::weight::info:
    return log_level::info;
  case protocol::log_note::weight::warning:
    return log_level::warning;
  default:
    return log_level::error;
  }
}

} // namespace

connector::connector(net::io_thread& thread, const connect_command& command, log_sink log, std::function<void()> on_end)
    : thread_(thread), log_(std::move(log)), on_end_(std::move(on_end)),
      lines_(longest_client_line, protocol::overflow::skip), bridge_(rules_of(command)),
      client_(thread, client_of(command)) {}

connector::~connector() { thread_.cancel(reminder_); }

void connector::client_wrote(std::string_view bytes) {
  for (auto& line : lines_.feed(bytes))
    carry_out(bridge_.client_wrote(std::move(line), thread_.now()));
  for (const auto& line : lines_.take_skipped())
    carry_out(bridge_.client_skipped(line, thread_.now()));
}

void connector::client_ended() { carry_out(bridge_.client_ended(thread_.now())); }

void connector::end() {
  if (auto told = std::exchange(on_end_, nullptr))
    told();
}

void connector::remind() {
  thread_.cancel(std::exchange(reminder_, {}));
  if (const auto when = bridge_.deadline(); when != protocol::time_point::max())
    reminder_ = thread_.at(when, [this] {
      reminder_ = {};
      carry_out(bridge_.tick(thread_.now()));
    });
}

net::http_call_events connector::events(protocol::http_call_id call) {
  return {[this, call](net::http_answer_head head) {
            tell(call, protocol::call_head{head.status, std::move(head.fields)});
          },
          [this, call](std::string bytes) { tell(call, protocol::call_body{std::move(bytes)}); },
          [this, call] {
            calls_.erase(call);
            tell(call, protocol::call_ended{});
          },
          [this, call](std::string why, bool is_shortage) {
            calls_.erase(call);
            tell(call, protocol::call_failed{std::move(why), is_shortage});
          },
          [this, call] { tell(call, protocol::call_begun{}); }};
}

void connector::tell(protocol::http_call_id call, decltype(protocol::call_news::what) what) {
  carry_out(bridge_.told({call, std::move(what)}, thread_.now()));
}

// -- effects -------------------------------------------------------------------------------

void connector::carry_out(protocol::connect_effects effects) {
  for (auto& effect : effects)
    std::visit([this](auto& one) { apply(one); }, effect);
  remind();
}

void connector::apply(protocol::send_call& effect) {
  const auto call = effect.call;
  const auto started = client_.start({.method = std::move(effect.method),
                                      .url = std::move(effect.url),
                                      .fields = std::move(effect.fields),
                                      .body = std::move(effect.body),
                                      .head_patience = effect.patience,
                                      .silence = effect.patience,
                                      .turn = effect.turn},
                                     events(call));
  calls_.emplace(call, started);
  if (client_.waits(started))
    bridge_.call_waits(call);
}

void connector::apply(const protocol::drop_call& effect) {
  if (auto node = calls_.extract(effect.call); !node.empty())
    client_.abort(node.mapped());
}

void connector::apply(const protocol::release_call& effect) {
  if (const auto at = calls_.find(effect.call); at != calls_.end())
    client_.release(at->second);
}

void connector::apply(protocol::say_farewell& effect) {
  client_.bid_farewell(
      {.method = std::move(effect.method), .url = std::move(effect.url), .fields = std::move(effect.fields)},
      farewell_limit);
}

void connector::apply(protocol::log_note& effect) {
  log_({level_of(effect.is), std::move(effect.text), std::move(effect.facts)});
}

/// A client that has closed its end hears nothing more.
void connector::apply(protocol::write_line& effect) {
  effect.text += '\n';
  if (!write_out(STDOUT_FILENO, effect.text).empty())
    end();
}

} // namespace troupe::deploy
