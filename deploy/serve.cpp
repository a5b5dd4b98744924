#include "deploy/serve.hpp"

#include "deploy/log.hpp"

#include <csignal>
#include <cstdint>
#include <stdexcept>
#include <string>
#include <string_view>

namespace troupe::deploy {

namespace {

/// Blocks the signals that ask the program to stop, for this thread and all that it starts, so that `wait_for` is
/// the one place where they arrive.
sigset_t block_stop_signals() {
  sigset_t stop;
  sigemptyset(&stop);
  sigaddset(&stop, SIGTERM);
  sigaddset(&stop, SIGINT);
  pthread_sigmask(SIG_BLOCK, &stop, nullptr);
  return stop;
}

std::string wait_for(const sigset_t& stop) {
  int number = 0;
  sigwait(&stop, &number);
  return number == SIGINT ? "SIGINT" : "SIGTERM";
}

bool is_loopback(std::string_view host) {
  return host == "localhost" || host == "::1" || host == "[::1]" || host.starts_with("127.");
}

std::string url(const std::string& host, std::uint16_t port) {
  const bool bare_ipv6 = host.find(':') != std::string::npos && !host.starts_with('[');
  return "http://" + (bare_ipv6 ? '[' + host + ']' : host) + ':' + std::to_string(port) + "/mcp";
}

void announce(const log_sink& log, const gateway_options& options, std::uint16_t port) {
  log({log_level::info, "listening", {{"url", url(options.host, port)}, {"server", options.server.name}}});
  if (!is_loopback(options.host))
    log({log_level::warning,
         "no authentication: whoever reaches this address can use the server",
         {{"host", options.host}}});
}

/// Runs until a stop signal. Throws what the gateway's constructor throws.
void run(const gateway_options& options, const sigset_t& stop) {
  gateway running{options};
  announce(options.log, options, running.port());
  const auto signal = wait_for(stop);
  options.log({log_level::info, "draining", {{"signal", signal}}});
  running.drain();
  options.log({log_level::info, "stopped", {}});
}

} // namespace

int serve(serve_command command) {
  const auto stop = block_stop_signals();
  std::signal(SIGCHLD, SIG_DFL); // a parent that ignored it would have the kernel reap our servers before we do
  std::signal(SIGPIPE, SIG_IGN); // a client or server that went away is an error of one write, not our end
  command.gateway.log = stderr_log(command.level, command.format);
  try {
    run(command.gateway, stop);
    return 0;
  } catch (const std::runtime_error& error) {
    command.gateway.log({log_level::error, "cannot start", {{"reason", error.what()}}});
    return 1;
  }
}

} // namespace troupe::deploy
