#include "deploy/program/serve.hpp"

#include "deploy/config/config_file.hpp"
#include "deploy/config/config_traces.hpp"
#include "deploy/log/log_line.hpp"
#include "deploy/operator/admin_endpoint.hpp"
#include "deploy/program/exposures.hpp"
#include "deploy/program/handed_over.hpp"
#include "deploy/program/handover.hpp"
#include "deploy/program/own_process.hpp"
#include "deploy/program/service_notice.hpp"
#include "deploy/program/signals.hpp"
#include "deploy/program/summary.hpp"
#include "deploy/program/watch.hpp"
#include "protocol/text/host_port.hpp"

#include <algorithm>
#include <csignal>
#include <cstdint>
#include <cstdlib>
#include <iostream>
#include <iterator>
#include <mutex>
#include <optional>
#include <poll.h>
#include <stdexcept>
#include <sys/eventfd.h>
#include <sys/prctl.h>
#include <thread>
#include <unistd.h>
#include <utility>
#include <variant>
#include <vector>

namespace troupe::deploy {

namespace {

void hurry_at(std::optional<int> signal, gateway& running, const log_sink& log) {
  if (!is_stop(signal))
    return;
  log({log_level::info, "hurrying", {{"signal", signal_name(*signal)}}});
  running.hurry();
}

// Drains the gateway and waits until it has ended; another SIGTERM or SIGINT ends the grace period.
void drain(gateway& running, signals& arrived, const log_sink& log) {
  const net::owned_descriptor ended{::eventfd(0, EFD_CLOEXEC)};
  if (!ended)
    return running.drain(); // without a descriptor a second signal has no effect
  std::thread draining{[&] {
    running.drain();
    ::eventfd_write(ended.get(), 1);
  }};
  pollfd waits[] = {{ended.get(), POLLIN, 0}, {arrived.descriptor(), POLLIN, 0}};
  while (::poll(waits, 2, -1) < 0 || (waits[0].revents & POLLIN) == 0)
    hurry_at(arrived.next(), running, log);
  draining.join();
}

using watch_clock = std::chrono::steady_clock;

void announce_in_log(const gateway_options& options, const std::string& url) {
  log_record listening{log_level::info, "listening", {{"url", url}}};
  listening.fields.emplace_back(options.merge ? "servers" : "server", names_of(options.servers));
  if (options.socket >= 0)
    listening.fields.emplace_back("socket", "handed over");
  options.log(listening);
}

void warn_of_root(const std::vector<server_options>& servers, const log_sink& log) {
  if (const auto root = servers_as_root(servers); !root.names.empty())
    log({log_level::warning, root.text, {{"servers", root.names}}});
}

/// Warns if orphans of servers could not be recognised. Nodes of a cluster are exempt, as they hand nothing over.
void warn_of_no_mark(const serve_command& command) {
  const auto& options = command.gateway;
  const auto is_program = [](const server_options& one) { return std::holds_alternative<command_server>(one.source); };
  if (command.origin.lock_limit == 0 && !options.cluster && std::ranges::any_of(options.servers, is_program))
    options.log({log_level::warning,
                 "a process that a server leaves behind may order a hand-over (SIGUSR2)",
                 {{"reason", "the hard limit of file locks is 0"},
                  {"advice", "raise it: prlimit --locks, or LimitLOCKS= in a unit of systemd"}}});
}

/// Announces the start: on a terminal with a summary, otherwise with a log line.
void announce(const serve_command& command, const gateway& running) {
  const auto& options = command.gateway;
  const auto& log = options.log;
  if (command.format == log_format::text && command.level <= log_level::info && ::isatty(STDERR_FILENO))
    std::cerr << summary_of(options, {running.port(), running.admin_port(), running.admin_token().file});
  else
    announce_in_log(options, url_of(options, running.port()));
  const auto is_here = protocol::is_loopback(options.host) || protocol::is_unix_socket(options.host);
  if (options.auth.allow_anonymous && !is_here)
    log({log_level::warning,
         "anybody is let in: whoever reaches this address can use the servers",
         {{"host", options.host}}});
  warn_of_root(options.servers, log);
  warn_of_no_mark(command);
  log_problems(log, exposures(options, command.config));
}

/// Running gateway, with the main loop of the process.
class service {
public:
  service(const serve_command& command, access_log* access, live_config* config, file_watch* watch, signals& arrived)
      : log_(command.gateway.log), count_lost_(command.gateway.lost_log_lines), access_(access), config_(config),
        watch_(watch), arrived_(arrived),
        handover_(command.gateway.log, command.gateway.server_descriptors, command.origin) {
    begin(command.gateway);
    announce(command, *running_);
    status_ = "Serving " + url_of(command.gateway, running_->port());
    if (command.gateway.predecessor >= 0) // the old process may have exited before it could say so
      notice_main_process(::getpid());
    notice_ready(status_);
  }

