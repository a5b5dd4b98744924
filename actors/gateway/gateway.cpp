#include "actors/troupe/gateway.hpp"

#include "actors/gateway/access_setup.hpp"
#include "actors/gateway/actor_system.hpp"
#include "actors/gateway/admin_listener.hpp"
#include "actors/gateway/cluster_setup.hpp"
#include "actors/gateway/drain.hpp"
#include "actors/gateway/gateway_setup.hpp"
#include "actors/gateway/host_callbacks.hpp"
#include "actors/gateway/option_rules.hpp"
#include "actors/gateway/telemetry.hpp"
#include "actors/handover/handover.hpp"
#include "actors/runtime/io_unit.hpp"
#include "actors/session/registry.hpp"
#include "actors/session/request_intake.hpp"
#include "net/crypto.hpp"
#include "net/guarded.hpp"
#include "net/server/listener.hpp"
#include "protocol/ids.hpp"

#include <algorithm>
#include <atomic>
#include <future>

namespace troupe {

namespace {

using namespace actors;
using std::chrono::milliseconds;

/// Longest wait for answers to reach their clients after everything else has ended.
constexpr auto farewell = milliseconds{500};

} // namespace

class gateway::state {
public:
  state(gateway_options options, caf::actor_system* host)
      : options_{std::move(options)}, own_{host ? nullptr : std::make_unique<own_system>(options_)},
        system_{host ? *host : own_->system()}, callbacks_{std::make_unique<net::worker_pool>(1)},
        workers_{std::make_unique<net::worker_pool>(options_.handler_threads, options_.handler_queue)} {
    const auto threads = threads_of(options_);
    auto sessions = threads > 1 ? std::make_shared<all_sessions>() : nullptr;
    for (std::size_t i = 0; i < threads; ++i) {
      threads_.push_back(std::make_unique<net::io_thread>());
      units_.push_back(
          std::make_unique<io_unit>(system_, i, *threads_.back(), live_actors_, event_log{options_.log}, sessions));
    }
    if (options_.cluster) {
      threads_apart_.push_back(std::make_unique<net::io_thread>());
      unit_apart_ = std::make_unique<io_unit>(system_, units_.size(), *threads_apart_.back(), live_actors_,
                                              event_log{options_.log});
    }
    measure();
    registry_ = system_.spawn<registry>(std::ref(unit_at(0)), make_registry_setup());
    registry_->attach_functor([this](const caf::error&) { on_registry_ended(); });
    try {
      root_ = system_.spawn<root>(std::ref(unit_at(0)), registry_);
      bind();
      if (options_.cluster)
        listen_for_nodes();
      serve(options_.servers);
      accept();
      warn_of_few_descriptors(options_, event_log{options_.log});
    } catch (...) {
      drain();
      throw;
    }
  }

  ~state() {
    drain();
    drained_.wait_aside();
  }

  std::uint16_t port() const { return port_; }
  admin_access operators() const {
    return operators_.with([](const admin_access& now) { return now; });
  }
  const root_actor& root_of() const { return root_; }
  std::string metrics() {
    return are_metrics_open_.with([&](bool is_open) { return is_open ? metrics_now(false) : std::string{}; });
  }

  void reload(std::vector<server_options> servers) {
    auto options = options_;
    options.servers = std::move(servers);
    serve(checked(std::move(options), own_ == nullptr).servers);
  }

  listening_sockets sockets() const {
    if (options_.cluster)
      throw std::runtime_error{"a node of a cluster does not hand over: other nodes take its place"};
    handover_.check_can_hand_over();
    return handed_sockets(listener_->duplicate(), admin_ ? std::optional{admin_->duplicate()} : std::nullopt);
  }

  void hand_over(int link, std::function<void()> then, std::function<void(bool hangs)> lost) {
    net::owned_descriptor other{link};
    kept_sockets kept;
    if (lost) {
      const auto copies = sockets();
      kept = {net::owned_descriptor{copies.clients}, net::owned_descriptor{copies.admin}};
    }
    handover_.hand_over(std::move(other), {std::move(then), std::move(lost)}, std::move(kept),
                        {.sessions = options_.upgrade_time, .grace = options_.grace}, here(), registry_, [this] {
                          listener_->hand_over();
                          if (auto admin = std::move(admin_))
                            admin->hand_over();
                        });
  }

