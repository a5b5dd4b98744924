#include "actors/gateway/admin_listener.hpp"

#include "actors/operator_messages.hpp"
#include "net/guarded.hpp"
#include "net/worker_pool.hpp"
#include "protocol/text/host_port.hpp"

#include <chrono>
#include <utility>
#include <variant>

namespace troupe::actors {

namespace {

constexpr auto longest_silence = std::chrono::seconds{15};

/// Operators are few and send little: a browser uses six connections, and Prometheus one.
constexpr std::size_t most_admin_connections = 64;
constexpr std::size_t longest_admin_body = 64 * 1024;
/// Longest wait for the last answers to reach their operators.
constexpr auto last_answers = std::chrono::milliseconds{100};

net::connection_limits admin_limits() {
  net::connection_limits result;
  result.connections = most_admin_connections;
  result.body = longest_admin_body;
  return result;
}

std::string admin_url(const std::string& host, std::uint16_t port) {
  return protocol::is_unix_socket(host) ? host : "http://" + protocol::host_port_text(host, port);
}

} // namespace

admin_exchange_state::admin_exchange_state(direct* self, std::unique_ptr<net::exchange> exchange,
                                           std::function<bool()> is_authorized)
    : self_{self}, exchange_{std::move(exchange)}, is_authorized_{std::move(is_authorized)}, reminder_{self->at()} {
  exchange_->on_abandoned([] {
    return protocol::admin_error(
        503, "nobody was left to answer: what was asked about has just ended, or the gateway stops");
  });
  exchange_->on_closed([self = self_->address()] { send_if_alive(self, exchange_closed{}); });
}

void admin_exchange_state::handle(http_reply& msg) {
  exchange_->respond(protocol::admin_response(200, "application/json", std::move(msg.text)));
  self_->quit();
}

void admin_exchange_state::handle(const http_rejected& msg) {
  exchange_->respond(protocol::admin_error(msg.why));
  self_->quit();
}

void admin_exchange_state::handle(const sse_begin&) {
  if (silence_)
    return;
  exchange_->begin_events(protocol::admin_response(200, "text/event-stream", {}));
  silence_.emplace(longest_silence, self_->at().now());
  keep_alive();
}

/// Ignores events before the start of a stream: another node may send them in the wrong order.
void admin_exchange_state::handle(sse_event& msg) {
  if (!silence_ || end_if_revoked())
    return;
  silence_->spoke(self_->at().now());
  exchange_->write(std::move(msg.text));
}

void admin_exchange_state::handle(sse_end& msg) {
  if (!silence_)
    return self_->quit();
  exchange_->write(std::move(msg.text));
  exchange_->end();
  self_->quit();
}

void admin_exchange_state::handle(const tick&) {
  reminder_.arrived();
  if (silence_ && !end_if_revoked())
    keep_alive();
}

/// Ends the stream if its token is no longer valid.
bool admin_exchange_state::end_if_revoked() {
  if (!is_authorized_ || is_authorized_())
    return false;
  silence_.reset();
  exchange_->end();
  self_->quit();
  return true;
}

/// Sends a comment on a silent stream: an operator may watch a session that is quiet for hours.
void admin_exchange_state::keep_alive() {
  if (auto comment = silence_->tick(self_->at().now()))
    exchange_->write(std::move(*comment));
  reminder_.set(self_->address(), silence_->deadline());
}

/// Answers exchanges, on their thread.
class admin_listener::responder : public std::enable_shared_from_this<admin_listener::responder> {
public:
  responder(const admin_options& options, net::io_thread& thread, const event_log& log)
      : thread_{thread}, rules_{options.host}, token_{options, log} {}

  /// Sets the token; before `begin`.
  void ask_for(std::string token) { token_ = admin_token{{.token = std::move(token)}}; }
  void begin(admin_source from) { from_.emplace(std::move(from)); }
  /// Waits for metrics that are being made.
  void end() {
    auto ending = maker_.with([](auto& maker) { return std::move(maker); });
  }

