#include "deploy/program/connect.hpp"

#include "deploy/config/config_file.hpp"
#include "deploy/config/file_text.hpp"
#include "deploy/connect/connector.hpp"
#include "deploy/connect/login_file.hpp"
#include "deploy/log/log.hpp"
#include "deploy/program/flag_checks.hpp"
#include "deploy/program/flag_values.hpp"
#include "deploy/program/signals.hpp"
#include "net/owned_descriptor.hpp"
#include "protocol/text/json.hpp"

#include <array>
#include <atomic>
#include <cerrno>
#include <chrono>
#include <csignal>
#include <cstddef>
#include <cstdlib>
#include <iostream>
#include <memory>
#include <optional>
#include <poll.h>
#include <sys/eventfd.h>
#include <thread>
#include <unistd.h>
#include <utility>

namespace troupe::deploy {

namespace {

const choices<protocol::remote_kind> connect_transports = {{"auto", protocol::remote_kind::detect},
                                                           {"http", protocol::remote_kind::streamable_http},
                                                           {"sse", protocol::remote_kind::http_sse}};

constexpr std::size_t longest_client_secret = std::size_t{64} << 10;

void add_login_flags(CLI::App& app, connect_flag_values& typed) {
  auto& login = typed.command.login;
  app.add_option("--client-id", login.client_id,
                 "Client that the authorization server knows; without it, one is registered there")
      ->type_name("ID");
  app.add_option("--client-secret-file", typed.secret_file,
                 "File with the client's secret; without it, TROUPE_CLIENT_SECRET has it, if there is one")
      ->check(must_be_readable())
      ->type_name("FILE");
  app.add_option("--issuer", login.issuer,
                 "Only authorization server to log in at; required with a secret, which no other one gets")
      ->check(must_be_url())
      ->type_name("URL");
  app.add_flag("--assume-pkce", login.assumes_pkce,
               "Log in even if the metadata of the authorization server does not name PKCE (S256)");
  app.add_option("--callback-port", login.callback_port,
                 "Port on this machine that the browser comes back to after the login (default: any)")
      ->check(must_be_within({0, 65535}))
      ->type_name("PORT");
  app.add_flag("--no-browser", typed.no_browser, "Open no browser to log in, only print where");
  app.add_flag("--logout", typed.command.forgets_login, "Forget the login at this server, and end");
}

std::string client_secret(const std::string& file) {
  if (file.empty())
    return process_variable("TROUPE_CLIENT_SECRET").value_or("");
  const auto text = file_text(file, longest_client_secret).value_or("");
  return std::string(protocol::trimmed(text));
}

/// Limit of the bytes from the client that wait for the io thread.
constexpr std::size_t most_waiting = std::size_t{16} << 20;
/// Time limit of the whole shutdown, somewhat longer than each of its steps.
constexpr std::chrono::seconds longest_end{8};

/// Event descriptor that wakes a thread in `poll`.
class wake_up {
public:
  void ring() const { eventfd_write(descriptor_.get(), 1); }
  void clear() const {
    eventfd_t count = 0;
    eventfd_read(descriptor_.get(), &count);
  }
  int descriptor() const { return descriptor_.get(); }

private:
  net::owned_descriptor descriptor_{eventfd(0, EFD_NONBLOCK | EFD_CLOEXEC)};
};

/// Exits at once: the client does not read, or the server does not answer the farewell.
[[noreturn]] void give_up() { std::_Exit(0); }

/// Watchdog: exits the process at a time limit, or on a signal, unless it is destroyed before.
class last_watch {
public:
  using clock = std::chrono::steady_clock;

  /// `signal` becomes readable on a signal; -1 for no signal.
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

/// Reads stdin and passes the bytes to the connector on the io thread, with a limit on those that wait.
class stdin_pump {
public:
  stdin_pump(signals& told, const connect_command& command, log_sink log) : signals_(told), log_(std::move(log)) {
    thread_.post(
        [this, &command] { connector_ = std::make_unique<connector>(thread_, command, log_, [this] { stop(); }); });
  }
  /// Stops the io thread, which first sends the farewell to the server. It may also wait for a host's address to be
  /// resolved, which only the end of the process can cancel.
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

  /// Returns the events to poll stdin for. While too many bytes wait, only the end of the client, which leaves little
  /// to read.
  short awaited() const { return waiting_ < most_waiting ? POLLIN : POLLRDHUP; }

  int patience() const { return ends_by_ ? milliseconds_until(*ends_by_) : -1; }

  /// Handles a signal: the first is like the end of stdin, the next exits at once.
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
  /// Watchdog while the thread ends.
  std::optional<last_watch> watch_;
  /// Used and destroyed on the io thread.
  std::unique_ptr<connector> connector_;
  net::io_thread thread_;
};

int log_out(const connect_command& command) {
  const login_file file(command.url, command.login.client_id);
  std::cout << (file.forget() ? "logged out\n" : "there was no login\n");
  return EXIT_SUCCESS;
}

} // namespace

CLI::App& add_connect(CLI::App& app, connect_flag_values& typed) {
  auto& result = *app.add_subcommand(
      "connect", "Be an MCP server on stdin and stdout that passes everything to the remote one at URL");
  result.add_option("url", typed.command.url, "The remote server")->check(must_be_url())->type_name("URL")->required();
  result
      .add_option("--header", typed.headers,
                  "Header field for each request; may be repeated. ${VAR} stands for a variable of the environment")
      ->type_name("'NAME: VALUE'")
      ->allow_extra_args(false);
  add_choice(result, "--transport", typed.transport, connect_transports,
             "How the server is spoken to; auto finds it out");
  result
      .add_option("--ca", typed.command.ca_file,
                  "File of certificates (PEM) that the server's may be signed by, besides the system's")
      ->check(must_be_readable())
      ->type_name("FILE");
  add_choice(result, "--log-level", typed.level, log_levels, "Least level that is logged, on stderr");
  add_login_flags(result, typed);
  return result;
}

connect_command connect_command_of(connect_flag_values typed) {
  auto result = std::move(typed.command);
  result.headers = typed_headers(typed.headers, config_variables::callers::are_refused);
  result.kind = chosen(connect_transports, typed.transport);
  result.level = chosen(log_levels, typed.level);
  result.login.opens_browser = !typed.no_browser;
  if (!result.login.client_id.empty())
    result.login.client_secret = client_secret(typed.secret_file);
  return result;
}

int run_connect(const connect_command& command) {
  if (command.forgets_login)
    return log_out(command);
  std::signal(SIGPIPE, SIG_IGN); // NOLINT: a failed write reports a client that is gone
  signals told;                  // before there are other threads
  auto log = stderr_log(command.level, log_format::text);
  stdin_pump{told, command, std::move(log.write)}.run();
  return EXIT_SUCCESS;
}

} // namespace troupe::deploy
