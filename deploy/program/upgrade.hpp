#pragma once

#include "actors/troupe/gateway.hpp"
#include "deploy/program/descriptor.hpp"

#include <chrono>
#include <cstddef>
#include <memory>
#include <sys/types.h>

namespace troupe::deploy {

/// Another process takes the place of this one, without a client that is turned away: first it starts, while this one
/// serves on; then it accepts, and this one keeps its sessions until they have ended.
class upgrade {
public:
  /// `server_descriptors` are what processes of servers begin with, see `gateway_options`.
  upgrade(log_sink log, std::size_t server_descriptors);

  using clock = std::chrono::steady_clock;

  /// Starts the other process, and tells the log so, or why not.
  void begin(const gateway& running);
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
  void abandon(const std::string& why);

  log_sink log_;
  std::size_t server_descriptors_;
  clock::time_point until_ = clock::time_point::max();
  pid_t process_ = 0;
  std::unique_ptr<descriptor> link_;
  bool has_handed_over_ = false;
  /// Written to on a thread of the gateway's.
  std::shared_ptr<descriptor> over_;
};

} // namespace troupe::deploy