  void take_back() {
    auto sockets = handover_.take_back();
    listener_->accept_again(std::move(sockets.clients));
    if (sockets.admin) {
      options_.admin->socket = sockets.admin.release();
      listen_for_operators();
      open_for_operators();
    }
  }

  void drain() {
    drained_.begin([this] { return is_inside(); }, [this] { drain_all(); });
  }

  void stop() {
    hurry();
    drain();
  }

  void hurry() {
    hurried_ = true;
    caf::anon_send(registry_, actors::drain{actors::drain_step::at_once});
  }

private:
  using clock = std::chrono::steady_clock;

  unit& unit_at(std::size_t i) { return *units_[i]; }
  handover_home here() { return {system_, units_of_sessions(), *threads_.front(), callers_}; }
  void serve(std::vector<server_options> servers) { caf::anon_send(registry_, actors::configure{std::move(servers)}); }

  bool is_inside() const {
    auto is_here = [](auto& one) { return one->is_current(); };
    return std::ranges::any_of(threads_apart_, is_here) || workers_->is_current() || callbacks_->is_current() ||
           consent_->is_current() || std::ranges::any_of(threads_, is_here);
  }

  /// Drains from the inside out, so that probes see it: first sessions end, then connections, actors, and at last child
  /// processes. Operators can watch until the end.
  void drain_all() {
    const auto until = clock::now() + options_.grace;
    handover_.close_sockets();
    if (listener_)
      options_.cluster ? listener_->leave() : listener_->drain_for_others();
    caf::anon_send(registry_, actors::drain{});
    if (options_.cluster)
      leave_cluster(until);
    end_registry(until);
    if (listener_) {
      listener_->drain();
      listener_->wait_until_closed(farewell);
    }
    listener_.reset();
    traces_.reset();
    live_actors_->wait_until_none();
    admin_.reset();
    are_metrics_open_.with([](bool& is_open) { is_open = false; }); // waits for another thread's `metrics`
    threads_.clear();
    threads_apart_.clear();
    workers_.reset();
    callbacks_.reset();
    consent_.reset();
    checkers_.reset();
  }

  std::vector<unit*> units_of_sessions() const {
    std::vector<unit*> result;
    for (auto& one : units_)
      result.push_back(one.get());
    return result;
  }

  std::vector<io_unit*> all_units() {
    std::vector<io_unit*> result;
    for (auto& one : units_)
      result.push_back(one.get());
    if (unit_apart_)
      result.push_back(unit_apart_.get());
    return result;
  }

  void measure() {
    const auto units = all_units();
    if (is_measured(options_))
      std::ranges::for_each(units, &io_unit::measure);
    traces_.emplace(options_, units);
  }

  /// Callable from any thread until the gateway is drained.
  std::string metrics_now(bool of_process) {
    return metrics_text(
        {.system = system_,
         .units = all_units(),
         .brokers = *brokers_,
         .processes = processes_,
         .queues = {{"handlers", workers_.get()}, {"callbacks", callbacks_.get()}, {"signatures", checkers_.get()}},
         .limits = limits_,
         .refusals = *client_totals_.refusals,
         .max_sessions = options_.max_sessions,
         .lost_log_lines = options_.lost_log_lines,
         .of_process = of_process});
  }

  registry_setup make_registry_setup() {
    registry_setup result;
    result.max_sessions = options_.max_sessions;
    result.max_sessions_each = options_.limits.per_address.sessions;
    result.shows_content = options_.admin && options_.admin->content;
    result.units = units_of_sessions();
    auto keys = options_.cluster ? std::make_shared<cluster_keys>(*options_.cluster) : nullptr;
    result.session = make_session_setup(options_, callers_, keys);
    limits_ = [sessions = result.session, all = client_totals_, most = connections_for(options_)] {
      auto limits = limits_of(*sessions);
      limits.push_back({"connections", all.count->now(), most});
      limits.push_back({"unsentBytes", all.unsent->held(), all.unsent->limit()});
      return limits;
    };
    result.limits = limits_;
    result.brokers = brokers_;
    result.stopping_processes = [this] { return processes_.stopping.taken(); };
    result.merge = options_.merge;
    result.limiter = limiter_;
    result.describe_node = [this] { return node_of(options_); };
    result.measure = measure_process;
    result.ask_host = consent_->requester();
    result.carry_out = order_carrier(options_.orders, *callbacks_);
    handover_.watch(result);
    result.make_id = [] { return protocol::make_session_id(net::random_128()); };
    if (options_.cluster)
      join(result, *options_.cluster, std::move(keys));
    result.make_server = [this, units = result.units](const server_options& server) {
      return make_server_setup(server, options_,
                               {threads_, units, &hurried_, &processes_, workers_.get(), callbacks_.get(), callers_});
    };
    return result;
  }

