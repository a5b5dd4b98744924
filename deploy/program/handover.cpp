#include "deploy/program/handover.hpp"

#include "deploy/program/handed_over.hpp"
#include "deploy/program/own_process.hpp"
#include "deploy/program/service_notice.hpp"
#include "net/child/spawn.hpp"
#include "net/frame_stream.hpp"
#include "protocol/text/words.hpp"

#include <array>
#include <cerrno>
#include <csignal>
#include <cstdlib>
#include <cstring>
#include <fcntl.h>
#include <fstream>
#include <iterator>
#include <poll.h>
#include <stdexcept>
#include <string>
#include <sys/eventfd.h>
#include <sys/mman.h>
#include <sys/sendfile.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>
#include <utility>
#include <vector>

namespace troupe::deploy {

namespace {

/// Returns the command line of this process.
std::vector<std::string> started_with() {
  std::ifstream file{"/proc/self/cmdline", std::ios::binary};
  const std::string all{std::istreambuf_iterator<char>{file}, {}};
  std::vector<std::string> result;
  for (std::size_t at = 0; at < all.size(); at += result.back().size() + 1)
    result.emplace_back(all.c_str() + at);
  return result;
}

std::string told_to(const listening_sockets& sockets, int link, int environment) {
  auto result = std::to_string(::getpid());
  for (const auto& [name, number] : {std::pair{" clients=", sockets.clients},
                                     {" admin=", sockets.admin},
                                     {" link=", link},
                                     {" environment=", environment}})
    if (number >= 0)
      result += name + std::to_string(number);
  return result;
}

/// True for variables that have an effect before the program runs: for the loader, the allocator and sanitizers. None
/// of these is a secret.
bool is_for_loader(std::string_view variable) {
  const auto name = variable.substr(0, variable.find('='));
  return name.starts_with("LD_") || name.ends_with("SAN_OPTIONS") || name == "GLIBC_TUNABLES" || name == "MALLOC_CONF";
}

/// Returns the environment that the new process starts with; other processes of its user can read it.
std::vector<std::string> variables_for_loader() {
  std::vector<std::string> result;
  for (char** one = environ; *one != nullptr; ++one)
    if (is_for_loader(*one))
      result.emplace_back(*one);
  return result;
}

[[noreturn]] void fail_to(const std::string& what) {
  throw std::runtime_error("cannot " + what + " (" + std::strerror(errno) +
                           "), so servers could read the memory of the other process: install the program with mode "
                           "0711 and another owner, or restart the gateway");
}

std::string found_in_path(const std::string& program) {
  const auto* const folders = std::getenv("PATH");
  if (program.find('/') != program.npos || folders == nullptr)
    return program;
  for (auto folder : protocol::words_in(folders, ":"))
    if (auto path = std::string{folder} + '/' + program; ::access(path.c_str(), X_OK) == 0)
      return path;
  return program;
}

net::owned_descriptor new_memory() {
  constexpr unsigned exec = 0x10; // MFD_EXEC, which kernels before 6.3 refuse
  auto result = ::memfd_create("troupe", MFD_CLOEXEC | exec);
  if (result < 0 && errno == EINVAL)
    result = ::memfd_create("troupe", MFD_CLOEXEC);
  return net::owned_descriptor{result};
}

void copy(const net::owned_descriptor& from, const net::owned_descriptor& to) {
  constexpr std::size_t at_once = std::size_t{1} << 30;
  ssize_t size = 0;
  while ((size = ::sendfile(to.get(), from.get(), nullptr, at_once)) > 0)
    ;
  if (size < 0)
    fail_to("copy the program");
}

/// Returns a copy of a program file, in memory, that its user may run and not read. Only root may inspect a process
/// that runs such a file, from its first instruction on. A server of the same user can never attach to the process,
/// read its memory or take its descriptors.
///
/// Returns no descriptor when no copy is needed: the file is not readable already, or this process is root's. Throws
/// `std::runtime_error` on failure.
net::owned_descriptor unreadable_copy(const std::string& program) {
  constexpr mode_t run_only = 0111;
  if (::geteuid() == 0)
    return {};
  const net::owned_descriptor from{::open(found_in_path(program).c_str(), O_RDONLY | O_CLOEXEC)};
  if (!from && errno == EACCES)
    return {};
  if (!from)
    fail_to("open the program");
  const auto writable = new_memory();
  if (!writable)
    fail_to("copy the program");
  copy(from, writable);
  // Linux runs no file that is open for writing, and cannot open an unreadable one: so open it again, then protect it.
  const auto again = "/proc/self/fd/" + std::to_string(writable.get());
  net::owned_descriptor result{::open(again.c_str(), O_RDONLY | O_CLOEXEC)};
  if (!result || ::fchmod(result.get(), run_only) != 0)
    fail_to("protect the program");
  return result;
}

/// Closes other descriptors on exec, for instance clients' connections, which the new process would keep open.
void close_others_on_exec() {
  constexpr unsigned first = STDERR_FILENO + 1;
  if (::close_range(first, ~0U, CLOSE_RANGE_CLOEXEC) == 0)
    return;
  const auto most = ::sysconf(_SC_OPEN_MAX); // kernel before 5.11
  for (int one = first; one < most; ++one)
    ::fcntl(one, F_SETFD, FD_CLOEXEC);
}

/// Runs the program: the open file, or, without one, the file that the first argument names. Runs after a fork, so it
/// calls only async-signal-safe functions.
[[noreturn]] void become(int program, const std::vector<char*>& arguments, const std::vector<char*>& environment,
                         const std::vector<int>& descriptors) {
  sigset_t none;
  sigemptyset(&none);
  ::sigprocmask(SIG_SETMASK, &none, nullptr);
  std::signal(SIGPIPE, SIG_DFL);
  close_others_on_exec();
  for (const int one : descriptors)
    ::fcntl(one, F_SETFD, 0);
  if (program >= 0)
    ::fexecve(program, arguments.data(), environment.data());
  else
    ::execvpe(arguments.front(), arguments.data(), environment.data());
  ::_exit(127);
}

/// Time limit in milliseconds for the intermediate process, which a server could stop.
constexpr int number_patience = 10'000;

pid_t read_process(int from) {
  pollfd ready{from, POLLIN, 0};
  pid_t result = -1;
  if (::poll(&ready, 1, number_patience) <= 0 || ::read(from, &result, sizeof result) != sizeof result)
    return -1;
  return result;
}

/// Starts the program as an orphan, so that it becomes a child of this process's supervisor: systemd waits for no
/// other. Returns its process id; -1 on failure.
pid_t start_apart(int program, const std::vector<char*>& arguments, const std::vector<char*>& environment,
                  const std::vector<int>& descriptors) {
  std::array<int, 2> ends{-1, -1};
  if (::pipe2(ends.data(), O_CLOEXEC) != 0)
    return -1;
  const net::owned_descriptor from{ends[0]};
  net::owned_descriptor to{ends[1]};
  const no_adoption meanwhile;
  const pid_t between = ::fork();
  if (between == 0) {
    const pid_t last = ::fork();
    if (last == 0)
      become(program, arguments, environment, descriptors);
    const auto written = ::write(to.get(), &last, sizeof last);
    ::_exit(written == sizeof last ? 0 : 1);
  }
  to = {};
  if (between < 0)
    return -1;
  const auto result = read_process(from.get());
  ::kill(between, SIGKILL); // no longer needed
  ::waitpid(between, nullptr, 0);
  return result;
}

/// True if the container ends with this process: as its first process, or as the child of a first process that only
/// waits for it. Container runtimes and our images set `container`.
bool ends_its_container() {
  const char* const kind = std::getenv("container");
  return ::getpid() == 1 || (::getppid() == 1 && kind != nullptr && *kind != '\0');
}

/// Values of the `loss_` event: the new process has closed its link, or hangs.
constexpr eventfd_t has_closed = 1;
constexpr eventfd_t hangs_now = 2;
constexpr auto between_refusals = std::chrono::seconds{1};

} // namespace

handover_process start_handover_process(const listening_sockets& sockets, int link, std::size_t server_descriptors,
                                        std::uint64_t lock_limit) {
  auto arguments = started_with();
  if (arguments.empty())
    throw std::runtime_error("/proc/self/cmdline does not say how this process was started");
  auto [here, there] = net::make_socket_pair();
  hand_environment(here.get());
  auto environment = variables_for_loader();
  environment.push_back(std::string{handed_over_variable} + '=' + told_to(sockets, link, there.get()) +
                        " limit=" + std::to_string(server_descriptors) + ' ' + std::string{locks_word} +
                        std::to_string(lock_limit));
  std::vector<int> descriptors{sockets.clients, link, there.get()};
  if (sockets.admin >= 0)
    descriptors.push_back(sockets.admin);
  const auto program = unreadable_copy(arguments.front());
  const auto process =
      start_apart(program.get(), net::pointers_to(arguments), net::pointers_to(environment), descriptors);
  if (process < 0)
    throw std::runtime_error("cannot start another process, or not in time");
  return {process, std::move(here)};
}

handover::handover(log_sink log, std::size_t server_descriptors, const process_origin& origin)
    : log_{std::move(log)}, server_descriptors_{server_descriptors}, origin_{origin},
      over_{std::make_shared<net::owned_descriptor>(::eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK))},
      loss_{std::make_shared<net::owned_descriptor>(::eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK))} {}

