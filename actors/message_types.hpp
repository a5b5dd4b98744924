#pragma once

// CAF's template instances for each message type. Part of `messages.hpp`, which includes this file.
//
// To send a message, CAF instantiates some forty functions for its type: to store it, copy it, compare it with the type
// of a handler, write it and read it. For each list below, one file has these functions, such as
// `cluster_message_types.cpp`. `extern template` keeps all other files from compiling them again, which took most of
// the compile time.

#include "actors/messages.hpp"

// NOLINTBEGIN(bugprone-macro-parentheses): a type is no expression.
// clang-format off
/// Messages that stay in their process, by the header that declares them: `messages.hpp` and its message headers. CAF
/// refuses to write them, and has no name to read them by.
#define TROUPE_CORE_MESSAGES(each) \
  each(tick) each(http_reply) each(http_accepted) each(http_ended) each(http_rejected) each(http_ready) \
  each(sse_begin) each(sse_event) each(sse_end) each(exchange_closed) each(client_post) each(client_listen) \
  each(client_delete) each(counted) each(report_request) each(to_server) each(user_disconnected) each(from_server) \
  each(upstream_granted) each(server_lost) each(upstream_request) each(server_readiness) each(shortage_found) each(server_retired) \
  each(server_era_detected) each(upstream_start_result) each(upstream_unused) each(upstream_initialized) each(upstream_status) \
  each(readiness_probe) each(drain) each(close_session) each(configure) each(members_changed)
#define TROUPE_ACCESS_MESSAGES(each) \
  each(token_checked) each(token_presented) each(signature_verified) each(document_fetched) each(token_given) \
  each(token_refused) each(token_request) each(callers_revoked) each(caller_revoked) each(session_decided)
#define TROUPE_UPSTREAM_MESSAGES(each) \
  each(serve_user) each(child_wrote) each(child_skipped) each(child_wrote_stderr) each(child_lost) each(remote_event) \
  each(hosted_said) each(server_known) each(name_omitted) each(list_part_changed)
#define TROUPE_CLUSTER_MESSAGES(each) \
  each(session_disowned) each(session_departs) each(session_released) each(session_let_go) each(session_regained) \
  each(tenure_regained) each(tenure_lost) each(lease_lookup) each(cluster_members) each(name_found) \
  each(link_offered) each(link_failed) each(link_opened) each(link_closed) each(node_drains) each(node_open) \
  each(node_left) each(node_cut_off) each(gate_closed) each(session_saved) each(session_claimed) each(event_saved) \
  each(session_forgotten) each(session_abandoned) each(session_found) each(session_search) each(session_returned) \
  each(session_handed_over) each(store_reached) each(tenure_answered) each(write_answered) each(search_answered) \
  each(restore_session)
#define TROUPE_OPERATOR_MESSAGES(each) \
  each(state_probe) each(admin_request) each(session_described) each(describe_request) each(end_call) \
  each(follow_request) each(restart_request)
#define TROUPE_TRACE_MESSAGES(each) \
  each(span_ended) each(spans_over) each(collector_answered)
#define TROUPE_HANDOVER_MESSAGES(each) \
  each(process_said) each(process_gone) each(handover_peer_known)
#define TROUPE_LOCAL_MESSAGES(each) \
  TROUPE_CORE_MESSAGES(each) TROUPE_ACCESS_MESSAGES(each) TROUPE_UPSTREAM_MESSAGES(each) TROUPE_CLUSTER_MESSAGES(each) \
  TROUPE_OPERATOR_MESSAGES(each) TROUPE_TRACE_MESSAGES(each) TROUPE_HANDOVER_MESSAGES(each)
// clang-format on

/// Messages that travel between nodes.
#define TROUPE_NODE_MESSAGES(each)                                                                                     \
  each(peer_hello) each(relay_request) each(relay_taken) each(relay_closed) each(relay_answer) each(session_taken)

namespace troupe::actors {

/// Registers the names of the messages that travel between nodes. All nodes of a cluster have the same names.
void register_messages(caf::actor_system_config& config);

#define TROUPE_CAN_TRAVEL(type)                                                                                        \
  caf::error inspect(caf::serializer& to, type& what);                                                                 \
  caf::error inspect(caf::deserializer& from, type& what);
TROUPE_NODE_MESSAGES(TROUPE_CAN_TRAVEL)
#undef TROUPE_CAN_TRAVEL

} // namespace troupe::actors

namespace caf {

#define TROUPE_STAYS_HERE(type)                                                                                        \
  template <>                                                                                                          \
  struct allowed_unsafe_message_type<troupe::actors::type> : std::true_type {};
TROUPE_LOCAL_MESSAGES(TROUPE_STAYS_HERE)
#undef TROUPE_STAYS_HERE

/// Function that makes a mailbox element from a moved message; `how` is `extern template` or, in one file, `template`.
/// All other functions that CAF needs for the type are used by this one only. The few files that send a copy
/// instantiate the function for copies themselves.
#define TROUPE_MAILBOX_ELEMENT(how, type)                                                                              \
  how mailbox_element_ptr make_mailbox_element<type>(strong_actor_ptr, message_id, mailbox_element::forwarding_stack,  \
                                                     type &&);

#define TROUPE_IS_ELSEWHERE(type) TROUPE_MAILBOX_ELEMENT(extern template, troupe::actors::type)
#define TROUPE_IS_HERE(type) TROUPE_MAILBOX_ELEMENT(template, troupe::actors::type)
TROUPE_LOCAL_MESSAGES(TROUPE_IS_ELSEWHERE)
TROUPE_NODE_MESSAGES(TROUPE_IS_ELSEWHERE)
/// Exit message of CAF.
TROUPE_MAILBOX_ELEMENT(extern template, exit_msg)
#undef TROUPE_IS_ELSEWHERE

} // namespace caf
// NOLINTEND(bugprone-macro-parentheses)
