#pragma once

// How what messages hold of `protocol/` is written down; belongs to `inspection.hpp`, which includes it.

#include "actors/messages.hpp"

namespace troupe::protocol {

template <class Inspector>
auto inspect(Inspector& f, slice& x) {
  return f(caf::meta::type_name("slice"), x.at, x.size);
}
template <class Inspector>
auto inspect(Inspector& f, message& x) {
  return f(caf::meta::type_name("message"), x.kind, x.text, x.id, x.method, x.reference, x.claims_modern, x.id_at,
           x.reference_at);
}
template <class Inspector>
auto inspect(Inspector& f, node_life& x) {
  return f(caf::meta::type_name("node_life"), x.node, x.incarnation);
}
template <class Inspector>
auto inspect(Inspector& f, node_hello& x) {
  return f(caf::meta::type_name("node_hello"), x.life, x.address, x.draining, x.known);
}
template <class Inspector>
auto inspect(Inspector& f, known_node& x) {
  return f(caf::meta::type_name("known_node"), x.life, x.name, x.link, x.draining);
}
template <class Inspector>
auto inspect(Inspector& f, saved_event& x) {
  return f(caf::meta::type_name("saved_event"), x.stream, x.place, x.text, x.vital);
}
template <class Inspector>
auto inspect(Inspector& f, store_answer& x) {
  return f(caf::meta::type_name("store_answer"), x.is, x.why);
}
template <class Inspector>
auto inspect(Inspector& f, search_result& x) {
  return f(caf::meta::type_name("search_result"), x.session, x.answer, x.owner, x.record, x.events);
}
template <class Inspector>
auto inspect(Inspector& f, post_body& x) {
  return f(caf::meta::type_name("post_body"), x.messages, x.batch);
}
template <class Inspector>
auto inspect(Inspector& f, rejection& x) {
  return f(caf::meta::type_name("rejection"), x.status, x.code, x.text, x.id, x.headers);
}

template <class Inspector>
auto inspect(Inspector& f, delivery_counts& x) {
  return f(caf::meta::type_name("delivery_counts"), x.primary, x.shadow, x.call, x.detached, x.waiting, x.stored_events,
           x.stored_bytes, x.dropped);
}
template <class Inspector>
auto inspect(Inspector& f, session_report& x) {
  return f(caf::meta::type_name("session_report"), x.delivery, x.calls, x.questions, x.brokers);
}
template <class Inspector>
auto inspect(Inspector& f, upstream_report& x) {
  return f(caf::meta::type_name("upstream_report"), x.server, x.pid, x.age, x.session);
}
template <class Inspector>
auto inspect(Inspector& f, server_report& x) {
  return f(caf::meta::type_name("server_report"), x.server, x.session, x.state, x.restarts, x.why, x.users);
}
template <class Inspector>
auto inspect(Inspector& f, node_report& x) {
  return f(caf::meta::type_name("node_report"), x.name, x.draining);
}
template <class Inspector>
auto inspect(Inspector& f, state_report& x) {
  return f(caf::meta::type_name("state_report"), x.sessions, x.upstreams, x.servers, x.nodes, x.relayed_here,
           x.relayed_elsewhere, x.actors, x.brokers);
}
template <class Inspector>
auto inspect(Inspector& f, catalog_server& x) {
  return f(caf::meta::type_name("catalog_server"), x.id, x.name, x.prefix, x.eager, x.ends_session, x.known, x.slow);
}

} // namespace troupe::protocol

namespace troupe {

template <class Inspector>
auto inspect(Inspector& f, restart_options& x) {
  return f(caf::meta::type_name("restart_options"), x.first_delay, x.longest_delay, x.attempts, x.steady, x.rest);
}
template <class Inspector>
auto inspect(Inspector& f, server_options& x) {
  return f(caf::meta::type_name("server_options"), x.name, x.command, x.arguments, x.environment, x.directory, x.url,
           x.transport, x.headers, x.ca_file, x.sharing, x.pool_size, x.timeout, x.on_loss, x.restart, x.recovery,
           x.allow_tools, x.deny_tools, x.prefix, x.prefixed, x.eager);
}

} // namespace troupe