handover::~handover() {
  if (machine_.is_starting())
    signal_started(SIGKILL);
}

void handover::begin(const gateway& running, const signal_sender& by) {
  if (may_order(by))
    start(running);
}

bool handover::may_order(const signal_sender& by) {
  const auto why = why_may_not_order(by, own_facts(origin_));
  if (!why.empty() && clock::now() >= next_refusal_) {
    next_refusal_ = clock::now() + between_refusals;
    log_({log_level::warning,
          "SIGUSR2 is not obeyed",
          {{"reason", why}, {"process", std::to_string(by.process)}, {"user", std::to_string(by.user)}}});
  }
  return why.empty();
}

void handover::start(const gateway& running) {
  try {
    if (const auto why = machine_.why_not(); !why.empty())
      throw std::runtime_error(why);
    if (ends_its_container())
      throw std::runtime_error("its container would end with it: start another container");
    const auto sockets = running.sockets();
    const net::owned_descriptor clients{sockets.clients};
    const net::owned_descriptor admin{sockets.admin};
    const auto link = make_process_link();
    net::owned_descriptor here{link.here};
    const net::owned_descriptor there{link.there};
    auto started = start_handover_process(sockets, link.there, server_descriptors_, origin_.lock_limit);
    process_ = started.process;
    other_ = net::other_process{process_};
    environment_ = std::move(started.environment);
    link_ = std::move(here);
    machine_.started(clock::now());
    log_(record(log_level::info, "another process starts to take over"));
  } catch (const std::runtime_error& error) {
    abandon(error.what());
  }
}

