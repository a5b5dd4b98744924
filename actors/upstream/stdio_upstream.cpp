#include "actors/upstream/stdio_upstream.hpp"

#include "actors/runtime/calendar.hpp"
#include "net/crypto.hpp"
#include "protocol/text/base_encodings.hpp"

#include <algorithm>
#include <span>
#include <variant>

namespace troupe::actors {

namespace {

net::child_events events_for(const stdio_wire::listener& to) {
  auto tell = [to](auto fact) {
    fact.child = to.number;
    send_if_alive(to.actor, std::move(fact));
  };
  return {
      [tell](std::vector<std::string> lines) { tell(child_wrote{std::move(lines)}); },
      [tell](std::vector<std::string> lines) { tell(child_wrote_stderr{std::move(lines)}); },
      [tell](protocol::skipped_line line) { tell(child_skipped{std::move(line)}); },
      [tell](std::string why) { tell(child_lost{std::move(why)}); },
  };
}

} // namespace

stdio_wire::stdio_wire(const unit& at, net::io_thread& thread, const listener& to,
                       std::shared_ptr<const stdio_setup> setup, std::string session)
    : at_{at}, setup_{std::move(setup)}, session_{std::move(session)} {
  net::start_failure why_not;
  child_ = net::child_process::start(thread, setup_->command, setup_->limits, events_for(to), why_not);
  if (child_)
    metrics_.emplace(at_, setup_->server_name);
  if (child_)
    log(log_level::debug, "server started", {{"pid", std::to_string(child_->pid())}});
  else
    send_if_alive(to.actor, child_lost{std::move(why_not.text), why_not.is_shortage, to.number});
}

std::optional<protocol::message> stdio_wire::write(protocol::message&& what) {
  auto asks = what.kind == protocol::message_kind::request;
  if (!child_ || child_->write(std::move(what.text)) || !asks)
    return std::nullopt;
  return protocol::gateway_message(protocol::error_text(what.id, protocol::error_code::internal_error,
                                                        "The MCP server does not read what it is sent"));
}

std::optional<protocol::message> stdio_wire::handle_skipped(const protocol::skipped_line& line) {
  auto judged = protocol::classify_skipped(line.head, line.tail, setup_->limits.line);
  log_its(log_level::warning, "server wrote a line that is too long, it was skipped",
          {{"bytes", std::to_string(line.size)},
           {"most", std::to_string(setup_->limits.line) + " (gateway.limits.messageBytes)"},
           {"what", judged.what}});
  return carry_out(std::move(judged));
}

/// Servers print banners on stdout although they must not.
std::optional<protocol::message> stdio_wire::handle_malformed(const protocol::text_ends& line, std::string why) {
  auto judged = protocol::classify_malformed(line, why);
  auto shown = setup_->mask->masked(std::string{line.head()}, line.is_cut()) + (line.is_cut() ? "..." : "");
  if (judged.for_user || judged.for_server)
    log_its(log_level::warning, "server wrote a malformed message, it was skipped",
            {{"why", std::move(why)}, {"what", judged.what}, {"line", std::move(shown)}});
  else
    log_its(log_level::warning, "server wrote a line to stdout that is no MCP message; logs belong on stderr",
            {{"why", std::move(why)}, {"line", std::move(shown)}});
  return carry_out(std::move(judged));
}

std::optional<protocol::message> stdio_wire::carry_out(protocol::skipped_message&& judged) {
  if (judged.for_server)
    child_->write(std::move(judged.for_server->text));
  return std::move(judged.for_user);
}

// -- logs --------------------------------------------------------------------------------

void stdio_wire::log_stderr(std::vector<std::string>&& lines) {
  for (auto& line : lines) {
    const auto is_cut = line.size() >= setup_->limits.error_line;
    line = setup_->mask->masked(std::move(line), is_cut);
  }
  const auto kept = std::span{lines}.last(std::min(lines.size(), protocol::server_diagnostics::most_lines));
  setup_->diagnostics->with([&, now = time_of_day(at_.now())](auto& known) {
    for (const auto& line : kept)
      known.wrote(pid(), line, now);
  });
  for (auto& line : lines)
    log_its(log_level::info, "server stderr", {{"line", std::move(line)}});
}

void stdio_wire::log_its(log_level level, std::string text, facts what) {
  if (!setup_->log_quota->with([this](auto& quota) { return quota.try_acquire(at_.now()); }))
    return;
  log_left_out();
  log(level, std::move(text), std::move(what));
}

void stdio_wire::log_left_out() {
  auto count = setup_->log_quota->with([](auto& quota) { return quota.take_left_out(); });
  if (count != 0)
    log(log_level::warning, "lines that the server wrote were left out of the log: there were too many",
        {{"lines", std::to_string(count)}});
}

void stdio_wire::log(log_level level, std::string text, facts what) const {
  what.insert(what.begin(), {{"server", setup_->server_name}, {"session", session_}});
  setup_->log(level, std::move(text), std::move(what));
}

// -- the adapter ---------------------------------------------------------------------------

adapted_wire::adapted_wire(starter start, server_actor server, protocol::server_era known)
    : start_{std::move(start)}, server_{std::move(server)}, wire_{start_()} {
  if (wire_->era() == protocol::server_era::session)
    return;
  adapter_ = std::make_unique<protocol::server_as_legacy>(protocol::server_as_legacy_rules{
      .era = wire_->era(), .known = known, .name = wire_->server_name(), .mark = protocol::hex(net::random_128())});
}

adapted_wire::user_messages adapted_wire::write(protocol::message&& what, protocol::time_point now,
                                                protocol::envelope_of_user envelope) {
  if (adapter_)
    return carry_out(adapter_->user_sent(std::move(what), now, std::move(envelope)), now);
  user_messages result;
  if (auto refused = wire_->write(std::move(what)))
    result.push_back(protocol::deliver_to_user{std::move(*refused)});
  return result;
}

adapted_wire::user_messages adapted_wire::lost(protocol::time_point now, bool is_shortage) {
  lost_ = true;
  return adapter_ ? carry_out(adapter_->server_lost(now, is_shortage), now) : user_messages{};
}

/// Each message that the server did not get is a further fact.
adapted_wire::user_messages adapted_wire::carry_out(protocol::adapter_effects effects, protocol::time_point now) {
  for (auto& effect : effects)
    std::visit([this](auto& one) { perform(one); }, effect);
  while (!refused_.empty())
    for (auto& what : std::exchange(refused_, {}))
      for (auto& effect : adapter_->server_sent(std::move(what), now))
        std::visit([this](auto& one) { perform(one); }, effect);
  if (adapter_->is_transparent())
    adapter_.reset();
  return std::exchange(for_user_, {});
}

void adapted_wire::perform(protocol::deliver_to_server& effect) {
  if (auto refused = wire_->write(std::move(effect.what)))
    refused_.push_back(std::move(*refused));
}

void adapted_wire::perform(const protocol::note_era& effect) {
  wire_->log_note(protocol::line_of(effect));
  caf::anon_send(server_, server_era_detected{effect.is, !effect.doubt.empty()});
}

void adapted_wire::perform(const protocol::start_again&) {
  wire_.reset();
  wire_ = start_();
  lost_ = false;
}

// -- the actor -----------------------------------------------------------------------------

stdio_upstream_state::stdio_upstream_state(pinned<interface>* self, const wire_maker& make,
                                           const bare_upstream_setup& whom)
    : self_{self}, user_{whom, self->at().now()}, wire_{[this, make, caller = whom.caller] {
                                                          return make(self_->at(), {self_->address()}, user_.session(),
                                                                      caller);
                                                        },
                                                        whom.server, whom.known},
      reminder_{self->at()} {}

stdio_upstream_actor::behavior_type stdio_upstream_state::make_behavior() {
  user_.bind(self_);
  return {
      [this](to_server& msg) { tell(wire_.write(std::move(msg.message), self_->at().now(), std::move(msg.envelope))); },
      [this](child_wrote& msg) {
        for (auto& line : msg.lines)
          wire_->read(std::move(line), [this](protocol::message&& what) { receive(std::move(what)); });
      },
      [](user_disconnected&) {}, // unused: the upstream ends with its only user
      [this](report_request& msg) { user_.report(self_, msg.to, wire_->server_name(), wire_->pid()); },
      [this](restart_request&) { user_.restart(self_); },
      [this](serve_user& msg) {
        user_.become(self_, msg);
        wire_->set_session(user_.session());
      },
      [this](child_skipped& msg) {
        if (auto told = wire_->handle_skipped(msg.line))
          receive(std::move(*told));
      },
      [this](child_wrote_stderr& msg) { wire_->log_stderr(std::move(msg.lines)); },
      [this](child_lost& msg) {
        wire_->log_left_out();
        const auto pid = wire_->pid();
        tell(wire_.lost(self_->at().now(), msg.is_shortage));
        if (!wire_.is_lost())
          return;
        user_.tell_loss(self_, {msg.why, msg.is_shortage}, pid);
        self_->quit();
      },
      [this](tick&) {
        reminder_.arrived();
        tell(wire_.tick(self_->at().now()));
      },
  };
}

void stdio_upstream_state::receive(protocol::message&& what) {
  wire_.receive(std::move(what), self_->at().now(),
                [this](protocol::deliver_to_user&& shown) { user_.tell(self_, std::move(shown)); });
  reminder_.set(self_->address(), wire_.deadline());
}

void stdio_upstream_state::tell(std::vector<protocol::deliver_to_user> shown) {
  for (auto& one : shown)
    user_.tell(self_, std::move(one));
  reminder_.set(self_->address(), wire_.deadline());
}

} // namespace troupe::actors
