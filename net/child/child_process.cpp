#include "net/child/child_process.hpp"

#include "net/other_process.hpp"
#include "net/owned_descriptor.hpp"
#include "net/spare_connections.hpp"
#include "net/write_queue.hpp"

#include <boost/asio/buffer.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/posix/stream_descriptor.hpp>
#include <boost/asio/steady_timer.hpp>
#include <boost/asio/write.hpp>

#include <array>
#include <csignal>
#include <cstdint>
#include <optional>
#include <sys/types.h>
#include <sys/wait.h>
#include <unistd.h>

namespace troupe::net {

namespace asio = boost::asio;
using asio::posix::stream_descriptor;
using protocol::line_reader;

namespace {

/// Interval at which a child that was given up is checked.
constexpr auto look_again = std::chrono::seconds{1};

std::string how_it_ended(const siginfo_t& end) {
  if (end.si_code == CLD_EXITED)
    return "the MCP server exited with status " + std::to_string(end.si_status);
  return "the MCP server was killed by signal " + std::to_string(end.si_status);
}

} // namespace

/// Child and the process group that it leads, until it is reaped. Never blocks; callable from any thread, by one at a
/// time. Destroying it closes the descriptor and does nothing to the child.
///
/// Until the leader is reaped, the number of its group cannot be reused. A host program that ignores SIGCHLD, or waits
/// for all children, reaps the leader itself: then the group is not signalled any more.
class process_group {
public:
  process_group(pid_t leader, int pidfd) : leader_{leader}, pidfd_{pidfd} {}

  pid_t leader() const { return leader_; }
  /// Descriptor, still owned here, that is readable when the leader has exited.
  int pidfd() const { return pidfd_.get(); }

  /// Checks first that the leader exists.
  void signal(int number) const {
    if (signal_process(pidfd_, 0))
      ::kill(-leader_, number);
  }

  /// Once the leader has exited: kills the rest of the group while that is still a zombie, reaps it and returns how it
  /// ended. Otherwise nullopt.
  std::optional<std::string> reap() const {
    auto it = static_cast<id_t>(pidfd_.get());
    siginfo_t end{};
    if (::waitid(P_PIDFD, it, &end, WEXITED | WNOWAIT | WNOHANG) != 0)
      return "the MCP server ended, and something else in this process was told how";
    if (end.si_pid == 0)
      return std::nullopt;
    ::kill(-leader_, SIGKILL);
    ::waitid(P_PIDFD, it, &end, WEXITED);
    return how_it_ended(end);
  }

private:
  pid_t leader_;
  owned_descriptor pidfd_;
};

/// Reaps a child that cannot be killed for now, within a second of its exit. Does not keep the thread running: a child
/// that outlives the thread is left to the process's own end. Only on the io thread.
void reap_later(io_thread& thread, std::shared_ptr<const process_group> child) {
  if (child->reap())
    return;
  thread.at(io_thread::clock::now() + look_again,
            [&thread, child = std::move(child)]() mutable { reap_later(thread, std::move(child)); });
}

namespace {

/// Longest time between the end of a pipe and that of the process that wrote to it.
constexpr auto pipe_patience = std::chrono::milliseconds{500};

/// Interval at which a child that is being stopped checks whether its end is hurried.
constexpr auto patience_step = std::chrono::milliseconds{100};

constexpr std::size_t pipe_read_size = 64 * 1024;

/// Reads the bytes that are left in a pipe.
std::string rest_of(stream_descriptor& pipe) {
  boost::system::error_code ignored;
  stream_descriptor::bytes_readable there;
  pipe.io_control(there, ignored);
  std::string result(there.get(), '\0');
  result.resize(pipe.read_some(asio::buffer(result), ignored));
  return result;
}

} // namespace

/// Running child, kept alive by pending operations until it is reaped.
class child_process::running : public std::enable_shared_from_this<running> {
public:
  running(io_thread& thread, const spawned& child, const child_limits& limits, child_events events, slots::share slot)
      : thread_{thread}, limits_{limits}, events_{std::move(events)},
        group_{std::make_shared<counted_group>(child, std::move(slot))}, stdin_{thread.context(), child.to_stdin},
        stdout_{thread.context(), child.from_stdout}, stderr_{thread.context(), child.from_stderr},
        pidfd_{thread.context(), group_->pidfd()}, timer_{thread.context()},
        lines_{limits.line, protocol::overflow::skip}, error_lines_{limits.error_line, protocol::overflow::truncate} {}

  void begin() {
    boost::system::error_code ignored;
    stdin_.non_blocking(true, ignored);
    do_read();
    do_read_errors();
    await_exit();
  }