void handover::abandon(const std::string& why) {
  log_record told{log_level::error, "no upgrade: this process serves on", {{"reason", why}}};
  if (process_ > 0)
    told.fields.emplace_back("process", std::to_string(process_));
  log_(told);
}

void handover::complete(gateway& running) {
  auto link = std::exchange(link_, {});
  try {
    if (const auto why = why_not_taken(environment_.get()); !why.empty()) {
      signal_started(SIGTERM);
      throw std::runtime_error{why};
    }
    const auto over = [event = over_] { ::eventfd_write(event->get(), 1); };
    const auto lost = [event = loss_](bool hangs) { ::eventfd_write(event->get(), hangs ? hangs_now : has_closed); };
    running.hand_over(link.release(), over, lost);
    notice_main_process(process_);
    machine_.handed_over();
    log_(record(log_level::info, "another process has taken over"));
  } catch (const std::runtime_error& error) {
    machine_.failed();
    abandon(error.what());
  }
}

bool handover::watch_over(gateway& running) {
  eventfd_t loss = 0;
  if (::eventfd_read(loss_->get(), &loss) == 0)
    perform(machine_.lost(loss == hangs_now, clock::now()));
  if (machine_.is_ending() && other_.has_ended() && machine_.ended() == protocol::successor::order::take_back)
    return take_back(running);
  perform(machine_.tick(clock::now()));
  return false;
}

void handover::perform(protocol::successor::order what) {
  using order = protocol::successor::order;
  if (what == order::kill)
    give_up();
  if (what != order::end)
    return;
  log_(record(log_level::warning, "the new process continues without this one, which exits"));
  ::eventfd_write(over_->get(), 1);
}

/// Kills the new process. A server may have stopped it.
void handover::give_up() {
  if (link_) {
    link_ = {};
    signal_started(SIGKILL);
    return abandon("the new process was not ready in time");
  }
  log_(record(log_level::error, "the new process gives no sign of life and is killed"));
  if (!other_.signal(SIGKILL))
    perform(machine_.not_killed());
}

/// Signals a process that has not taken over. Without its descriptor its number is certain: its link is open.
void handover::signal_started(int number) const {
  if (other_.descriptor() >= 0)
    other_.signal(number);
  else
    ::kill(process_, number);
}

/// Becomes the main process first: if this one cannot accept clients, its exit status shows that to systemd.
bool handover::take_back(gateway& running) {
  notice_main_process(::getpid());
  try {
    running.take_back();
    log_(record(log_level::error, "the new process has ended: this one accepts clients again"));
  } catch (const std::runtime_error& error) {
    log_({log_level::error, "cannot accept clients again", {{"reason", error.what()}}});
    has_failed_ = true;
    ::eventfd_write(over_->get(), 1);
    return false;
  }
  return true;
}

log_record handover::record(log_level level, const char* text) const {
  return {level, text, {{"process", std::to_string(process_)}}};
}

bool handover::is_over() const {
  pollfd over{over_->get(), POLLIN, 0};
  return ::poll(&over, 1, 0) > 0;
}

} // namespace troupe::deploy
