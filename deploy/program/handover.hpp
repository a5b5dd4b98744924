#pragma once

#include "actors/troupe/gateway.hpp"
#include "deploy/program/signal_sender.hpp"
#include "net/owned_descriptor.hpp"

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string_view>
#include <sys/types.h>

namespace troupe::deploy {

/// Environment variable of a handover. First the id of the process before, then descriptors by name, the descriptor
/// limit of servers' processes, and the file lock limit that servers stay below: `812 clients=5 admin=6 link=7
/// environment=8 limit=1024 locks=18446744073709551615`. Release 1.0.0 has no `environment`, as it starts the other
/// process with it, and no `locks`.
constexpr const char* handed_over_variable = "TROUPE_HANDED_OVER";
constexpr std::string_view locks_word = "locks=";

struct handover_process {
  pid_t process = 0;
  /// Socket on which the process confirms that it has taken its environment, see `why_not_taken`.
  net::owned_descriptor environment;
};

/// Starts this program again from its current file, with the same arguments and these descriptors, which the caller
/// keeps, too. The process is no child of this one. It starts without the environment, which servers could read, and
/// takes it through a socket; otherwise it must not take over. Throws `std::runtime_error` with one line when it cannot
/// be started.
handover_process start_handover_process(const listening_sockets& sockets, int link, std::size_t server_descriptors,
                                        std::uint64_t lock_limit);

/// Handover to a new program without refused clients: the new process starts while this one serves on. Then the new one
/// accepts, and this one keeps its sessions until they have ended.
class handover {
public:
  /// `server_descriptors` is the descriptor limit of servers' processes, see `gateway_options`.
  handover(log_sink log, std::size_t server_descriptors, const process_origin& origin);
  /// Kills the new process if it has not taken over: otherwise it would stay.
  ~handover();
  handover(const handover&) = delete;
  handover& operator=(const handover&) = delete;

  using clock = std::chrono::steady_clock;

  /// Starts the new process if the sender may order it. Logs the start, or the reason of the refusal.
  void begin(const gateway& running, const signal_sender& by);
  /// Descriptor that is readable when the new process is ready, or has exited; -1 when there is none.
  int link() const { return link_.get(); }
  /// Hands over once the link is readable, or logs why that failed.
  void complete(gateway& running);
  /// Deadline for the new process to be ready; max() when there is none.
  clock::time_point due() const { return link_ ? until_ : clock::time_point::max(); }
  /// After the deadline, kills the new process and logs it; before, does nothing.
  void give_up_late();

  /// True if the new process has taken over.
  bool has_handed_over() const { return has_handed_over_; }
  /// Reason of the end after a handover, for the log.
  static constexpr const char* over_text = "no session is left to keep for the next process, or no time";
  /// Descriptor that is readable when this process has handed over and is no longer needed.
  int over() const { return over_->get(); }
  bool is_over() const;

private:
  bool may_order(const signal_sender& by);
  void start(const gateway& running);
  void abandon(const std::string& why);

  log_sink log_;
  std::size_t server_descriptors_;
  process_origin origin_;
  clock::time_point until_ = clock::time_point::max();
  /// Earliest time to log the next refused sender, so that a server that keeps sending cannot fill the log.
  clock::time_point next_refusal_ = clock::time_point::min();
  pid_t process_ = 0;
  net::owned_descriptor link_;
  /// Socket on which the new process confirms that it has taken its environment.
  net::owned_descriptor environment_;
  bool has_handed_over_ = false;
  /// Event descriptor; a thread of the gateway writes to it.
  std::shared_ptr<net::owned_descriptor> over_;
};

} // namespace troupe::deploy