  bool write(std::string line) {
    if (deaf_ || queue_.untaken_exceeds(limits_.unwritten))
      return false;
    line += '\n';
    queue_.add(std::move(line));
    write_soon();
    return true;
  }

  /// Stops the child, without further callbacks. Its output is still read: a child that blocks on a full pipe would
  /// never see that its stdin is closed.
  void stop() {
    events_ = {};
    write_on();
    close_stdin();
    if (!gone_)
      after_patience([](running& self) { self.terminate(); });
  }

  pid_t pid() const { return group_->leader(); }

  /// Counts the child as stopping. Callable from any thread, before `stop` is posted.
  void stops() {
    if (limits_.slots && !group_->stopping)
      group_->stopping = limits_.slots->stopping.try_acquire();
  }

  ~running() { let_go_of_pidfd(); }

private:
  struct counted_group : process_group {
    counted_group(const spawned& child, slots::share slot)
        : process_group{child.pid, child.pidfd}, living{std::move(slot)} {}
    slots::share living, stopping;
  };

  // -- stdout and stderr
  void do_read() {
    stdout_.async_read_some(asio::buffer(buffer_), [self = shared_from_this()](auto error, auto size) {
      self->take_lines({self->buffer_.data(), size});
      if (!error && !self->hears_last_words_)
        self->do_read();
      else
        self->on_silent();
    });
  }

  void do_read_errors() {
    stderr_.async_read_some(asio::buffer(error_buffer_), [self = shared_from_this()](auto error, auto size) {
      self->take_error_lines({self->error_buffer_.data(), size});
      if (!error && !self->hears_last_words_)
        self->do_read_errors();
      else
        self->on_errors_end();
    });
  }

  /// A child that fills the buffer writes much at a time: the buffer then grows to the size of a pipe.
  void take_lines(std::string_view bytes) {
    auto lines = lines_.feed(bytes);
    if (bytes.size() == buffer_.size())
      buffer_.resize(pipe_read_size);
    if (!lines.empty() && events_.wrote)
      events_.wrote(std::move(lines));
    for (auto& line : lines_.take_skipped())
      if (events_.skipped)
        events_.skipped(std::move(line));
  }

  void take_error_lines(std::string_view bytes) {
    auto lines = error_lines_.feed(bytes);
    if (!lines.empty() && events_.wrote_stderr)
      events_.wrote_stderr(std::move(lines));
  }

  void on_silent() {
    if (hears_last_words_)
      take_lines(rest_of(stdout_));
    silent_ = true;
    if (gone_)
      finish();
    else
      expect_end([](running& self) { self.lose("the MCP server closed its stdout"); });
  }

  void on_errors_end() {
    if (hears_last_words_)
      take_error_lines(rest_of(stderr_));
    errors_ended_ = true;
    if (auto rest = error_lines_.finish(); rest && events_.wrote_stderr)
      events_.wrote_stderr({std::move(*rest)});
    if (gone_)
      finish();
  }

  // -- stdin
  /// Writes all lines of one turn at once.
  void write_soon() {
    if (!queue_.is_post_due())
      return;
    thread_.post([self = shared_from_this()] {
      self->queue_.posted_write_begins();
      self->write_on();
    });
  }

  void write_on() {
    if (deaf_)
      return;
    if (auto rest = queue_.begin_at_once(stdin_))
      asio::async_write(stdin_, *rest, [self = shared_from_this()](auto error, auto) { self->on_write(error); });
  }

  void on_write(boost::system::error_code error) {
    queue_.end();
    if (error)
      on_deaf();
    else
      write_on();
  }

  void on_deaf() {
    deaf_ = true;
    queue_.drop_waiting();
    if (!gone_)
      expect_end([](running& self) { self.lose("the MCP server closed its stdin"); });
  }

  void close_stdin() {
    boost::system::error_code ignored;
    stdin_.close(ignored);
  }

  // -- the end
  void lose(std::string why) {
    if (auto tell = std::exchange(events_.lost, nullptr))
      tell(std::move(why));
  }

  /// Waits for the exit after a pipe was closed. Most often the child has exited, and the kernel is about to report
  /// how. A child that is being stopped keeps its timer for TERM or KILL.
  void expect_end(void (*otherwise)(running&)) {
    if (events_.lost)
      after(pipe_patience, otherwise);
  }

  /// Replaces what the timer did before, even if its handler is queued already.
  void after(std::chrono::milliseconds time, void (*then)(running&)) {
    timer_.expires_after(time);
    timer_.async_wait([self = shared_from_this(), then, set = ++timers_set_](auto error) {
      if (!error && set == self->timers_set_)
        then(*self);
    });
  }

  void stop_timer() {
    ++timers_set_;
    timer_.cancel();
  }

