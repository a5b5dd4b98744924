#include "actors/cluster_messages.hpp"
#include "protocol/trace/trace_position.hpp"

#include <tuple>
#include <utility>

// Serialization of the messages that travel between nodes: one list of members for each.

namespace troupe::protocol {

template <class Inspector>
auto inspect(Inspector& f, slice& x) {
  return f(x.at, x.size);
}
/// A trace without an id stands for null.
template <class Inspector>
auto inspect(Inspector& f, std::shared_ptr<const request_trace>& x) {
  auto what = x ? *x : request_trace{};
  auto load = [&]() -> caf::error {
    x = what.at.high == 0 && what.at.low == 0 ? nullptr : std::make_shared<const request_trace>(std::move(what));
    return {};
  };
  auto& at = what.at;
  return f(at.high, at.low, at.span, at.is_sampled, at.is_random, at.state, at.baggage, what.is_in_text, what.client,
           what.version, caf::meta::load_callback(load));
}
template <class Inspector>
auto inspect(Inspector& f, message& x) {
  return f(x.kind, x.text, x.id, x.method, x.reference, x.claims_modern, x.id_at, x.reference_at, x.trace);
}
template <class Inspector>
auto inspect(Inspector& f, post_body& x) {
  return f(x.messages, x.batch);
}
template <class Inspector>
auto inspect(Inspector& f, rejection& x) {
  auto fields = fields_for_node(x);
  auto load = [&]() -> caf::error {
    x.headers = std::move(fields);
    read_kind(x);
    return {};
  };
  return f(x.status, x.code, x.text, x.id, fields, x.body, caf::meta::load_callback(load));
}
/// Null is written with an empty issuer, which no caller has.
template <class Inspector>
auto inspect(Inspector& f, caller& x) {
  auto who = x ? *x : principal{};
  auto expires = who.expires ? who.expires->time_since_epoch().count() : std::int64_t{-1};
  auto load = [&]() -> caf::error {
    if (expires >= 0)
      who.expires = calendar_time{std::chrono::seconds{expires}};
    x = who.issuer.empty() ? nullptr : std::make_shared<const principal>(std::move(who));
    return {};
  };
  return f(who.issuer, who.subject, who.client, who.scopes, who.groups, who.claims, who.audiences, expires,
           caf::meta::load_callback(load));
}
template <class Inspector>
auto inspect(Inspector& f, client_profile& x) {
  return f(x.form, x.url, x.sampling, x.sampling_tools, x.sampling_context, x.roots);
}
/// Null is written without a version, which every envelope has. An invalid log level is read as null.
template <class Inspector>
auto inspect(Inspector& f, std::shared_ptr<const request_envelope>& x) {
  auto what = x ? *x : request_envelope{};
  auto level = what.log_level ? static_cast<std::int32_t>(*what.log_level) : -1;
  auto load = [&]() -> caf::error {
    what.log_level = level < 0 ? std::nullopt : std::optional{static_cast<severity>(level)};
    auto is_good = !what.version.empty() && level <= static_cast<std::int32_t>(severity::emergency);
    x = is_good ? std::make_shared<const request_envelope>(std::move(what)) : nullptr;
    return {};
  };
  return f(what.version, what.can, level, what.arguments, what.affinity, caf::meta::load_callback(load));
}
template <class Inspector>
auto inspect(Inspector& f, node_life& x) {
  return f(x.node, x.incarnation);
}
template <class Inspector>
auto inspect(Inspector& f, node_hello& x) {
  return f(x.life, x.address, x.draining, x.known, x.has_tenure);
}

} // namespace troupe::protocol

namespace troupe::actors {

template <class Inspector>
auto inspect(Inspector& f, exchange_report& x) {
  std::int64_t took = x.in_server.count();
  auto load = [&]() -> caf::error {
    x.in_server = std::chrono::nanoseconds{took};
    return {};
  };
  return f(x.error, x.server, took, caf::meta::load_callback(load));
}

namespace {

auto members(peer_hello& x) { return std::tie(x.hello, x.gate, x.router); }
/// An operator's request travels in the place of a client's path, session and event id.
auto members(relay_request& x) {
  auto& of = x.head;
  const auto operates = x.is == relay_request::kind::operate;
  return std::tie(x.from, x.exchange, x.is, operates ? x.order.method : of.server,
                  operates ? x.order.target : of.session, operates ? x.order.body : x.last, x.body, of.via, x.leaves,
                  of.caller, of.counted_as, x.envelope, of.is_anonymous_remote, x.token);
}
auto members(relay_taken& x) { return std::tie(x.from, x.exchange, x.bytes); }
auto members(relay_closed& x) { return std::tie(x.from, x.exchange); }
auto members(session_taken& x) { return std::tie(x.session); }
auto members(relay_answer& x) { return std::tie(x.exchange, x.is, x.text, x.session, x.why, x.report); }

/// Completes a message whose members were read before its kind was known.
template <class Message>
void complete(Message&) {}
void complete(relay_request& x) {
  if (x.is == relay_request::kind::operate)
    x.order = {std::exchange(x.head.server, {}), std::exchange(x.head.session, {}), std::exchange(x.last, {})};
}

} // namespace

// NOLINTBEGIN(bugprone-macro-parentheses): a type is no expression.
#define TROUPE_TRAVEL(type)                                                                                            \
  caf::error inspect(caf::serializer& to, type& what) { return std::apply(to, members(what)); }                        \
  caf::error inspect(caf::deserializer& from, type& what) {                                                            \
    what = {};                                                                                                         \
    auto failure = std::apply(from, members(what));                                                                    \
    complete(what);                                                                                                    \
    return failure;                                                                                                    \
  }
// NOLINTEND(bugprone-macro-parentheses)
TROUPE_NODE_MESSAGES(TROUPE_TRAVEL)
#undef TROUPE_TRAVEL

void register_messages(caf::actor_system_config& config) {
#define TROUPE_REGISTER(type) config.add_message_type<type>("troupe::" #type);
  TROUPE_NODE_MESSAGES(TROUPE_REGISTER)
#undef TROUPE_REGISTER
}

} // namespace troupe::actors

namespace caf {

TROUPE_NODE_MESSAGES(TROUPE_IS_HERE)
TROUPE_MAILBOX_ELEMENT(template, exit_msg)

} // namespace caf