  /// Runs until a stop signal, or until the sessions left after a handover have ended. Returns the exit status.
  int run() {
    std::optional<int> signal;
    while (!is_stop(signal) && !handover_.is_over()) {
      signal = arrived_.next();
      if (signal)
        handle(*signal);
      else
        wait();
    }
    if (!handover_.has_handed_over())
      notice_stopping("Draining: calls in flight may finish");
    const std::pair<std::string, std::string> why{is_stop(signal) ? "signal" : "reason",
                                                  is_stop(signal) ? signal_name(*signal) : handover::over_text};
    log_({log_level::info, "draining", {why}});
    drain(*running_, arrived_, log_);
    log_({log_level::info, "stopped", {}});
    return handover_.has_failed() ? 1 : 0;
  }

private:
  /// Creates the gateway. Orders of operators are refused until it is complete.
  void begin(gateway_options options) {
    const std::lock_guard begins{reloading_};
    if (config_)
      options.orders.reload = [this] { return reload_for_operator(); };
    options.orders.drain = [this] {
      if (!std::exchange(drain_ordered_, true)) // a second signal would end the grace period
        ::kill(::getpid(), SIGTERM);
    };
    running_.emplace(std::move(options));
  }

  void handle(int signal) {
    if (signal == SIGHUP)
      hung_up();
    else if (signal == SIGUSR2)
      handover_.begin(*running_, arrived_.sender());
  }

  void wait() {
    pollfd waits[] = {{arrived_.descriptor(), POLLIN, 0}, {watch_ ? watch_->descriptor() : -1, POLLIN, 0},
                      {handover_.link(), POLLIN, 0},      {handover_.over(), POLLIN, 0},
                      {handover_.losses(), POLLIN, 0},    {handover_.end(), POLLIN, 0}};
    const auto due =
        std::min({watch_ ? watch_->due() : watch_clock::time_point::max(), handover_.due(), lost_lines_.due()});
    ::poll(waits, std::size(waits), milliseconds_until(due));
    if (waits[2].revents != 0)
      handover_.complete(*running_);
    if (handover_.watch_over(*running_))
      notice_ready(status_);
    if (watch_ && watch_->changed(watch_clock::now()))
      reload();
    tell_of_lost_lines();
  }

  void tell_of_lost_lines() {
    const auto now = watch_clock::now();
    if (now < lost_lines_.due())
      return;
    if (const auto lines = lost_lines_.look(count_lost_(), now); lines > 0)
      log_({log_level::warning,
            "lines of the log or the access log are lost: a disk is full, or a reader slow",
            {{"lines", std::to_string(lines)}}});
  }

  void hung_up() {
    notice_reloading();
    const auto has_file = access_ && access_->has_file();
    if (has_file)
      open_again();
    if (config_)
      reload();
    else if (!has_file)
      log_({log_level::info, "nothing to read again: there is no configuration file", {{"signal", "SIGHUP"}}});
    notice_ready(status_);
  }

  void open_again() {
    if (const auto why = access_->reopen())
      log_({log_level::error, "access log not opened again", {{"reason", *why}}});
    else
      log_({log_level::info, "access log opened again", {}});
  }

  void reload() {
    const std::lock_guard alone{reloading_};
    read_again();
  }

  /// Reloads for an operator. Runs on a thread of the gateway, which must not block.
  std::string reload_for_operator() {
    const std::unique_lock alone{reloading_, std::try_to_lock};
    return alone ? read_again() : "the gateway is starting, or reads its configuration already: try again";
  }

  /// Reloads the configuration. Returns the reason of a failure; empty on success.
  std::string read_again() {
    auto change = config_->read_again(log_);
    if (!change.servers)
      return change.why_not;
    try {
      warn_of_root(*change.servers, log_);
      running_->reload(std::move(*change.servers));
      return {};
    } catch (const std::runtime_error& error) { // some changes need a restart
      log_({log_level::error, "servers not changed", {{"reason", error.what()}}});
      return error.what();
    }
  }

