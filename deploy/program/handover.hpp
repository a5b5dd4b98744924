#pragma once

#include "actors/troupe/gateway.hpp"
#include "deploy/program/signal_sender.hpp"
#include "net/other_process.hpp"
#include "net/owned_descriptor.hpp"
#include "protocol/handover/successor.hpp"

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <sys/types.h>

namespace troupe::deploy {

/// Environment variable of a handover. First the id of the old process, then descriptors by name, the descriptor
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
/// accepts, and this one keeps its sessions until they have ended. If the new process exits before, this one accepts
/// again. Carries out what `protocol::successor` decides.
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
  /// Descriptor that is readable when the gateway has lost the new process.
  int losses() const { return loss_->get(); }
  /// Descriptor that is readable when the new process has ended, while that is awaited; otherwise -1.
  int end() const { return machine_.is_ending() ? other_.descriptor() : -1; }
  /// Time at which `watch_over` has something to do; max() if there is none.
  clock::time_point due() const { return machine_.due(); }
  /// Kills a new process that is not ready in time, or hangs. Accepts clients again once a new process has ended that
  /// had taken over. Logs what it does. True if clients are accepted again.
  bool watch_over(gateway& running);

  /// True if the new process has taken over.
  bool has_handed_over() const { return machine_.has_taken_over(); }
  /// True if the new process has ended and this one cannot accept clients again.
  bool has_failed() const { return has_failed_; }
  /// Reason of the end after a handover, for the log.
  static constexpr const char* over_text = "no session is left to keep for the next process, or no time";
  /// Descriptor that is readable when this process has handed over and is no longer needed.
  int over() const { return over_->get(); }
  bool is_over() const;

private:
  bool may_order(const signal_sender& by);
  void start(const gateway& running);
  void abandon(const std::string& why);
  void perform(protocol::successor::order what);
  void give_up();
  void signal_started(int number) const;
  bool take_back(gateway& running);
  log_record record(log_level level, const char* text) const;

  log_sink log_;
  std::size_t server_descriptors_;
  process_origin origin_;
  protocol::successor machine_;
  /// Earliest time to log the next refused sender, so that a server that keeps sending cannot fill the log.
  clock::time_point next_refusal_ = clock::time_point::min();
  bool has_failed_ = false;
  pid_t process_ = 0;
  net::owned_descriptor link_;
  /// Socket on which the new process confirms that it has taken its environment.
  net::owned_descriptor environment_;
  net::other_process other_;
  /// Event descriptors; a thread of the gateway writes to them.
  std::shared_ptr<net::owned_descriptor> over_;
  std::shared_ptr<net::owned_descriptor> loss_;
};

} // namespace troupe::deploy
