#include "tests/simulation/world.hpp"

#include "tests/simulation/upgrade_world.hpp"

#include <algorithm>
#include <array>
#include <utility>

namespace troupe::tests::simulation {

namespace {

/// Time after a fault of a node or the store until records reach the store again.
constexpr auto recovery_time = 4s;
/// Time between two probes of a load balancer.
constexpr auto probe_pause = 1s;
/// Time that a node may take to end beyond its grace, with clocks that drift.
constexpr auto stop_leeway = 3s;
/// Longest time for which a rolling restart waits for a node to be ready.
constexpr auto ready_limit = 5s;

bool is_restart(const fault& one) { return one.is == fault_kind::restart || one.is == fault_kind::rolling_restart; }

/// Whether a fault keeps no record out of the store.
bool spares_records(const fault& one) {
  constexpr std::array kinds{fault_kind::break_link, fault_kind::partition, fault_kind::one_way_partition,
                             fault_kind::slow_network, fault_kind::drift};
  return is_restart(one) || std::ranges::find(kinds, one.is) != kinds.end();
}

/// Whether a fault lets each node answer what it has been asked.
bool is_orderly(const fault& one) {
  return is_restart(one) || one.is == fault_kind::drift || one.is == fault_kind::break_store_line;
}

/// Whether nodes restart, and nothing else ends or parts them.
bool only_restarts(const fault_plan& plan) {
  return std::ranges::any_of(plan, is_restart) && std::ranges::all_of(plan, is_orderly);
}

} // namespace

world::world(const run_setup& setup, fault_plan plan)
    : common_world{setup,
                   std::move(plan),
                   {.store = setup.has_store ? &store_ : nullptr,
                    .silence = setup.heartbeat * 4 / 5,
                    .patience = protocol::lost_lives::limits::patience_with(setup.heartbeat)}},
      store_{time_, setup.heartbeat, setup.wrong != planted::tenure_unchecked}, nodes_(setup.hosts),
      ready_(setup.hosts), speeds_(setup.hosts, 1.0), memories_(setup.hosts) {}

/// Kills all nodes: no part of a node may act any more when it is destroyed.
world::~world() {
  for (auto& one : nodes_)
    if (one)
      one->kill(true);
}

// -- nodes and clients -----------------------------------------------------------------------

/// The addresses of `--join`.
std::vector<std::string> world::seeds() const {
  std::vector<std::string> result;
  for (std::size_t host = 0; host < (setup_.joins_one ? 1 : setup_.hosts); ++host)
    result.push_back(address_of_host(host));
  return result;
}

void world::start(std::size_t host) {
  if (nodes_[host])
    return;
  nodes_[host] = std::make_shared<node>(around_, host, ++last_life_, speeds_[host], seeds(),
                                        setup_.remembers ? &memories_[host] : nullptr);
  nodes_[host]->begin();
}

void world::send(request what, const std::shared_ptr<connection>& by, std::optional<std::size_t> to) {
  auto host = to.value_or(next_++ % setup_.hosts);
  time_.after(time_.luck().between(100us, 2ms), [this, what = std::move(what), by, host, is_fixed = to.has_value()] {
    deliver(what, by, host, is_fixed ? 1 : setup_.hosts);
  });
}

/// A load balancer goes on to the next node when one refuses the connection, or was not ready when it asked last.
void world::deliver(request what, const std::shared_ptr<connection>& by, std::size_t host, std::size_t tries) {
  for (; tries > 0; --tries, host = (host + 1) % setup_.hosts)
    if (nodes_[host] && nodes_[host]->accepts() && (ready_[host] || tries == 1))
      return nodes_[host]->receive(std::move(what), by);
  by->break_off();
}

void world::probe_node(std::size_t host) {
  auto& one = nodes_[host];
  if (!one || !one->is_paused())
    ready_[host] = one && one->accepts() && one->answers_probe();
  time_.after(probe_pause, [this, host] { probe_node(host); });
}

void world::begin_clients() {
  clients_.begin(setup_.clients, setup_.habits);
  clients_.begin_hostile();
  stateless_.begin();
}

void world::remember_store() {
  if (goes_back_)
    store_.take_snapshot();
  time_.after(300ms, [this] { remember_store(); });
}

// -- faults ----------------------------------------------------------------------------------

void world::plan(const fault& one) {
  goes_back_ = goes_back_ || (one.is >= fault_kind::store_goes_back && one.is <= fault_kind::store_is_restored);
  if (one.is == fault_kind::drift) {
    speeds_[one.one] = 0.955 + static_cast<double>(one.lasts / 1us) / 1e6;
    return;
  }
  time_.at(begun_ + one.at, [this, one] { carry_out(one); });
}

void world::carry_out(const fault& one) {
  log_.note("FAULT", fault_text(one.is), std::to_string(one.one + 1) + " " + std::to_string(one.other + 1));
  log_.count(fault_text(one.is));
  disturb(one);
  auto& concerned = nodes_[one.one];
  switch (one.is) {
  case fault_kind::break_link:
    return net_.break_one();
  case fault_kind::one_way_partition:
  case fault_kind::partition:
    part(one, true);
    break;
  case fault_kind::pause:
    if (concerned)
      concerned->pause(one.lasts);
    return;
  case fault_kind::suspend:
    if (concerned)
      concerned->suspend(one.lasts);
    return;
  case fault_kind::kill:
  case fault_kind::power_loss:
    kill(one.one, one.is == fault_kind::power_loss);
    break;
  case fault_kind::slow_network:
    net_.set_delay(400ms);
    break;
  case fault_kind::break_store_line:
    if (concerned && concerned->store())
      concerned->store()->break_line(static_cast<store_connection>(one.lasts.count() % 3));
    return;
  case fault_kind::store_hangs:
    return store_.hang(one.lasts);
  case fault_kind::store_is_emptied:
    store_.wipe();
    return break_store_lines();
  case fault_kind::store_goes_back_twice:
    time_.after(time_.luck().between({}, setup_.heartbeat), [this, how_far = one.lasts] { go_back(how_far); });
    [[fallthrough]];
  case fault_kind::store_goes_back:
  case fault_kind::store_fails_over:
    return go_back(one.lasts);
  case fault_kind::store_is_restored:
    return store_.restore(one.lasts);
  case fault_kind::restart:
    return restart(one.one, one.lasts, [] {});
  case fault_kind::rolling_restart:
    return restart_from(0, one.lasts);
  case fault_kind::drift:
  case fault_kind::hand_over:
    return;
  }
  time_.after(one.lasts, [this, one] { end(one); });
}

void world::disturb(const fault& one) {
  auto loses_data = one.is >= fault_kind::store_is_emptied && one.is <= fault_kind::store_is_restored;
  auto is_end = one.is == fault_kind::kill || one.is == fault_kind::power_loss;
  if (!spares_records(one))
    model_.disturb(loses_data ? time_point::min() : time_.now(),
                   time_.now() + (is_end ? span_of_time{} : one.lasts + recovery_time));
}

void world::go_back(span_of_time how_far) {
  store_.go_back(how_far);
  break_store_lines();
}

void world::break_store_lines() {
  for (auto& each : nodes_)
    for (auto by : {store_connection::tenure, store_connection::writes, store_connection::searches})
      if (each && each->store())
        each->store()->break_line(by);
}

void world::end(const fault& one) {
  if (is_healed_)
    return;
  log_.note("FAULT ends", fault_text(one.is), std::to_string(one.one + 1) + " " + std::to_string(one.other + 1));
  if (one.is == fault_kind::slow_network)
    net_.set_delay(2ms);
  else if (one.is == fault_kind::kill || one.is == fault_kind::power_loss)
    start(one.one);
  else
    part(one, false);
}

void world::part(const fault& one, bool is_cut) {
  net_.cut(one.one, one.other, is_cut);
  if (one.is == fault_kind::partition)
    net_.cut(one.other, one.one, is_cut);
}

void world::kill(std::size_t host, bool silent) {
  if (!nodes_[host])
    return;
  nodes_[host]->kill(silent);
  gone_.push_back(std::exchange(nodes_[host], nullptr));
}

// -- restarts in order -----------------------------------------------------------------------

void world::restart(std::size_t host, span_of_time grace, std::function<void()> then) {
  auto one = nodes_[host];
  if (!one || one->is_stopping())
    return then();
  one->stop(grace, [this, host, weak = std::weak_ptr{one}, then = std::move(then)] {
    if (nodes_[host] != weak.lock())
      return;
    kill(host, false);
    time_.after(time_.luck().between(50ms, 2s), [this, host, then] {
      start(host);
      then();
    });
  });
  watch_stop(host, one, grace, time_.now() + grace + stop_leeway);
}

/// The grace of a node that is paused may begin only after its pause.
void world::watch_stop(std::size_t host, const std::weak_ptr<node>& who, span_of_time grace, time_point until) {
  time_.at(until, [this, host, who, grace, until] {
    auto one = who.lock();
    if (!one || nodes_[host] != one)
      return;
    if (auto later = one->paused_until() + grace + stop_leeway; later > until)
      return watch_stop(host, who, grace, later);
    log_.broken(rule::settles, one->card().name + " does not end within its grace");
  });
}

/// Restarts this host and all that follow it, until the faults end.
void world::restart_from(std::size_t host, span_of_time grace) {
  if (host == setup_.hosts || is_healed_)
    return log_.count("rolling restarts that are over");
  restart(host, grace, [this, host, grace] { restart_after(host, grace, time_.now() + ready_limit); });
}

/// The next node follows once the last one is ready.
void world::restart_after(std::size_t host, span_of_time grace, time_point latest) {
  if ((nodes_[host] && nodes_[host]->router().is_ready()) || time_.now() >= latest)
    return restart_from(host + 1, grace);
  time_.after(100ms, [this, host, grace, latest] { restart_after(host, grace, latest); });
}

/// Ends all faults.
void world::heal() {
  is_healed_ = true;
  net_.heal_all();
  net_.set_delay(2ms);
  for (std::size_t host = 0; host < setup_.hosts; ++host)
    start(host);
}

// -- the run ---------------------------------------------------------------------------------

void world::begin() {
  if (only_restarts(plan_))
    model_.expect_order();
  for (auto& one : plan_)
    plan(one);
  for (std::size_t host = 0; host < setup_.hosts; ++host) {
    time_.after(time_.luck().between({}, 500ms), [this, host] { start(host); });
    probe_node(host);
  }
  if (setup_.has_store)
    remember_store();
  time_.after(setup_.joins_one ? 0s : 3s, [this] { begin_clients(); });
}

// -- the end ---------------------------------------------------------------------------------

void world::expect_nodes() {
  for (auto& one : nodes_) {
    auto known = one->cluster().members();
    if (known.size() + 1 != setup_.hosts || !one->cluster().is_settled() || !one->router().is_ready())
      log_.broken(rule::settles, one->card().name + " knows " + std::to_string(known.size()) + " other nodes");
    if (auto held = one->tenure(); held && !held->holds())
      log_.note(one->card().name, "has no tenure");
  }
}

/// The nodes, at each of which a session that lives answers.
std::vector<std::string> world::places() const {
  std::vector<std::string> result;
  for (std::size_t host = 0; host < setup_.hosts; ++host)
    result.push_back("node" + std::to_string(host + 1));
  return result;
}

void world::expect_empty() {
  for (auto& one : nodes_)
    if (one->registry().leases() != 0)
      log_.broken(rule::bounded, one->card().name + " keeps " + std::to_string(one->registry().leases()) + " leases");
  for (auto& one : nodes_)
    if (one->router().pending() + one->gate().relays() != 0)
      log_.broken(rule::bounded, one->card().name + " keeps " + std::to_string(one->router().pending()) +
                                     " forwarded exchanges and " + std::to_string(one->gate().relays()) + " relays");
}

// -- runs ------------------------------------------------------------------------------------

namespace {

template <class World>
run_result run_in(const run_setup& setup, const fault_plan& plan, std::ostream* out, std::size_t lines) {
  World all{setup, plan};
  auto result = all.run();
  if (out)
    all.print(*out, lines);
  return result;
}

} // namespace

fault_plan plan_of(const run_setup& setup, const std::set<fault_kind>& kinds) {
  return setup.hosts == 1 ? plan_upgrades(setup.seed, setup.time, kinds)
                          : plan_faults(setup.seed, setup.hosts, setup.time, kinds, 3s);
}

run_result run_once(const run_setup& setup, const fault_plan& plan, std::ostream* out, std::size_t lines) {
  return setup.hosts == 1 ? run_in<upgrade_world>(setup, plan, out, lines) : run_in<world>(setup, plan, out, lines);
}

fault_plan shrink(const run_setup& setup, fault_plan plan, rule broken, std::size_t most_runs) {
  for (auto size = std::max<std::size_t>(plan.size() / 2, 1); !plan.empty(); size /= 2) {
    for (std::size_t at = 0; at < plan.size() && most_runs > 0; --most_runs) {
      auto fewer = plan;
      auto first = fewer.begin() + static_cast<std::ptrdiff_t>(at);
      fewer.erase(first, first + static_cast<std::ptrdiff_t>(std::min(size, fewer.size() - at)));
      auto result = run_once(setup, fewer);
      if (!result.is_good && result.broken == broken)
        plan = std::move(fewer);
      else
        at += size;
    }
    if (size <= 1)
      break;
  }
  return plan;
}

} // namespace troupe::tests::simulation
