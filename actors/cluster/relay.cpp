#include "actors/cluster/relay.hpp"

#include "actors/runtime/share_of.hpp"

#include <utility>

namespace troupe::actors {

namespace {

using kind = relay_answer::kind;

} // namespace

relay_state::relay_state(direct* self, remote_router_actor to, std::uint64_t exchange)
    : self_{self}, to_{std::move(to)}, exchange_{exchange}, counted_{share_of(self->at(), protocol::metric::relayed,
                                                                              {"here"}, 1)} {}

/// A session that ends in the moment in which a request reaches it answers nothing more.
relay_state::~relay_state() {
  if (!finished_)
    tell({.is = kind::lost});
}

void relay_state::take(http_reply& msg) {
  finish({.is = kind::reply,
          .text = std::move(msg.text),
          .session = std::move(msg.session),
          .report = std::move(msg.report)});
}

void relay_state::take(sse_begin& msg) {
  tell({.is = kind::begin});
  publish(std::move(msg.text));
  if (msg.is_complete)
    finish({.is = kind::end, .report = std::move(msg.report)});
}

void relay_state::take(sse_end& msg) {
  publish(std::move(msg.text));
  finish({.is = kind::end, .report = std::move(msg.report)});
}

void relay_state::take(const relay_closed&) {
  finished_ = true;
  self_->quit();
}

/// The sender is nobody: another node would learn of this actor for nothing.
void relay_state::tell(relay_answer what) {
  what.exchange = exchange_;
  caf::anon_send(to_, std::move(what));
}

void relay_state::finish(relay_answer what) {
  if (std::exchange(finished_, true))
    return;
  tell(std::move(what));
  self_->quit();
}

/// A client that does not read loses its connection; what it missed is kept by the session.
void relay_state::publish(std::string text) {
  if (text.empty() || finished_)
    return;
  if (!unread_.sent(text.size()))
    return finish({.is = kind::end});
  tell({.is = kind::event, .text = std::move(text)});
}

} // namespace troupe::actors