  void join(registry_setup& setup, const cluster_options& options, std::shared_ptr<cluster_keys> keys) {
    auto node = begin_node(options, std::move(keys));
    setup.node = options.name;
    setup.make_id = [node] { return node.ids.make(net::random_128(), node.life); };
    cluster_home home{
        system_, setup.units, *unit_apart_, *threads_apart_.front(), options_.session_timeout, event_log{options_.log},
        callers_};
    setup.on_left = [this] { tell_left(); };
    setup.on_probed = [this](auto& who, bool is_ready) { probes_.add(who, is_ready); };
    setup.join_cluster = cluster_joiner(home, options, node, listens_for_nodes_);
  }

  void listen_for_nodes() {
    auto port = listens_for_nodes_.get_future().get();
    event_log{options_.log}(log_level::info, "listening for nodes",
                            {{"node", options_.cluster->name}, {"port", std::to_string(port)}});
  }

  /// Runs before servers start: a port that is in use starts none.
  void bind() {
    net::listening_place place{options_.host, options_.port, std::exchange(options_.socket, -1)};
    listener_ = std::make_unique<net::listener>(threads_, place, client_totals_, make_tls(options_));
    port_ = listener_->port();
    if (options_.admin)
      listen_for_operators();
  }

  void listen_for_operators() {
    admin_ = std::make_unique<admin_listener>(*options_.admin, threads_, event_log{options_.log});
    options_.admin->socket = -1;
    operators_.with([access = admin_->access()](admin_access& now) { now = access; });
  }
  void open_for_operators() {
    admin_->open({unit_at(0), registry_, [this] { return metrics_now(true); }});
  }

  void accept() {
    auto access = make_access_setup(options_, unit_at(0), *threads_.front(), *checkers_, registry_);
    const auto setup = std::make_shared<const broker_setup>(
        broker_setup{.access = make_access_rules(options_, listener_->is_loopback()),
                     .registry = registry_,
                     .brokers = brokers_,
                     .is_node = options_.cluster.has_value(),
                     .limiter = limiter_,
                     .endpoint_guard = std::move(access.endpoint_guard),
                     .credentials = std::move(access.credentials),
                     .certificates = std::move(access.certificates),
                     .issuer_text = std::move(access.issuer_text),
                     .callers = callers_,
                     .authenticator = std::move(access.authenticator),
                     .access_log = options_.access_log,
                     .proxies = protocol::ip_networks{options_.limits.trusted_proxies}});
    handover_.take_over(here(), registry_);
    listener_->accept(connection_limits_of(options_), [this, setup](std::size_t i) -> net::exchange_callback {
      return
          [this, setup, i](std::unique_ptr<net::exchange> one) { receive_request(unit_at(i), setup, std::move(one)); };
    });
    if (admin_)
      open_for_operators();
    are_metrics_open_.with([](bool& is_open) { is_open = true; });
  }

  /// Closes the listener, as a host can end the registry without a `drain`. Notifies waiting threads last.
  void on_registry_ended() {
    if (listener_)
      listener_->drain();
    tell_left();
    registry_ended_.set_value();
  }

  /// Waits until clients have no connections to this node. Until then their sessions on other nodes stay reachable.
  void leave_cluster(clock::time_point until) {
    auto left = left_.get_future();
    auto wait_until = [&](clock::time_point limit) { return left.wait_until(limit) == std::future_status::ready; };
    if (!wait_until(until - options_.grace / 4)) {
      caf::anon_send(registry_, actors::drain{actors::drain_step::late});
      if (!wait_until(until))
        return;
    }
    if (listener_)
      end_connections(until);
    caf::anon_send(registry_, actors::drain{actors::drain_step::last});
  }