  void after_patience(void (*then)(running&)) {
    patient_until_ = io_thread::clock::now() + limits_.patience;
    when_impatient_ = then;
    be_patient();
  }

  /// Waits in steps, because the end may be hurried.
  void be_patient() {
    if (hurried() || io_thread::clock::now() >= patient_until_)
      when_impatient_(*this);
    else
      after(std::min(limits_.patience, patience_step), [](running& self) { self.be_patient(); });
  }

  bool hurried() const { return limits_.kill_at_once && *limits_.kill_at_once; }

  void terminate() {
    if (gone_)
      return;
    group_->signal(SIGTERM);
    after_patience([](running& self) { self.kill(); });
  }

  void kill() {
    if (gone_)
      return;
    group_->signal(SIGKILL);
    after(limits_.patience, [](running& self) { self.give_up(); });
  }

  /// Gives up a child that became another user's and cannot be killed. Most often it only dies slowly.
  void give_up() {
    if (gone_)
      return;
    let_go_of_pidfd();
    close_pipes();
    reap_later(thread_, group_);
  }

  /// Releases the pidfd, which belongs to the group.
  void let_go_of_pidfd() {
    if (pidfd_.is_open())
      pidfd_.release();
  }

  void await_exit() {
    pidfd_.async_wait(stream_descriptor::wait_read, [self = shared_from_this()](auto error) {
      if (!error)
        self->on_exit();
    });
  }

  /// Handles the exit. All writers to the pipes are gone then, except a grandchild that left the group: it may keep
  /// them open for ever.
  void on_exit() {
    auto how = group_->reap();
    if (!how)
      return await_exit(); // spurious wake-up
    gone_ = true;
    how_it_ended_ = std::move(*how);
    close_stdin();
    after(pipe_patience, [](running& self) { self.hear_last_words(); });
    finish();
  }

  /// Reads the last output, which is in the pipes if we were slow. Cancels the pending reads: their handlers read the
  /// present contents of the pipes, and no more.
  void hear_last_words() {
    hears_last_words_ = true;
    boost::system::error_code ignored;
    stdout_.cancel(ignored);
    stderr_.cancel(ignored);
  }

  void close_pipes() {
    boost::system::error_code ignored;
    stdout_.close(ignored);
    stderr_.close(ignored);
  }

  /// Reports the exit once all output was reported.
  void finish() {
    if (!silent_ || !errors_ended_)
      return;
    lose(how_it_ended_);
    stop_timer();
    close_pipes();
  }

  io_thread& thread_;
  child_limits limits_;
  child_events events_;
  std::shared_ptr<counted_group> group_;
  bool gone_ = false;
  io_thread::clock::time_point patient_until_;
  void (*when_impatient_)(running&) = nullptr;
  bool deaf_ = false;
  bool silent_ = false;
  bool hears_last_words_ = false;
  bool errors_ended_ = false;
  std::string how_it_ended_;
  stream_descriptor stdin_;
  stream_descriptor stdout_;
  stream_descriptor stderr_;
  stream_descriptor pidfd_;
  asio::steady_timer timer_;
  std::uint64_t timers_set_ = 0;
  line_reader lines_;
  line_reader error_lines_;
  std::vector<char> buffer_ = std::vector<char>(4 * 1024);
  std::array<char, 1024> error_buffer_;
  write_queue queue_;
};

std::unique_ptr<child_process> child_process::start(io_thread& thread, const command& what, const child_limits& limits,
                                                    child_events events, start_failure& why_not) {
  auto slot = limits.slots ? limits.slots->living.try_acquire(limits.slots->most) : nullptr;
  if (limits.slots && !slot) {
    why_not = {"too many processes run; gateway.limits.processes allows more", true};
    return nullptr;
  }
  spawned child;
  auto is_short = [&](auto& failure) { return failure && failure->is_shortage && thread.is_current(); };
  auto failure = spawn(what, child);
  while (is_short(failure) && thread.spare().close_oldest())
    failure = spawn(what, child);
  if (failure) {
    why_not = std::move(*failure);
    return nullptr;
  }
  auto started = std::make_shared<running>(thread, child, limits, std::move(events), std::move(slot));
  started->begin();
  return std::unique_ptr<child_process>{new child_process{thread, std::move(started)}};
}

child_process::child_process(io_thread& thread, std::shared_ptr<running> child)
    : thread_{thread}, child_{std::move(child)} {}

child_process::~child_process() {
  child_->stops();
  thread_.post([child = std::move(child_)] { child->stop(); });
}

bool child_process::write(std::string line) { return child_->write(std::move(line)); }

pid_t child_process::pid() const { return child_->pid(); }

} // namespace troupe::net
