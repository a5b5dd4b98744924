#pragma once

namespace troupe::tests::simulation {

/// A fault in the simulated actors, planted to check that a rule finds it.
enum class planted {
  nothing,
  /// A session answers although its node has no tenure.
  fence_left_out,
  /// A tenure goes on after its end.
  tenure_kept,
  /// The store gives a session to any node that asks, whoever owns it.
  tenure_unchecked,
  /// A registry gives requests to a session of another caller.
  owner_unchecked,
  /// A router passes each event of another node on twice.
  event_twice,
  /// A stream is resumed from its first event, whatever the client has received.
  resumed_from_start,
  /// An answer is also sent on the streams of its session.
  answer_twice,
  /// The answer of another node goes to the exchange after its own.
  answer_misdirected,
  /// A call whose node is lost is never answered.
  answer_left_out,
  /// The record of a session that has ended stays in the store.
  record_kept,
  /// The end of a session is confirmed before the store has forgotten it.
  end_confirmed_early,
  /// A session that ends drops the requests that arrive before its registry knows, and relays take them for received.
  dropped_at_end,
  /// The record of a session is written seconds after the session has answered.
  record_late,
  /// A node does not notify the other one when the client of a forwarded exchange disconnects.
  exchange_kept,
  /// A lost node stays a member.
  member_kept,
  /// A session refuses a call that its server has answered.
  refused_after_run,
  /// An answer to a question goes to the server twice.
  question_answered_twice,
  /// The clock of tenures and of the membership stands still while the machine is suspended.
  suspension_ignored,
  /// A process goes on to accept clients after it has handed over.
  two_accept,
  /// A process that has handed over does not notice the loss of the newer one.
  loss_unnoticed,
  /// A process that has handed over does not wait for its sessions.
  left_early,
  /// A router keeps each lease at its own node, whichever node has its key.
  placed_here,
  /// All callers have one lease.
  lease_of_all,
  /// A lease stays in the registry after its end.
  lease_kept,
  /// A node keeps all that a client does not read.
  unread_kept
};

} // namespace troupe::tests::simulation
