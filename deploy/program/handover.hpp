#pragma once

#include "actors/troupe/gateway.hpp"
#include "deploy/program/descriptor.hpp"
#include "deploy/program/signal_sender.hpp"

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string_view>
#include <sys/types.h>

namespace troupe::deploy {

/// The variable by which a process is told what it takes over from another, whose process id comes first:
/// `812 clients=5 admin=6 link=7 environment=8 limit=1024 locks=18446744073709551615`, where numbers are descriptors,
/// how many of them processes of servers begin with, and the limit of file locks that servers have less of.
/// Release 1.0.0 tells of no descriptor for the environment, for it starts the other process with that, and of no
/// locks.
constexpr const char* handed_over_variable = "TROUPE_HANDED_OVER";
constexpr std::string_view locks_word = "locks=";

struct handover_process {
  pid_t process = 0;
  /// Where it tells that it has taken its environment, see `why_not_taken`.
  descriptor environment;
};

/// Starts this program once more as it was started, from where it lies now: with the same arguments, and with these
/// descriptors, which stay the caller's, too; not as a child of this process. It begins without the environment, which
/// servers could read, and takes it through a socket; one that does not must not take over. Throws `std::runtime_error`
/// with one line when it cannot be started.
handover_process start_handover_process(const listening_sockets& sockets, int link, std::size_t server_descriptors,
                                        std::uint64_t lock_limit);

/// Another process takes the place of this one, without a client that is turned away: first it starts, while this one
/// serves on; then it accepts, and this one keeps its sessions until they have ended.
class handover {
public:
  /// `server_descriptors` are what processes of servers begin with, see `gateway_options`.
  handover(log_sink log, std::size_t server_descriptors, const process_origin& origin);
  /// Ends the other process if it has not begun: nobody else would.
  ~handover();
  handover(const handover&) = delete;
  handover& operator=(const handover&) = delete;

  using clock = std::chrono::steady_clock;

  /// Starts the other process when this sender may order it, and tells the log so, or why not.
  void begin(const gateway& running, const signal_sender& by);
  /// Readable when the other process is ready, or has ended; -1 when there is none to wait for.
  int link() const { return link_ ? link_->number() : -1; }
  /// It is: hands over, or tells the log why not.
  void complete(gateway& running);
  /// When it has taken too long to begin.
  clock::time_point due() const { return link_ ? until_ : clock::time_point::max(); }
  /// Ends it then, and tells the log so; before that it does nothing.
  void give_up_late();

  /// Whether another process is what there is to look after.
  bool has_handed_over() const { return has_handed_over_; }
  /// Why it is over, for the log.
  static constexpr const char* over_text = "no session is left to keep for the next process, or no time";
  /// Readable when this process has handed over and is no longer needed.
  int over() const { return over_->number(); }
  bool is_over() const;

private:
  bool may_order(const signal_sender& by);
  void start(const gateway& running);
  void abandon(const std::string& why);

  log_sink log_;
  std::size_t server_descriptors_;
  process_origin origin_;
  clock::time_point until_ = clock::time_point::max();
  /// No refused sender is told of before: a server that goes on sending does not fill the log.
  clock::time_point next_refusal_ = clock::time_point::min();
  pid_t process_ = 0;
  std::unique_ptr<descriptor> link_;
  /// Where that process tells that it has taken its environment.
  descriptor environment_{-1};
  bool has_handed_over_ = false;
  /// Written to on a thread of the gateway's.
  std::shared_ptr<descriptor> over_;
};

} // namespace troupe::deploy