  void end_connections(clock::time_point until) {
    actors::end_connections(
        *listener_,
        {.probes = probes_,
         .rest = [&] { return hurried_ ? milliseconds{} : std::chrono::ceil<milliseconds>(until - clock::now()); },
         .end_streams = [&] { caf::anon_send(registry_, actors::drain{}); }});
  }

  void tell_left() {
    if (!has_left_.exchange(true))
      left_.set_value();
  }

  /// Fails calls that are pending at the end of `grace`, so that their clients are notified.
  void end_registry(clock::time_point until) {
    auto ended = registry_ended_.get_future();
    if (ended.wait_until(until) == std::future_status::ready)
      return;
    caf::anon_send(registry_, actors::drain{actors::drain_step::at_once});
    if (ended.wait_for(farewell) != std::future_status::ready)
      caf::anon_send_exit(registry_, caf::exit_reason::user_shutdown);
    ended.wait();
  }

  gateway_options options_;
  std::atomic<bool> hurried_ = false;
  handover handover_{std::exchange(options_.predecessor, -1), event_log{options_.log}};
  std::shared_ptr<caller_limiter> limiter_ = make_limiter(options_.limits);
  net::process_slots processes_{options_.limits.processes};
  std::unique_ptr<own_system> own_;
  caf::actor_system& system_;
  std::shared_ptr<live_count> live_actors_ = std::make_shared<live_count>();
  net::connection_totals client_totals_ = make_totals(options_.limits);
  std::shared_ptr<live_count> brokers_ = std::make_shared<live_count>();
  std::shared_ptr<caller_tokens> callers_ = std::make_shared<caller_tokens>();
  std::unique_ptr<host_consent> consent_ = std::make_unique<host_consent>(options_);
  std::unique_ptr<net::worker_pool> callbacks_;
  /// Thread that checks signatures. A longer queue would outlast the patience of clients.
  std::unique_ptr<net::worker_pool> checkers_ = std::make_unique<net::worker_pool>(1, 1000);
  std::unique_ptr<net::worker_pool> workers_;
  std::vector<std::unique_ptr<net::io_thread>> threads_;
  std::vector<std::unique_ptr<io_unit>> units_;
  /// Thread for the node's own tasks, such as heartbeats.
  std::vector<std::unique_ptr<net::io_thread>> threads_apart_;
  std::unique_ptr<io_unit> unit_apart_;
  probes_seen probes_;
  /// Set when this node of a cluster has no sessions left.
  std::promise<void> left_;
  std::atomic<bool> has_left_ = false;
  std::promise<void> registry_ended_;
  std::promise<std::uint16_t> listens_for_nodes_;
  std::function<std::vector<protocol::limit_report>()> limits_;
  net::guarded<bool> are_metrics_open_;
  std::optional<gateway_traces> traces_;
  registry_actor registry_;
  root_actor root_;
  std::unique_ptr<net::listener> listener_;
  std::uint16_t port_ = 0;
  std::unique_ptr<admin_listener> admin_; // null without a listener for operators
  mutable net::guarded<admin_access> operators_;
  one_drain drained_;
};

gateway::gateway(gateway_options options)
    : state_{std::make_unique<state>(checked(std::move(options), false), nullptr)} {}

gateway::gateway(caf::actor_system& system, gateway_options options)
    : state_{std::make_unique<state>(checked(std::move(options), true), &system)} {}

gateway::~gateway() = default;
std::uint16_t gateway::port() const noexcept { return state_->port(); }
std::uint16_t gateway::admin_port() const noexcept { return state_->operators().port; }
made_admin_token gateway::admin_token() const { return state_->operators().token; }
std::string gateway::metrics() const { return state_->metrics(); }

void gateway::reload(std::vector<server_options> servers) { state_->reload(std::move(servers)); }

listening_sockets gateway::sockets() const { return state_->sockets(); }

void gateway::hand_over(int link, std::function<void()> then, std::function<void(bool hangs)> lost) {
  state_->hand_over(link, std::move(then), std::move(lost));
}

void gateway::take_back() { state_->take_back(); }

void gateway::drain() { state_->drain(); }
void gateway::hurry() { state_->hurry(); }
void gateway::stop() { state_->stop(); }

caf::actor root_of(const gateway& of) { return caf::actor_cast<caf::actor>(of.state_->root_of()); }

} // namespace troupe
