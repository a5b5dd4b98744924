#include "deploy/program/connect.hpp"

#include "deploy/connect/connector.hpp"
#include "deploy/connect/login_file.hpp"
#include "deploy/log/log.hpp"
#include "deploy/program/descriptor.hpp"
#include "deploy/program/signals.hpp"

#include <algorithm>
#include <array>
#include <atomic>
#include <cerrno>
#include <chrono>
#include <csignal>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <functional>
#include <iostream>
#include <memory>
#include <optional>
#include <string>
#include <thread>
#include <utility>

#include <poll.h>
#include <sys/eventfd.h>
#include <unistd.h>

namespace troupe::deploy {

namespace {

/// Bytes of the client that may wait for the io thread.
constexpr std::size_t most_waiting = std::size_t{16} << 20;
/// How long everything may take once it is to end: somewhat longer than each step of it.
constexpr std::chrono::seconds longest_end{8};

/// A descriptor that wakes who waits for it.
class wake_up {
public:
  void ring() const { eventfd_write(descriptor_.number(), 1); }
  void clear() const {
    eventfd_t count = 0;
    eventfd_read(descriptor_.number(), &count);
  }
  int descriptor() const { return descriptor_.number(); }

private:
  deploy::descriptor descriptor_{eventfd(0, EFD_NONBLOCK | EFD_CLOEXEC)};
};

/// For `poll`.
int milliseconds_until(std::chrono::steady_clock::time_point when) {
  const auto left = std::chrono::ceil<std::chrono::milliseconds>(when - std::chrono::steady_clock::now());
  return static_cast<int>(std::max<std::chrono::milliseconds::rep>(left.count(), 0));
}

/// The client does not read what it is told, or the server does not take leave.
[[noreturn]] void give_up() { std::_Exit(0); }

/// Ends the process once a time has come, or a signal, unless it is destroyed before.
class last_watch {
public:
  using clock = std::chrono::steady_clock;

  /// `signal` is a descriptor that is readable then; none when it is -1.
  last_watch(int signal, clock::time_point until) : thread_([this, signal, until] { wait(signal, until); }) {}
  ~last_watch() {
    over_.ring();
    thread_.join();
  }
  last_watch(const last_watch&) = delete;
  last_watch& operator=(const last_watch&) = delete;

private:
  void wait(int signal, clock::time_point until) const {
    std::array<pollfd, 2> all{pollfd{over_.descriptor(), POLLIN, 0}, pollfd{signal, POLLIN, 0}};
    while (::poll(all.data(), all.size(), milliseconds_until(until)) < 0 && errno == EINTR)
      ;
    if (all[0].revents == 0)
      give_up();
  }

  wake_up over_;
  std::thread thread_;
};

/// Reads stdin on the thread that runs it, and hands the bytes to the connector on the io thread; no more of them than
/// that keeps up with.
class stdin_pump {
public:
  stdin_pump(signals& told, const connect_command& command, log_sink log) : signals_(told), log_(std::move(log)) {
    thread_.post(
        [this, &command] { connector_ = std::make_unique<connector>(thread_, command, log_, [this] { stop(); }); });
  }
  /// The thread runs this before it ends, and waits for the last word to the server; also for the system to find the
  /// address of a host, which nothing but the end of the process stops.
  ~stdin_pump() {
    watch_.emplace(ends_by_ ? signals_.descriptor() : -1, ends_by_.value_or(clock::now() + longest_end));
    thread_.post([this] { connector_.reset(); });
  }
  stdin_pump(const stdin_pump&) = delete;
  stdin_pump& operator=(const stdin_pump&) = delete;

  void run() {
    while (!over_)
      wait();
  }

private:
  using clock = std::chrono::steady_clock;

  void wait() {
    std::array<pollfd, 3> all{pollfd{signals_.descriptor(), POLLIN, 0}, pollfd{wake_.descriptor(), POLLIN, 0},
                              pollfd{ends_by_ ? -1 : STDIN_FILENO, awaited(), 0}};
    ::poll(all.data(), all.size(), patience());
    if (ends_by_ && clock::now() >= *ends_by_)
      give_up();
    if (all[0].revents != 0)
      on_signal();
    if (all[1].revents != 0)
      wake_.clear();
    if (all[2].revents != 0)
      read_some();
  }

  /// Also of a client that is not kept up with it is noticed that it has said its last word; little is left to be read
  /// then.
  short awaited() const { return waiting_ < most_waiting ? POLLIN : POLLRDHUP; }

  int patience() const { return ends_by_ ? milliseconds_until(*ends_by_) : -1; }

  /// The first one is as if the client had ended; the next ends everything.
  void on_signal() {
    const auto number = signals_.next();
    if (!number)
      return;
    if (ends_by_)
      give_up();
    log_({log_level::info, std::string("ends: ") + signal_name(*number)});
    end();
  }

  void read_some() {
    std::string bytes(std::size_t{64} << 10, '\0');
    const auto size = ::read(STDIN_FILENO, bytes.data(), bytes.size());
    if (size <= 0)
      return end();
    bytes.resize(static_cast<std::size_t>(size));
    waiting_ += bytes.size();
    thread_.post([this, bytes = std::move(bytes)] {
      connector_->client_wrote(bytes);
      if (waiting_.fetch_sub(bytes.size()) >= most_waiting)
        wake_.ring();
    });
  }

  void end() {
    ends_by_ = clock::now() + longest_end;
    thread_.post([this] { connector_->client_ended(); });
  }

  void stop() {
    over_ = true;
    wake_.ring();
  }

  signals& signals_;
  log_sink log_;
  wake_up wake_;
  std::atomic<bool> over_ = false;
  std::atomic<std::size_t> waiting_ = 0;
  std::optional<clock::time_point> ends_by_;
  /// While the thread ends.
  std::optional<last_watch> watch_;
  /// Lives on the thread.
  std::unique_ptr<connector> connector_;
  net::io_thread thread_;
};

int log_out(const connect_command& command) {
  const login_file file(command.url, command.login.client_id);
  std::cout << (file.forget() ? "logged out\n" : "there was no login\n");
  return EXIT_SUCCESS;
}

} // namespace

int run_connect(const connect_command& command) {
  if (command.forgets_login)
    return log_out(command);
  std::signal(SIGPIPE, SIG_IGN); // NOLINT: a client that is gone is seen by what cannot be written
  signals told;                  // before there are other threads
  auto log = stderr_log(command.level, log_format::text);
  stdin_pump{told, command, std::move(log.write)}.run();
  return EXIT_SUCCESS;
}

} // namespace troupe::deploy
