#include "actors/session/admission_queue.hpp"

#include "protocol/access/challenge.hpp"
#include "protocol/access/server_guard.hpp"

#include <algorithm>
#include <chrono>
#include <type_traits>
#include <utility>

namespace troupe::actors {

namespace {

/// Returns the request's id as a JSON token; empty when it has none.
template <class Message>
std::string id_of(const Message& msg) {
  if constexpr (std::is_same_v<Message, client_post>)
    return msg.body.messages.front().id;
  else
    return {};
}

template <class Message>
session_request question_about(const Message& msg) {
  session_request result;
  result.request = msg.request_id;
  auto& who = msg.head.caller;
  if (!who) {
    result.address = msg.head.counted_as;
    return result;
  }
  result.caller = who->subject;
  result.issuer = who->issuer;
  result.claims = who->claims;
  result.scopes = who->scopes;
  result.groups = who->groups;
  return result;
}

} // namespace

/// Whether a session or lease begins now. The host is queried last, so that it sees no request that is refused anyway.
/// Room is made after that, so that no session ends for a refused request.
template <class Message>
bool admission_queue::may_begin(Message& msg) {
  auto request = id_of(msg);
  auto why = parts_.admission.refuse(msg.head.server, request);
  if (!why)
    why = refuse_at(msg.head);
  if (!why && awaits_host(msg))
    return false;
  if (!why)
    why = make_room(msg.head.counted_as, request);
  if (why)
    parts_.self->send(msg.broker, http_rejected{std::move(*why)});
  return !why;
}

template bool admission_queue::may_begin(client_post& msg);
template bool admission_queue::may_begin(client_listen& msg);

/// Hides the server from callers that may not use it. Callers that only lack scopes learn which.
std::optional<protocol::rejection> admission_queue::refuse_at(const request_head& of) const {
  auto one = parts_.server_at(of.server, of.via);
  if (!one || !one->as_member.access)
    return std::nullopt;
  auto may = one->as_member.access->to_server(protocol::principal_of(of.caller));
  if (may.is == protocol::permit::kind::lacks_scopes)
    return protocol::insufficient_scope(parts_.setup.session->scopes, may.scopes);
  return may.is == protocol::permit::kind::hidden ? std::optional{protocol::server_not_found()} : std::nullopt;
}

// -- the host's decision ------------------------------------------------------------------------

template <class Message>
bool admission_queue::awaits_host(Message& msg) {
  if (!parts_.setup.ask_host || is_resuming_)
    return false;
  auto what = question_about(msg);
  what.is_stateless = msg.head.via == protocol::transport::stateless;
  if (auto one = parts_.server_at(msg.head.server, msg.head.via))
    what.server = one->as_member.server.name;
  undecided_.emplace(++last_question_, std::move(msg));
  parts_.setup.ask_host(std::move(what), last_question_, parts_.handle());
  return true;
}

std::optional<admission_queue::request> admission_queue::decided(session_decided& msg) {
  auto waited = undecided_.extract(msg.question);
  if (!waited)
    return std::nullopt;
  if (!msg.why_not)
    return std::move(waited.mapped());
  auto refuse = [&](auto& what) {
    msg.why_not->id = id_of(what);
    parts_.self->send(what.broker, http_rejected{std::move(*msg.why_not)});
  };
  std::visit(refuse, waited.mapped());
  return std::nullopt;
}

void admission_queue::resume(request what, const std::function<void(request&)>& handle) {
  is_resuming_ = true;
  handle(what);
  is_resuming_ = false;
}

// -- room ---------------------------------------------------------------------------------------

/// Ends an idle session, if there is one, rather than refuse the new one.
std::optional<protocol::rejection> admission_queue::make_room(const std::string& address, const std::string& request) {
  parts_.admission.places().set_stopping(parts_.setup.stopping_processes());
  auto whose = parts_.admission.caller_to_evict(address);
  if (!whose)
    return std::nullopt;
  auto* one = parts_.admission.places().must_wait() ? nullptr : parts_.book.most_idle(*whose, parts_.now());
  if (!one)
    return parts_.admission.refuse_for_room(address, request);
  parts_.close_now(*one, "it was idle, and its place was needed");
  return std::nullopt;
}

void admission_queue::end_one_for(const shortage_found& msg) {
  const auto now = parts_.now();
  const auto newcomer = parts_.book.counted_as(msg.user);
  const auto least = newcomer ? parts_.admission.places().held_by(*newcomer) : 0;
  auto* one = parts_.admission.places().ends_one_for_shortage(now) ? find_scarce(least) : nullptr;
  if (!one)
    return;
  parts_.close_now(*one, "it was idle, and the gateway is out of descriptors, memory or processes");
  if (now < next_shortage_warning_)
    return;
  next_shortage_warning_ = now + std::chrono::minutes{1};
  parts_.setup.session->log(
      log_level::warning, "out of descriptors, memory or processes: idle sessions end",
      {{"sessions", std::to_string(parts_.book.all().size())},
       {"advice", "raise the limits (ulimit -n, LimitNOFILE=, TasksMax=), or lower --max-sessions"}});
}

/// Considers only sessions with their own processes or connections.
known_session* admission_queue::find_scarce(std::size_t least) {
  return parts_.book.most_idle_holder(least, parts_.now(), [this](auto& one) { return holds_something_scarce(one); });
}

/// Ignores servers inside this process: they take no descriptors or processes.
bool admission_queue::holds_something_scarce(const known_session& one) const {
  const auto is_outside = [](const gateway_server& server) {
    auto& source = server.options.source;
    return std::holds_alternative<command_server>(source) || std::holds_alternative<remote_server>(source);
  };
  return one.idle->has_own_server() &&
         std::ranges::any_of(parts_.servers_at(one.binding.path, one.binding.via), is_outside);
}

} // namespace troupe::actors
