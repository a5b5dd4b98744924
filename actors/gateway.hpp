#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <utility>
#include <vector>

namespace troupe {

/// How much an event matters.
enum class log_level { debug, info, warning, error };

/// One event for the host's log: a sentence and its facts, none of them secret.
struct log_record {
  log_level level = log_level::info;
  std::string text;
  std::vector<std::pair<std::string, std::string>> fields;
};

/// Where events go. Called from several threads at once; must not block and must not throw.
using log_sink = std::function<void(const log_record&)>;

/// The MCP server behind the gateway: a program that speaks MCP on its stdin and stdout.
struct server_options {
  /// How logs name it; the command's file name when empty.
  std::string name;
  /// The program, looked up in `PATH`, and its arguments. Never given to a shell.
  std::string command;
  std::vector<std::string> arguments;
  /// Added to the few variables that a server inherits (`HOME LOGNAME PATH SHELL TERM USER`).
  std::vector<std::pair<std::string, std::string>> environment;
  /// Working directory; the gateway's own when empty.
  std::string directory;
};

/// Everything a gateway can be told. The defaults are those of the program `troupe`.
struct gateway_options {
  /// Address to listen on, numeric or a name; loopback unless told otherwise.
  std::string host = "127.0.0.1";
  /// Port to listen on; 0 picks a free one, see `gateway::port()`.
  std::uint16_t port = 8080;
  server_options server;
  /// Origins that browsers may come from, besides those of this machine; `*` admits all.
  std::vector<std::string> allow_origins;
  /// Threads that sockets and pipes are served by; 0 means one for each processor.
  std::size_t threads = 0;
  /// Sessions that may live at the same time; a further `initialize` is answered 503.
  std::size_t max_sessions = 10'000;
  /// Longest request body, in bytes; a longer one is answered 413.
  std::size_t max_body = 4 * 1024 * 1024;
  /// A session ends after this long without a request, a call in flight or an open stream.
  std::chrono::milliseconds session_timeout = std::chrono::minutes{30};
  /// A call fails after this long without an answer or progress.
  std::chrono::milliseconds request_timeout = std::chrono::minutes{5};
  /// A server that has not answered `initialize` after this long has failed.
  std::chrono::milliseconds initialize_timeout = std::chrono::seconds{30};
  /// How long calls in flight may still run once the gateway drains.
  std::chrono::milliseconds grace = std::chrono::seconds{5};
  /// A stream's connection is closed after this long and its client told to come back for the rest; never when zero.
  /// Only for clients that know of it (2025-11-25 and later).
  std::chrono::milliseconds stream_time = std::chrono::milliseconds::zero();
  /// Show counts of what lives at `/debug/state`, to whoever asks from this machine.
  bool debug_state = false;
  log_sink log;
};

/// A gateway serves one MCP server to many clients over Streamable HTTP and HTTP+SSE, on threads of its own.
///
/// Constructed means listening; destroyed means drained: calls in flight finish within the grace, then every
/// session ends and its server process is stopped. Installs no signal handler and writes no output.
class gateway {
public:
  /// Throws `std::runtime_error` with one line that says why it could not start, such as a port in use.
  explicit gateway(gateway_options options);
  ~gateway();
  gateway(const gateway&) = delete;
  gateway& operator=(const gateway&) = delete;

  /// The port that it listens on. Callable from any thread.
  std::uint16_t port() const noexcept;

  /// Stops accepting, lets calls in flight finish within the grace, ends every session and waits until the last
  /// server process is gone. Blocks the calling thread; a second call does nothing.
  void drain();

private:
  class state;
  std::unique_ptr<state> state_;
};

} // namespace troupe