  log_sink log_;
  /// Counts the lines that were never written.
  std::function<std::uint64_t()> count_lost_;
  lost_lines lost_lines_{watch_clock::now()};
  access_log* access_;  // null without an access log
  live_config* config_; // null without a configuration file
  file_watch* watch_;   // null unless the file is watched
  signals& arrived_;
  handover handover_;
  /// Current state, for people.
  std::string status_;
  /// Used only on the thread of operators' orders.
  bool drain_ordered_ = false;
  /// Held while the configuration is reloaded.
  std::mutex reloading_;
  std::optional<gateway> running_;
};

/// Applies the file's options, except those from the process itself. Log options apply where no flag gave them.
void adopt(serve_command& command, const config_file& file) {
  const auto server_descriptors = command.gateway.server_descriptors;
  const auto predecessor = command.gateway.predecessor;
  command.gateway = file.gateway;
  command.gateway.server_descriptors = server_descriptors;
  command.gateway.predecessor = predecessor;
  if (file.level && !command.given.contains("--log-level"))
    command.level = *file.level;
  if (file.format && !command.given.contains("--log-format"))
    command.format = *file.format;
  if (!command.given.contains("--access-log"))
    command.access_log.file = file.access_log.file;
  if (!command.given.contains("--access-log-format"))
    command.access_log.format = file.access_log.format;
}

void begin_log(serve_command& command) {
  auto log = stderr_log(command.level, command.format);
  command.gateway.log = std::move(log.write);
  command.gateway.lost_log_lines = std::move(log.lost);
  command.gateway.orders.level = std::move(log.level);
  command.gateway.orders.set_level = std::move(log.set_level);
  apply_trace_environment(command.gateway.traces, process_variable, command.gateway.log);
}

/// A service of systemd has a directory of its own for what it keeps; of several, the first.
void keep_members(std::optional<cluster_options>& node) {
  const auto* const folders = std::getenv("STATE_DIRECTORY"); // NOLINT(concurrency-mt-unsafe)
  if (!node || !node->members_file.empty() || !folders || *folders != '/')
    return;
  const std::string all = folders;
  node->members_file = all.substr(0, all.find(':')) + "/members";
}

/// Opens the access log. It is completely written once the options have no copy of its sink.
std::optional<access_log> begin_access_log(serve_command& command) {
  if (command.access_log.file.empty())
    return std::nullopt;
  std::optional<access_log> result{std::in_place, command.access_log};
  command.gateway.access_log = result->sink();
  command.gateway.lost_log_lines = [log = command.gateway.lost_log_lines, access = result->lost()] {
    return log() + access();
  };
  return result;
}

int run_service(serve_command& command, live_config* config, file_watch* watch, signals& arrived) {
  try {
    keep_members(command.gateway.cluster);
    auto access = begin_access_log(command);
    if (command.gateway.admin)
      command.gateway.admin->token_folders = token_folders();
    return service{command, access ? &*access : nullptr, config, watch, arrived}.run();
  } catch (const std::runtime_error& error) {
    if (command.level == log_level::none) // always reported
      std::cerr << "troupe: cannot start: " << escaped(error.what()) << '\n';
    if (command.gateway.predecessor < 0) // otherwise the old process serves on
      notice_status(std::string{"Cannot start: "} + error.what());
    command.gateway.log({log_level::error, "cannot start", {{"reason", error.what()}}});
    return 1;
  }
}

bool take_handed_sockets(serve_command& command) {
  try {
    adopt_handed_sockets(command);
    return true;
  } catch (const std::runtime_error& error) {
    std::cerr << "troupe: " << error.what() << '\n';
    return false;
  }
}

int serve_configured(serve_command& command, signals& arrived) {
  std::optional<file_watch> watch;
  if (command.watch)
    watch.emplace(command.config, watch_clock::now());
  flagged_options flags{command.gateway, command.given};
  auto file = load_config(command.config, flags);
  if (has_error(file.problems)) {
    const auto write = [&] {
      for (const auto& problem : file.problems)
        std::cerr << problem_line(command.config, problem) << '\n';
    };
    write_or_exit(write, arrived, 1);
    return 1;
  }
  adopt(command, file);
  begin_log(command);
  log_problems(command.gateway.log, file.problems);
  live_config config{command.config, std::move(file), std::move(flags)};
  return run_service(command, &config, watch ? &*watch : nullptr, arrived);
}

int serve_server(serve_command& command, signals& arrived) {
  begin_log(command);
  return run_service(command, nullptr, nullptr, arrived);
}

} // namespace

int serve(serve_command command) {
  // Servers of the same user must not read our environment or memory.
  ::prctl(PR_SET_DUMPABLE, command.core_dumps ? 1 : 0);
  signals arrived;
  std::signal(SIGCHLD, SIG_DFL); // if our parent ignored it, the kernel would reap our servers before we do
  std::signal(SIGPIPE, SIG_IGN); // a closed peer is an error of one write, not our end
  command.gateway.server_descriptors = raise_descriptor_limit();
  if (!take_handed_sockets(command))
    return 2;
  const int status = command.config.empty() ? serve_server(command, arrived) : serve_configured(command, arrived);
  const auto write_rest = [&] { // the last copies write the remaining lines
    command.gateway.access_log = {};
    command.gateway.log = {};
  };
  write_or_exit(write_rest, arrived, status);
  return status;
}

} // namespace troupe::deploy
