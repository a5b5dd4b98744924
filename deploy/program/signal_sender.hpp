#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <sys/types.h>

namespace troupe::deploy {

/// The sender of a signal, as the kernel reports it.
struct signal_sender {
  /// `si_code`
  int code = 0;
  /// 0 when it is of a container around this one.
  pid_t process = 0;
  uid_t user = 0;
};

/// What there is to know of this process and others, to judge a sender.
struct process_facts {
  pid_t self = 0;
  /// The process that supervises this one.
  pid_t parent = 0;
  uid_t user = 0;
  /// The parent of a process; nothing when it is gone, 0 when it is another user's and hidden.
  std::function<std::optional<pid_t>(pid_t process)> parent_of;
  /// Whether it was started by a server, of this process or of one before it, whoever its parent is by now.
  std::function<bool(pid_t process)> is_marked;
  /// The process whose place this one has taken, and whose servers may run yet; 0 is none.
  pid_t before = 0;
};

/// What a process knows of itself before it has servers, and tells the one that takes its place.
struct process_origin {
  /// See `process_facts`.
  pid_t before = 0;
  /// The limit that servers have less of, see `net/child/server_mark.hpp`.
  std::uint64_t lock_limit = 0;
};

/// Why a process may not order this one to hand over; empty when it may. Root may, and who looks after this process,
/// and its own user: but not from a process of a server, which is the same user.
std::string why_may_not_order(const signal_sender& sender, const process_facts& facts);

/// The facts of this process, by `/proc`.
process_facts own_facts(const process_origin& origin);

} // namespace troupe::deploy
