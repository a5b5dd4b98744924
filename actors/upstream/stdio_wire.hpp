#pragma once

#include "actors/messages.hpp"
#include "actors/runtime/event_log.hpp"
#include "actors/runtime/unit.hpp"
#include "actors/upstream/process_metrics.hpp"
#include "net/child/child_process.hpp"
#include "net/guarded.hpp"
#include "protocol/log.hpp"
#include "protocol/message/skipped_message.hpp"
#include "protocol/modern_server/server_as_legacy.hpp"

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace troupe::actors {

/// What all processes of one server on stdio share.
struct stdio_setup {
  std::string server_name;
  net::command command;
  net::child_limits limits;
  event_log log;
  protocol::server_era era = protocol::server_era::automatic;
  /// Of all processes of the server together.
  std::shared_ptr<net::guarded<protocol::log_quota>> log_quota = std::make_shared<net::guarded<protocol::log_quota>>();
};

/// A child process and its pipes, in the actor that owns it, which is told by messages what the child does and hands
/// them on to this. Destroying it stops the child.
class stdio_wire {
public:
  /// Who is told what the child does, and by which number of the child.
  struct listener {
    caf::actor_addr actor;
    std::uint64_t number = 0;
  };

  /// Starts the child; when that fails, it is told as lost. `thread` is that of the unit, where the actor lives too.
  stdio_wire(const unit& at, net::io_thread& thread, const listener& to, std::shared_ptr<const stdio_setup> setup,
             std::string session);

  /// How logs call whom it serves.
  void set_session(std::string session) { session_ = std::move(session); }
  /// Takes a message for the child; when that does not read what it is sent, gives what the user is told instead.
  std::optional<protocol::message> write(protocol::message&& what);
  /// Reads a line of the child. Gives each message in it to `hear`, which may destroy this.
  template <class Hear>
  void read(std::string line, Hear hear) {
    const protocol::text_ends ends{line};
    if (auto why = protocol::read_each(std::move(line), hear))
      if (auto told = judge(ends, std::move(*why)))
        hear(std::move(*told));
  }
  /// What the user is told of a message that is too long to be read, if anything.
  std::optional<protocol::message> judge(const protocol::skipped_line& line);
  void log_complaints(std::vector<std::string>&& lines);
  void log_loss(const std::string& why);
  /// What a machine has decided on because of what the server wrote.
  void log_note(protocol::log_note&& line);

  /// Nothing when it could not be started.
  pid_t pid() const { return child_ ? child_->pid() : 0; }
  const std::string& server_name() const { return setup_->server_name; }
  protocol::server_era era() const { return setup_->era; }
  const std::string& session() const { return session_; }

private:
  using facts = std::vector<std::pair<std::string, std::string>>;

  /// What the user is told of a line that is no message, if anything.
  std::optional<protocol::message> judge(const protocol::text_ends& line, std::string why);
  std::optional<protocol::message> carry_out(protocol::skipped_message&& judged);
  /// For what a server may write as much of as it likes.
  void log_its(log_level level, std::string text, facts what);
  void log_left_out();
  void log(log_level level, std::string text, facts what) const;

  const unit& at_;
  std::shared_ptr<const stdio_setup> setup_;
  std::string session_;
  std::unique_ptr<net::child_process> child_;
  std::optional<process_metrics> metrics_;
};

/// Starts a child for an actor of a unit; empty for servers that are not on stdio. `caller` is who uses it alone, null
/// for nobody in particular.
using wire_maker = std::function<std::unique_ptr<stdio_wire>(
    const unit& at, const stdio_wire::listener& to, const std::string& session, const protocol::caller& caller)>;

} // namespace troupe::actors