  void handle(std::unique_ptr<net::exchange> one) {
    if (auto page = protocol::enter_console(one->request(), rules_, console_files()))
      return one->respond(std::move(*page));
    auto entered = protocol::enter_admin(one->request(), rules_, token_.now());
    if (auto* answer = std::get_if<protocol::http_response>(&entered))
      one->respond(std::move(*answer));
    else if (auto* page = std::get_if<protocol::admin_page>(&entered))
      show(*page, std::move(one));
    else
      pass_on(std::get<protocol::operator_request>(std::move(entered)), std::move(one));
  }

private:
  void show(protocol::admin_page which, std::unique_ptr<net::exchange> to) {
    switch (which) {
    case protocol::admin_page::metrics:
      return show_metrics(std::move(to));
    case protocol::admin_page::health:
      return to->respond(protocol::admin_response(200, "text/plain", "ok\n"));
    }
  }
  void pass_on(protocol::operator_request what, std::unique_ptr<net::exchange> from) {
    auto is_authorized = [responder = weak_from_this(), with = token_.now()] {
      const auto alive = responder.lock();
      return alive && alive->token_.now() == with;
    };
    broker_actor admin_exchange =
        spawn_direct<admin_exchange_state>(from_->at, std::move(from), std::move(is_authorized));
    caf::anon_send(from_->registry, admin_request{std::move(what), std::move(admin_exchange)});
  }
  void show_metrics(const std::shared_ptr<net::exchange>& to) {
    const auto make = [this, to] { make_metrics(to); };
    if (!maker_.with([&](auto& maker) { return maker && maker->post(make) != 0; }))
      to->respond(protocol::admin_response(503, "text/plain", "stopping\n"));
  }
  /// Runs on the thread of `maker_`.
  void make_metrics(std::shared_ptr<net::exchange> to) {
    thread_.post([to = std::move(to), text = from_->metrics()]() mutable {
      to->respond(protocol::admin_response(200, protocol::metrics_type, std::move(text)));
    });
  }

  net::io_thread& thread_;
  protocol::admin_rules rules_;
  admin_token token_;
  /// Empty until `begin`.
  std::optional<admin_source> from_;
  net::guarded<std::unique_ptr<net::worker_pool>> maker_{std::make_unique<net::worker_pool>(1, most_admin_connections)};
};

admin_listener::admin_listener(const admin_options& options, const net::listener::thread_list& threads,
                               const event_log& log)
    : host_{options.host}, log_{log}, responder_{std::make_shared<responder>(options, *threads.front(), log)},
      listener_{net::listener::thread_range{threads}.first(1), {options.host, options.port, options.socket}} {
  if (!generated_token::is_needed(options))
    return;
  made_.emplace(options, listener_.address(), listener_.port());
  responder_->ask_for(made_->get().text);
}

admin_listener::~admin_listener() {
  responder_->end();
  listener_.drain();
  listener_.wait_until_closed(last_answers);
}

admin_access admin_listener::access() const { return {listener_.port(), made_ ? made_->get() : made_admin_token{}}; }

void admin_listener::hand_over() {
  listener_.hand_over();
  if (made_)
    made_->leave();
}

void admin_listener::open(admin_source from) {
  responder_->begin(std::move(from));
  listener_.accept(admin_limits(), [responder = responder_](std::size_t) -> net::exchange_callback {
    return [responder](std::unique_ptr<net::exchange> one) { responder->handle(std::move(one)); };
  });
  if (made_)
    made_->own();
  log_address();
}

/// Logs the file of the token, never the token itself.
void admin_listener::log_address() const {
  const auto [port, token] = access();
  if (const auto url = admin_url(host_, port); token.file.empty())
    log_(log_level::info, "listening for operators", {{"url", url}});
  else
    log_(log_level::info, "listening for operators", {{"url", url}, {"token_file", token.file}});
}

} // namespace troupe::actors
