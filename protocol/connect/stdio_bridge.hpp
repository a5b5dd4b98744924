#pragma once

#include "protocol/connect/stateless_client.hpp"
#include "protocol/log.hpp"
#include "protocol/modern_server/server_as_legacy.hpp"
#include "protocol/remote/remote_connection.hpp"
#include "protocol/remote/remote_effects.hpp"
#include "protocol/supervised/supervised_server.hpp"
#include "protocol/text/line_reader.hpp"
#include "protocol/time.hpp"

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

namespace troupe::protocol {

// Decisions of the bridge between a client on stdio and a remote server, carried out in order by the owner of the pipes
// and sockets. HTTP requests begin and end as `remote_effects.hpp` says.

/// Write a message to the client, as one line.
struct write_line {
  std::string text;
  friend bool operator==(const write_line&, const write_line&) = default;
};

/// End the bridge: no more output follows.
struct end_bridge {
  friend bool operator==(const end_bridge&, const end_bridge&) = default;
};

using connect_effect =
    std::variant<send_call, drop_call, release_call, send_last_request, log_note, write_line, end_bridge>;
using connect_effects = std::vector<connect_effect>;

struct bridge_rules {
  remote_options remote;
  /// Unguessable secrets: see `stateless_server` and `request_state`.
  std::string mark = {};
  state_seal seal = {};
  std::uint64_t seed = 0;
  /// Version of this program.
  std::string version = {};
  /// Time that the server may take to answer `initialize`.
  std::chrono::milliseconds initialize = std::chrono::minutes{1};
  /// Longest line of the client, in bytes.
  std::size_t longest_line = std::size_t{64} << 20;
  /// Time to wait for answers in flight after the end of the client's input.
  std::chrono::milliseconds last_wait = std::chrono::seconds{5};
};

/// Connections to one remote server, one after another, of which only the latest is in use. Numbers of HTTP requests
/// are unique across all of them; events of requests of earlier connections are recognised as such.
class remote_connections {
public:
  /// Begins a connection. `seed`: see `remote_server`.
  void connect(const remote_options& options, server_as_legacy_rules adapter, std::uint64_t seed) {
    ++count_;
    wire_ = std::make_unique<remote_connection>(options, std::move(adapter), seed + count_);
  }

  /// Whether the request is one of the connection in use.
  bool is_current(http_call_id call) const { return wire_ && call >> bits_of_call == count_; }

  // -- facts of the connection in use, if there is one
  remote_connection::effects user_sent(message what, time_point now) {
    return wire_ ? numbered(wire_->user_sent(std::move(what), now)) : remote_connection::effects{};
  }
  void call_waits(http_call_id call) {
    if (is_current(call))
      wire_->call_waits(within_wire(call));
  }
  remote_connection::effects receive_event(call_event news, time_point now) {
    if (!is_current(news.call))
      return {};
    news.call = within_wire(news.call);
    return numbered(wire_->receive_event(news, now));
  }
  remote_connection::effects tick(time_point now) {
    return wire_ ? numbered(wire_->tick(now)) : remote_connection::effects{};
  }
  time_point deadline() const { return wire_ ? wire_->deadline() : time_point::max(); }

  // -- end of the connection in use
  /// The server ended the connection.
  void lost() { wire_.reset(); }
  remote_connection::effects leave() {
    auto wire = std::exchange(wire_, nullptr);
    return wire ? numbered(wire->leave()) : remote_connection::effects{};
  }

private:
  /// Bits of a request number within its connection; the bits above hold the connection's number.
  static constexpr unsigned bits_of_call = 40;

  static http_call_id within_wire(http_call_id call) { return call & ((http_call_id{1} << bits_of_call) - 1); }

  remote_connection::effects numbered(remote_connection::effects all) const {
    auto number = [this](auto& effect) {
      if constexpr (requires { effect.call; })
        effect.call |= count_ << bits_of_call;
    };
    for (auto& one : all)
      std::visit(number, one);
    return all;
  }

  std::unique_ptr<remote_connection> wire_;
  /// Number of connections so far.
  std::uint64_t count_ = 0;
};

/// Connects a client on stdio to one remote server, each in any revision, and hides disconnections. After one, another
/// session begins with the client's own `initialize`. The server's state is restored, and the client is notified that
/// the lists may have changed.
class stdio_bridge {
public:
  explicit stdio_bridge(bridge_rules rules);
  stdio_bridge(const stdio_bridge&) = delete;
  stdio_bridge& operator=(const stdio_bridge&) = delete;

  // -- facts -----------------------------------------------------------------------
  connect_effects client_wrote(std::string line, time_point now);
  /// The client wrote a line that was too long.
  connect_effects client_skipped(const skipped_line& line, time_point now);
  /// The client's input has ended, or is to be ignored from now on.
  connect_effects client_ended(time_point now);
  /// The client no longer reads either: no answer is awaited.
  connect_effects client_gone(time_point now);
  /// The request waits for a connection or a token.
  void call_waits(http_call_id call) { wires_.call_waits(call); }
  connect_effects receive_event(call_event news, time_point now);
  connect_effects tick(time_point now);

  /// Time at which `tick` is due.
  time_point deadline() const;

private:
  enum class era { unknown, session, stateless };

  // -- from the client
  void refuse(const rejection& why);
  void receive_from_client(message&& what, time_point now);
  void note_too_early(const message& what);
  void begin_session(time_point now);
  void carry_out(stateless_client::outcome result, time_point now);
  void ask(message&& what, time_point now);
  void end_session(time_point now);
  void end_stateless(std::string_view why, time_point now);
  void drop_messages();

  // -- to and from the server
  void settle(time_point now);
  connect_effects settled(time_point now);
  void end_if_over(time_point now);
  void hear(std::variant<deliver_to_user, lose_server>&& news, time_point now);
  void hear(deliver_to_user&& said, time_point now);
  void carry_out(remote_connection::effects all);
  void perform(deliver_to_user&& said) { news_.emplace_back(std::move(said)); }
  void perform(lose_server&& how) { news_.emplace_back(std::move(how)); }
  void perform(note_era&& found) {
    if (found.doubt.empty())
      known_ = found.is;
    out_.push_back(line_of(found));
  }
  template <class Effect>
  void perform(Effect&& other) {
    out_.emplace_back(std::forward<Effect>(other));
  }

  // -- effects of the supervision
  void enqueue(server_effects all);
  void perform(start_server&& effect, time_point now);
  void perform(stop_server&& effect, time_point now);
  void perform(send_to_server&& effect, time_point now);
  void perform(send_to_user&& effect, time_point now);
  void perform(show_status&& effect, time_point now);
  void perform(end_user&&, time_point) {} // not emitted: `ends_users` is false
  void perform(note_sharing&&, time_point) {}
  void perform(log_note&& line, time_point) { out_.emplace_back(std::move(line)); }

  bool takes_greeting(const message& said);

  bridge_rules rules_;
  era era_ = era::unknown;
  server_era known_ = server_era::automatic;
  user_id user_ = 1;
  /// Id of the `initialize` whose success would be the first, and whether one has succeeded.
  std::string greeting_;
  bool is_greeted_ = false;
  supervised_server server_;
  stateless_client stateless_;
  remote_connections wires_;
  /// Effects not carried out yet, and the connection's events not processed yet.
  std::deque<server_effect> to_do_;
  std::deque<std::variant<deliver_to_user, lose_server>> news_;
  connect_effects out_;
  /// Latest end of the bridge, once the client's input has ended.
  std::optional<time_point> ends_at_;
  bool over_ = false;
};

} // namespace troupe::protocol
