#pragma once

#include "deploy/connect/connect_command.hpp"
#include "deploy/connect/user_login.hpp"
#include "net/client/call_carrier.hpp"
#include "net/io_thread.hpp"
#include "protocol/connect/stdio_bridge.hpp"
#include "protocol/oauth/login_token.hpp"
#include "protocol/text/line_reader.hpp"
#include "protocol/time.hpp"

#include <functional>
#include <optional>
#include <string>
#include <string_view>

namespace troupe::deploy {

/// Clock that can be stopped: time limits of calls do not run while the user logs in. Callers pass in the real time.
class pausable_clock {
public:
  bool is_paused() const { return stopped_at_.has_value(); }
  void stop(protocol::time_point now) {
    if (!stopped_at_)
      stopped_at_ = now;
  }
  void resume(protocol::time_point now) {
    if (stopped_at_)
      stood_ += now - *stopped_at_;
    stopped_at_.reset();
  }

  protocol::time_point at(protocol::time_point now) const { return stopped_at_.value_or(now) - stood_; }
  /// Returns the real time at which the clock will show `shown`; the clock must not be stopped.
  protocol::time_point when(protocol::time_point shown) const { return shown + stood_; }

private:
  std::optional<protocol::time_point> stopped_at_;
  protocol::time_point::duration stood_{0};
};

/// `troupe connect`: runs the bridge between a client on stdio and a remote server, and carries out its effects: HTTP
/// requests, and lines on stdout. Lives on its io thread, which blocks while the client does not read its lines.
class connector {
public:
  /// `on_end` is called once, on the io thread, when the bridge has ended.
  connector(net::io_thread& thread, const connect_command& command, log_sink log, std::function<void()> on_end);
  ~connector();
  connector(const connector&) = delete;
  connector& operator=(const connector&) = delete;

  /// Passes on bytes that the client wrote to stdin.
  void client_wrote(std::string_view bytes);
  void client_ended();

private:
  using carrier = net::authorized_carrier<protocol::login_token>;

  carrier::listener listener_here();
  void remind();
  void end();

  void carry_out(protocol::connect_effects effects);
  void perform(protocol::send_call& effect) { calls_.send(std::move(effect), {}, thread_.now()); }
  void perform(const protocol::drop_call& effect) { calls_.drop(effect); }
  void perform(const protocol::release_call& effect) { calls_.release(effect); }
  void perform(protocol::send_last_request& effect) { calls_.send_last(std::move(effect), thread_.now()); }
  void perform(protocol::log_note& effect);
  void perform(protocol::write_line& effect);
  void perform(const protocol::end_bridge&) { end(); }

  // -- logins
  void begin_logins();
  void want(const protocol::want_login& what);

  /// Time for the bridge; the clock stands while the user logs in.
  protocol::time_point now() const { return clock_.at(thread_.now()); }

  net::io_thread& thread_;
  pausable_clock clock_;
  bool client_has_ended_ = false;
  /// A line to the client could not be written, and the bridge is not notified yet.
  bool client_stopped_reading_ = false;
  log_sink log_;
  std::function<void()> on_end_;
  protocol::line_reader lines_;
  protocol::stdio_bridge bridge_;
  carrier calls_;
  /// Empty if the command gives the credentials.
  std::optional<user_login> login_;
  net::io_thread::timer_id reminder_{};
};

} // namespace troupe::deploy
