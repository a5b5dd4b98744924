#pragma once

// How messages are written down, when they travel between nodes or are shown: one list of members for each. Belongs to
// `messages.hpp`, which includes it.

#include "actors/messages.hpp"

namespace troupe::actors {

template <class Inspector>
auto inspect(Inspector& f, tick&) {
  return f(caf::meta::type_name("tick"));
}
template <class Inspector>
auto inspect(Inspector& f, http_reply& x) {
  return f(caf::meta::type_name("http_reply"), x.text, x.session);
}
template <class Inspector>
auto inspect(Inspector& f, http_accepted&) {
  return f(caf::meta::type_name("http_accepted"));
}
template <class Inspector>
auto inspect(Inspector& f, http_ended&) {
  return f(caf::meta::type_name("http_ended"));
}
template <class Inspector>
auto inspect(Inspector& f, http_rejected& x) {
  return f(caf::meta::type_name("http_rejected"), x.why);
}
template <class Inspector>
auto inspect(Inspector& f, http_ready&) {
  return f(caf::meta::type_name("http_ready"));
}
template <class Inspector>
auto inspect(Inspector& f, sse_begin&) {
  return f(caf::meta::type_name("sse_begin"));
}
template <class Inspector>
auto inspect(Inspector& f, sse_event& x) {
  return f(caf::meta::type_name("sse_event"), x.text);
}
template <class Inspector>
auto inspect(Inspector& f, sse_end&) {
  return f(caf::meta::type_name("sse_end"));
}
template <class Inspector>
auto inspect(Inspector& f, exchange_closed&) {
  return f(caf::meta::type_name("exchange_closed"));
}
template <class Inspector>
auto inspect(Inspector& f, stream_attach& x) {
  return f(caf::meta::type_name("stream_attach"), x.broker);
}
template <class Inspector>
auto inspect(Inspector& f, stream_publish& x) {
  return f(caf::meta::type_name("stream_publish"), x.text);
}
template <class Inspector>
auto inspect(Inspector& f, stream_end&) {
  return f(caf::meta::type_name("stream_end"));
}
template <class Inspector>
auto inspect(Inspector& f, counted& x) {
  return f(caf::meta::type_name("counted"), x.part, x.asked);
}
template <class Inspector>
auto inspect(Inspector& f, report_request& x) {
  return f(caf::meta::type_name("report_request"), x.to);
}
template <class Inspector>
auto inspect(Inspector& f, state_probe& x) {
  return f(caf::meta::type_name("state_probe"), x.broker);
}
template <class Inspector>
auto inspect(Inspector& f, to_server& x) {
  return f(caf::meta::type_name("to_server"), x.message);
}
template <class Inspector>
auto inspect(Inspector& f, child_wrote& x) {
  return f(caf::meta::type_name("child_wrote"), x.lines);
}
template <class Inspector>
auto inspect(Inspector& f, child_complained& x) {
  return f(caf::meta::type_name("child_complained"), x.lines);
}
template <class Inspector>
auto inspect(Inspector& f, child_lost& x) {
  return f(caf::meta::type_name("child_lost"), x.why);
}
template <class Inspector>
auto inspect(Inspector& f, remote_head& x) {
  return f(caf::meta::type_name("remote_head"), x.call, x.status, x.fields);
}
template <class Inspector>
auto inspect(Inspector& f, remote_body& x) {
  return f(caf::meta::type_name("remote_body"), x.call, x.bytes);
}
template <class Inspector>
auto inspect(Inspector& f, remote_ended& x) {
  return f(caf::meta::type_name("remote_ended"), x.call);
}
template <class Inspector>
auto inspect(Inspector& f, remote_failed& x) {
  return f(caf::meta::type_name("remote_failed"), x.call, x.why);
}
template <class Inspector>
auto inspect(Inspector& f, hosted_said& x) {
  return f(caf::meta::type_name("hosted_said"), x.call, x.message);
}
template <class Inspector>
auto inspect(Inspector& f, client_post& x) {
  return f(caf::meta::type_name("client_post"), x.server, x.session, x.body, x.broker, x.via, x.relayed, x.unit);
}
template <class Inspector>
auto inspect(Inspector& f, client_listen& x) {
  return f(caf::meta::type_name("client_listen"), x.server, x.session, x.last, x.broker, x.relayed, x.unit);
}
template <class Inspector>
auto inspect(Inspector& f, client_delete& x) {
  return f(caf::meta::type_name("client_delete"), x.server, x.session, x.broker, x.relayed);
}
template <class Inspector>
auto inspect(Inspector& f, readiness_probe& x) {
  return f(caf::meta::type_name("readiness_probe"), x.broker);
}
template <class Inspector>
auto inspect(Inspector& f, drain& x) {
  return f(caf::meta::type_name("drain"), x.why, x.at_once, x.for_good, x.disowned, x.moves_listeners);
}
template <class Inspector>
auto inspect(Inspector& f, from_server& x) {
  return f(caf::meta::type_name("from_server"), x.message);
}
template <class Inspector>
auto inspect(Inspector& f, server_lost& x) {
  return f(caf::meta::type_name("server_lost"), x.why);
}
template <class Inspector>
auto inspect(Inspector& f, user_left&) {
  return f(caf::meta::type_name("user_left"));
}
template <class Inspector>
auto inspect(Inspector& f, server_given& x) {
  return f(caf::meta::type_name("server_given"), x.upstream, x.ticket, x.own);
}
template <class Inspector>
auto inspect(Inspector& f, server_wanted& x) {
  return f(caf::meta::type_name("server_wanted"), x.user, x.session, x.unit, x.ticket, x.what_for);
}
template <class Inspector>
auto inspect(Inspector& f, upstream_tried& x) {
  return f(caf::meta::type_name("upstream_tried"), x.spoke, x.why, x.age);
}
template <class Inspector>
auto inspect(Inspector& f, server_retired&) {
  return f(caf::meta::type_name("server_retired"));
}
template <class Inspector>
auto inspect(Inspector& f, serve_user& x) {
  return f(caf::meta::type_name("serve_user"), x.user, x.session);
}
template <class Inspector>
auto inspect(Inspector& f, configure& x) {
  return f(caf::meta::type_name("configure"), x.servers);
}
template <class Inspector>
auto inspect(Inspector& f, server_known& x) {
  return f(caf::meta::type_name("server_known"), x.server, x.result);
}
template <class Inspector>
auto inspect(Inspector& f, relay_request& x) {
  return f(caf::meta::type_name("relay_request"), x.from, x.exchange, x.is, x.server, x.session, x.last, x.body, x.via);
}
template <class Inspector>
auto inspect(Inspector& f, relay_answer& x) {
  return f(caf::meta::type_name("relay_answer"), x.exchange, x.is, x.text, x.session, x.why);
}
template <class Inspector>
auto inspect(Inspector& f, relay_taken& x) {
  return f(caf::meta::type_name("relay_taken"), x.from, x.exchange, x.bytes);
}
template <class Inspector>
auto inspect(Inspector& f, relay_closed& x) {
  return f(caf::meta::type_name("relay_closed"), x.from, x.exchange);
}
template <class Inspector>
auto inspect(Inspector& f, peer_hello& x) {
  return f(caf::meta::type_name("peer_hello"), x.hello, x.gate, x.router);
}
template <class Inspector>
auto inspect(Inspector& f, member_node& x) {
  return f(caf::meta::type_name("member_node"), x.node, x.gate, x.router);
}
template <class Inspector>
auto inspect(Inspector& f, members_of_cluster& x) {
  return f(caf::meta::type_name("members_of_cluster"), x.nodes, x.settled);
}
template <class Inspector>
auto inspect(Inspector& f, waiting_request& x) {
  return f(caf::meta::type_name("waiting_request"), x.what, x.broker, x.relayed);
}
template <class Inspector>
auto inspect(Inspector& f, restore_session& x) {
  return f(caf::meta::type_name("restore_session"), x.session, x.record, x.events, x.term, x.taken, x.waiting);
}
template <class Inspector>
auto inspect(Inspector& f, name_found& x) {
  return f(caf::meta::type_name("name_found"), x.name, x.addresses);
}
template <class Inspector>
auto inspect(Inspector& f, link_offered& x) {
  return f(caf::meta::type_name("link_offered"), x.link, x.address, x.hello);
}
template <class Inspector>
auto inspect(Inspector& f, link_failed& x) {
  return f(caf::meta::type_name("link_failed"), x.address, x.why, x.hello);
}
template <class Inspector>
auto inspect(Inspector& f, link_closed& x) {
  return f(caf::meta::type_name("link_closed"), x.link);
}
template <class Inspector>
auto inspect(Inspector& f, node_drains& x) {
  return f(caf::meta::type_name("node_drains"), x.is_last, x.at_once);
}
template <class Inspector>
auto inspect(Inspector& f, session_saved& x) {
  return f(caf::meta::type_name("session_saved"), x.session, x.record);
}
template <class Inspector>
auto inspect(Inspector& f, event_saved& x) {
  return f(caf::meta::type_name("event_saved"), x.session, x.what);
}
template <class Inspector>
auto inspect(Inspector& f, session_forgotten& x) {
  return f(caf::meta::type_name("session_forgotten"), x.session);
}
template <class Inspector>
auto inspect(Inspector& f, session_sought& x) {
  return f(caf::meta::type_name("session_sought"), x.session, x.alive, x.to);
}
template <class Inspector>
auto inspect(Inspector& f, session_given_back& x) {
  return f(caf::meta::type_name("session_given_back"), x.session, x.taken);
}
template <class Inspector>
auto inspect(Inspector& f, store_reached& x) {
  return f(caf::meta::type_name("store_reached"), x.by, x.why_lost);
}
template <class Inspector>
auto inspect(Inspector& f, lease_answered& x) {
  return f(caf::meta::type_name("lease_answered"), x.answer);
}
template <class Inspector>
auto inspect(Inspector& f, write_answered& x) {
  return f(caf::meta::type_name("write_answered"), x.session, x.what, x.answer);
}
template <class Inspector>
auto inspect(Inspector& f, search_answered& x) {
  return f(caf::meta::type_name("search_answered"), x.what);
}
template <class Inspector>
auto inspect(Inspector& f, session_found& x) {
  return f(caf::meta::type_name("session_found"), x.session, x.is, x.owner, x.record, x.events, x.term, x.taken);
}
template <class Inspector>
auto inspect(Inspector& f, lease_lost& x) {
  return f(caf::meta::type_name("lease_lost"), x.session);
}
template <class Inspector>
auto inspect(Inspector& f, member& x) {
  return f(caf::meta::type_name("member"), x.server, x.actor);
}
template <class Inspector>
auto inspect(Inspector& f, members_changed& x) {
  return f(caf::meta::type_name("members_changed"), x.members);
}

/// The one list of what may travel between nodes.
inline void register_messages(caf::actor_system_config& config) {
  config.add_message_type<tick>("troupe::tick")
      .add_message_type<http_reply>("troupe::http_reply")
      .add_message_type<http_accepted>("troupe::http_accepted")
      .add_message_type<http_ended>("troupe::http_ended")
      .add_message_type<http_rejected>("troupe::http_rejected")
      .add_message_type<http_ready>("troupe::http_ready")
      .add_message_type<sse_begin>("troupe::sse_begin")
      .add_message_type<sse_event>("troupe::sse_event")
      .add_message_type<sse_end>("troupe::sse_end")
      .add_message_type<stream_attach>("troupe::stream_attach")
      .add_message_type<stream_publish>("troupe::stream_publish")
      .add_message_type<stream_end>("troupe::stream_end")
      .add_message_type<counted>("troupe::counted")
      .add_message_type<report_request>("troupe::report_request")
      .add_message_type<state_probe>("troupe::state_probe")
      .add_message_type<to_server>("troupe::to_server")
      .add_message_type<user_left>("troupe::user_left")
      .add_message_type<server_given>("troupe::server_given")
      .add_message_type<server_wanted>("troupe::server_wanted")
      .add_message_type<upstream_tried>("troupe::upstream_tried")
      .add_message_type<server_retired>("troupe::server_retired")
      .add_message_type<serve_user>("troupe::serve_user")
      .add_message_type<configure>("troupe::configure")
      .add_message_type<server_known>("troupe::server_known")
      .add_message_type<members_changed>("troupe::members_changed")
      .add_message_type<relay_request>("troupe::relay_request")
      .add_message_type<relay_answer>("troupe::relay_answer")
      .add_message_type<relay_taken>("troupe::relay_taken")
      .add_message_type<relay_closed>("troupe::relay_closed")
      .add_message_type<peer_hello>("troupe::peer_hello")
      .add_message_type<members_of_cluster>("troupe::members_of_cluster")
      .add_message_type<restore_session>("troupe::restore_session")
      .add_message_type<name_found>("troupe::name_found")
      .add_message_type<link_offered>("troupe::link_offered")
      .add_message_type<link_failed>("troupe::link_failed")
      .add_message_type<link_closed>("troupe::link_closed")
      .add_message_type<node_drains>("troupe::node_drains")
      .add_message_type<session_saved>("troupe::session_saved")
      .add_message_type<event_saved>("troupe::event_saved")
      .add_message_type<session_forgotten>("troupe::session_forgotten")
      .add_message_type<session_sought>("troupe::session_sought")
      .add_message_type<session_given_back>("troupe::session_given_back")
      .add_message_type<session_found>("troupe::session_found")
      .add_message_type<lease_lost>("troupe::lease_lost")
      .add_message_type<client_post>("troupe::client_post")
      .add_message_type<client_listen>("troupe::client_listen")
      .add_message_type<client_delete>("troupe::client_delete")
      .add_message_type<readiness_probe>("troupe::readiness_probe")
      .add_message_type<drain>("troupe::drain")
      .add_message_type<from_server>("troupe::from_server")
      .add_message_type<server_lost>("troupe::server_lost");
}

} // namespace troupe::actors

#include "actors/protocol_inspection.hpp"
