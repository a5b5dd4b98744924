#include "actors/gateway.hpp"

#include "actors/broker.hpp"
#include "actors/io_unit.hpp"
#include "actors/registry.hpp"
#include "actors/stdio_upstream.hpp"
#include "net/listener.hpp"
#include "net/random.hpp"
#include "protocol/session_id.hpp"

#include <algorithm>
#include <future>
#include <thread>

namespace troupe {

namespace {

using namespace actors;

/// How long answers may take to reach their clients once everything else has ended.
constexpr auto farewell = std::chrono::milliseconds{500};

class configuration : public caf::actor_system_config {
public:
  configuration() {
    set("scheduler.policy", caf::atom("sharing"));
    set("scheduler.max-threads", std::size_t{1});
    register_messages(*this);
  }
};

std::string file_name(const std::string& path) { return path.substr(path.rfind('/') + 1); }

net::command command_of(const server_options& server) {
  return {server.command, server.arguments, server.environment, server.directory};
}

std::shared_ptr<const stdio_setup> stdio_setup_of(const gateway_options& options) {
  auto& server = options.server;
  return std::make_shared<stdio_setup>(stdio_setup{
      server.name.empty() ? file_name(server.command) : server.name, command_of(server), {}, event_log{options.log}});
}

net::connection_limits limits_of(const gateway_options& options) {
  net::connection_limits result;
  result.body = options.max_body;
  return result;
}

std::size_t threads_of(const gateway_options& options) {
  return options.threads != 0 ? options.threads : std::max(1U, std::thread::hardware_concurrency());
}

} // namespace

class gateway::state {
public:
  explicit state(gateway_options options) : options_{std::move(options)}, system_{configuration_} {
    for (std::size_t i = 0; i < threads_of(options_); ++i) {
      threads_.push_back(std::make_unique<net::io_thread>());
      units_.push_back(std::make_unique<io_unit>(system_, *threads_.back()));
    }
    registry_ = system_.spawn<registry>(std::ref(unit_at(0)), make_registry_setup());
    registry_->attach_functor([this](const caf::error&) { registry_ended_.set_value(); });
    try {
      listen();
    } catch (...) {
      drain();
      throw;
    }
  }

  ~state() { drain(); }
  state(const state&) = delete;
  state& operator=(const state&) = delete;

  std::uint16_t port() const { return port_; }

  /// From the outside in: no more connections, no more sessions, no more actors, and at last no more children.
  void drain() {
    if (!registry_)
      return;
    if (listener_)
      listener_->drain();
    caf::anon_send(registry_, actors::drain{false});
    end_registry();
    if (listener_)
      listener_->wait_until_closed(farewell);
    listener_.reset();
    system_.await_all_actors_done();
    threads_.clear();
  }

private:
  unit& unit_at(std::size_t i) { return *units_[i]; }

  registry_setup make_registry_setup() {
    registry_setup result;
    result.max_sessions = options_.max_sessions;
    for (auto& one : units_)
      result.units.push_back(one.get());
    result.session = make_session_setup();
    result.make_id = [] { return protocol::make_session_id(net::random_128()); };
    return result;
  }

  std::shared_ptr<const session_setup> make_session_setup() {
    auto result = std::make_shared<session_setup>();
    result->limits.idle = options_.session_timeout;
    result->limits.request = options_.request_timeout;
    result->limits.request_cap =
        std::max<std::chrono::milliseconds>(result->limits.request_cap, options_.request_timeout);
    result->limits.initialize = options_.initialize_timeout;
    result->http.stream.poll = options_.stream_time;
    result->log = event_log{options_.log};
    result->spawn_upstream = [stdio = stdio_setup_of(options_)](unit& at, session_actor session,
                                                                const std::string& name) -> upstream_actor {
      // Every unit of a gateway is one of its io units.
      auto& thread = static_cast<io_unit&>(at).thread();
      return at.system().spawn<stdio_upstream>(std::ref(at), std::ref(thread), std::move(session), name, stdio);
    };
    return result;
  }

  void listen() {
    listener_ = std::make_unique<net::listener>(threads_, options_.host, options_.port);
    port_ = listener_->port();
    auto setup = std::make_shared<const broker_setup>(broker_setup{
        {listener_->is_loopback(), options_.host, options_.allow_origins, options_.debug_state}, registry_});
    listener_->accept(limits_of(options_), [this, setup](std::size_t i) -> net::exchange_taker {
      return [this, setup, i](std::unique_ptr<net::exchange> one) {
        system_.spawn<broker>(std::ref(unit_at(i)), std::move(one), setup);
      };
    });
  }

  /// Calls that are still in flight when the grace is over are failed, so that their clients know.
  void end_registry() {
    auto ended = registry_ended_.get_future();
    if (ended.wait_for(options_.grace) != std::future_status::ready) {
      caf::anon_send(registry_, actors::drain{true});
      if (ended.wait_for(farewell) != std::future_status::ready)
        caf::anon_send_exit(registry_, caf::exit_reason::user_shutdown);
      ended.wait();
    }
    registry_ = nullptr;
  }

  gateway_options options_;
  configuration configuration_;
  caf::actor_system system_;
  std::vector<std::unique_ptr<net::io_thread>> threads_;
  std::vector<std::unique_ptr<io_unit>> units_;
  std::promise<void> registry_ended_;
  registry_actor registry_;
  std::unique_ptr<net::listener> listener_;
  std::uint16_t port_ = 0;
};

gateway::gateway(gateway_options options) : state_{std::make_unique<state>(std::move(options))} {}

gateway::~gateway() = default;

std::uint16_t gateway::port() const noexcept { return state_->port(); }

void gateway::drain() { state_->drain(); }

} // namespace troupe
