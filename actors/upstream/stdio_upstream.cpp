#include "actors/upstream/stdio_upstream.hpp"

#include "protocol/message/skipped_message.hpp"

#include <array>

namespace troupe::actors {

namespace {

/// How much of a line that is no message is shown, in bytes.
constexpr std::size_t longest_shown = 200;

} // namespace

stdio_upstream_state::stdio_upstream_state(pinned<interface>* self, net::io_thread& thread, server_actor server,
                                           downstream_actor user, std::string session,
                                           std::shared_ptr<const stdio_setup> setup)
    : self_{self}, thread_{thread}, user_{std::move(server), std::move(user), std::move(session), self->at().now()},
      setup_{std::move(setup)} {}

stdio_upstream_actor::behavior_type stdio_upstream_state::make_behavior() {
  start();
  user_.bind(self_);
  return {
      [this](to_server& msg) { write(msg); },
      [this](child_wrote& msg) {
        for (auto& line : msg.lines)
          take_line(std::move(line));
      },
      [](user_left&) {}, // has one user, with whom it ends
      [this](report_request& msg) { report(msg.to); },
      [this](serve_user& msg) { user_.become(self_, msg); },
      [this](child_skipped& msg) { take_skipped(msg.line); },
      [this](child_complained& msg) {
        for (auto& line : msg.lines)
          log_its(log_level::info, "server stderr", {{"line", std::move(line)}});
      },
      [this](child_lost& msg) {
        lose(msg);
        self_->quit();
      },
  };
}

/// One that cannot be started is lost like any other, in the one place where that is told.
void stdio_upstream_state::start() {
  net::start_failure why_not;
  child_ = net::child_process::start(thread_, setup_->command, setup_->limits, events(), why_not);
  if (child_)
    log(log_level::debug, "server started", {{"pid", std::to_string(child_->pid())}});
  else
    caf::anon_send(caf::actor_cast<caf::actor>(self_), child_lost{std::move(why_not.text), why_not.is_shortage});
}

net::child_events stdio_upstream_state::events() {
  auto tell = [self = self_->address()](auto fact) {
    if (auto alive = caf::actor_cast<caf::actor>(self))
      caf::anon_send(alive, std::move(fact));
  };
  return {
      [tell](std::vector<std::string> lines) { tell(child_wrote{std::move(lines)}); },
      [tell](std::vector<std::string> lines) { tell(child_complained{std::move(lines)}); },
      [tell](protocol::skipped_line line) { tell(child_skipped{std::move(line)}); },
      [tell](std::string why) { tell(child_lost{std::move(why)}); },
  };
}

/// Servers print banners on stdout although they must not: what is no message is logged and skipped. Most lines are
/// messages, so that nothing is allocated for their beginning.
void stdio_upstream_state::take_line(std::string line) {
  std::array<char, longest_shown> beginning;
  auto size = line.copy(beginning.data(), beginning.size());
  auto is_cut = size < line.size();
  if (auto why = user_.tell_text(self_, std::move(line)))
    log_its(log_level::warning, "server wrote a line to stdout that is no MCP message; logs belong on stderr",
            {{"why", std::move(*why)}, {"line", std::string{beginning.data(), size} + (is_cut ? "..." : "")}});
}

void stdio_upstream_state::take_skipped(const protocol::skipped_line& line) {
  auto judged = protocol::judge_skipped(line.head, line.tail, setup_->limits.line);
  log_its(log_level::warning, "server wrote a line that is too long, it was skipped",
          {{"bytes", std::to_string(line.size)},
           {"most", std::to_string(setup_->limits.line) + " (gateway.limits.messageBytes)"},
           {"what", judged.what}});
  if (judged.for_server)
    child_->write(std::move(judged.for_server->text));
  if (judged.for_user)
    user_.tell(self_, std::move(*judged.for_user));
}

void stdio_upstream_state::write(to_server& msg) {
  auto asks = msg.message.kind == protocol::message_kind::request;
  if (!child_ || child_->write(std::move(msg.message.text)) || !asks)
    return;
  user_.tell(self_, protocol::own_message(protocol::error_text(msg.message.id, protocol::error_code::internal_error,
                                                               "The MCP server does not read what it is sent")));
}

void stdio_upstream_state::report(const collector_actor& to) {
  counted result;
  result.part.actors = 1;
  result.part.upstreams.push_back({setup_->server_name, child_ ? child_->pid() : 0, user_.age(self_), user_.session()});
  self_->send(to, std::move(result));
}

void stdio_upstream_state::lose(const child_lost& how) {
  log_left_out();
  log(log_level::warning, "server lost", {{"why", how.why}});
  user_.tell_loss(self_, how.why, how.is_shortage);
}

void stdio_upstream_state::log_its(log_level level, std::string text,
                                   std::vector<std::pair<std::string, std::string>> facts) {
  if (!setup_->log_quota->with([this](auto& quota) { return quota.take(self_->at().now()); }))
    return;
  log_left_out();
  log(level, std::move(text), std::move(facts));
}

void stdio_upstream_state::log_left_out() {
  auto count = setup_->log_quota->with([](auto& quota) { return quota.take_left_out(); });
  if (count != 0)
    log(log_level::warning, "lines that the server wrote were left out of the log: there were too many",
        {{"lines", std::to_string(count)}});
}

void stdio_upstream_state::log(log_level level, std::string text,
                               std::vector<std::pair<std::string, std::string>> facts) const {
  facts.insert(facts.begin(), {{"server", setup_->server_name}, {"session", user_.session()}});
  setup_->log(level, std::move(text), std::move(facts));
}

} // namespace troupe::actors
