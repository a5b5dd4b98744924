#include "tests/simulation/upgrade_world.hpp"

#include <algorithm>
#include <array>
#include <utility>

namespace troupe::tests::simulation {

namespace {

/// Between two looks at the processes.
constexpr auto service_pause = 20ms;
/// Time in which a process that hangs or has ended is noticed and replaced.
constexpr auto service_limit = process_watch::limit + 2 * process_watch::interval + successor::end_limit;
/// Time in which a process that waits notices that the older one hangs.
constexpr auto waiting_limit = predecessor::hand_over_limit + 2 * predecessor::end_limit;

/// Longest pause of a process.
constexpr auto longest_pause = 12s;

/// Time of a disturbance after the step before it: as many are as short as a step, as are long.
span_of_time any_step(dice& random) {
  constexpr std::array most{5ms, 50ms, 500ms, 2000ms, 8000ms};
  return std::chrono::floor<std::chrono::milliseconds>(random.between({}, most[random.below(most.size())]));
}

} // namespace

fault_plan plan_upgrades(std::uint64_t seed, span_of_time time, const std::set<fault_kind>& kinds) {
  dice random{seed ^ 0x0be4U};
  fault_plan result;
  std::vector<fault_kind> others;
  for (auto kind : {fault_kind::pause, fault_kind::kill, fault_kind::restart})
    if (kinds.contains(kind))
      others.push_back(kind);
  if (!kinds.contains(fault_kind::hand_over))
    return result;
  const auto end = time - longest_pause;
  for (auto at = span_of_time{1s}; at < end; at += 1s + any_step(random)) {
    result.push_back({at, fault_kind::hand_over, 1, 0, {}});
    for (auto some = others.empty() ? 0 : random.below(4); some > 0; --some) {
      at = std::min(at + any_step(random), end);
      auto kind = others[random.below(others.size())];
      auto lasts = random.one_in(2) ? random.between(50ms, 3s) : random.between(3s, longest_pause);
      result.push_back({at, kind, random.below(2), 0, std::chrono::floor<std::chrono::milliseconds>(lasts)});
    }
  }
  return result;
}

upgrade_world::upgrade_world(const run_setup& setup, fault_plan plan)
    : common_world{setup, std::move(plan), {.silence = 1h, .patience = 24h}}, served_{time_.now()} {}

upgrade_world::~upgrade_world() {
  for (auto& one : processes_)
    one->kill(true);
}

// -- processes -------------------------------------------------------------------------------

std::shared_ptr<node> upgrade_world::make_process() {
  auto life = ++last_life_;
  auto made = std::make_shared<node>(around_, life, life, 1.0, std::vector<std::string>{}, nullptr);
  made->begin_alone(*this);
  processes_.push_back(made);
  return made;
}

/// Starts the upgrade after the time that a process takes to read its configuration.
void upgrade_world::begin_upgrade(const std::shared_ptr<node>& one, std::shared_ptr<link_end> older) {
  time_.after(time_.luck().between(20ms, 800ms), [weak = std::weak_ptr{one}, older = std::move(older)] {
    if (auto self = weak.lock(); self && self->is_alive())
      self->upgrade().begin(older);
  });
}

/// The supervisor starts the gateway when no process of it runs.
void upgrade_world::begin_first() {
  if (processes_.empty())
    make_process()->upgrade().begin(nullptr);
}

std::shared_ptr<link_end> upgrade_world::start_process(node& by) {
  auto made = make_process();
  auto [here, there] = net_.join(by.shared_from_this(), made);
  begin_upgrade(made, std::move(there));
  return here;
}

void upgrade_world::kill_other(const link_end& end) {
  if (auto other = end.other.lock())
    if (auto one = other->home.lock())
      kill(one);
}

bool upgrade_world::has_ended(const link_end& end) const {
  auto other = end.other.lock();
  auto one = other ? other->home.lock() : nullptr;
  return !one || !one->is_alive();
}

void upgrade_world::exits(node& who) { kill(who.shared_from_this()); }

void upgrade_world::kill(const std::shared_ptr<node>& one) {
  if (!one->is_alive())
    return;
  one->kill(false);
  std::erase(processes_, one);
  gone_.push_back(one);
  for (auto& other : processes_)
    time_.after(time_.luck().between(100us, 2ms), [weak = std::weak_ptr{other}] {
      if (auto self = weak.lock(); self && self->is_alive())
        self->upgrade().look();
    });
  time_.after(time_.luck().between(50ms, 500ms), [this] { begin_first(); });
}

// -- clients ---------------------------------------------------------------------------------

void upgrade_world::send(request what, const std::shared_ptr<connection>& by, std::optional<std::size_t>) {
  time_.after(time_.luck().between(100us, 2ms), [this, what = std::move(what), by] {
    if (!has_socket())
      return by->break_off();
    waiting_.emplace_back(what, by);
    accept_waiting();
  });
}

bool upgrade_world::has_socket() const {
  return std::ranges::any_of(processes_, [](auto& one) { return one->upgrade().has_socket(); });
}

std::shared_ptr<node> upgrade_world::accepting() const {
  auto found = std::ranges::find_if(processes_, [](auto& one) { return one->accepts() && !one->is_paused(); });
  return found == processes_.end() ? nullptr : *found;
}

void upgrade_world::accept_waiting() {
  if (!has_socket())
    for (auto& [what, by] : std::exchange(waiting_, {}))
      by->break_off();
  if (auto one = accepting())
    for (auto& [what, by] : std::exchange(waiting_, {}))
      one->receive(std::move(what), by);
}

/// A process that hangs serves nobody, and another one may have to wait for it.
void upgrade_world::watch_service() {
  accept_waiting();
  auto is_able = [](auto& one) { return !one->is_paused() && one->upgrade().may_accept(); };
  auto is_starting = [](auto& one) { return one->upgrade().is_starting(); };
  if (std::ranges::count_if(processes_, [](auto& one) { return one->accepts(); }) > 1)
    log_.broken(rule::always_served, "two processes accept clients");
  auto is_waiting_only = std::ranges::all_of(processes_, [&](auto& one) { return is_starting(one) || !is_able(one); });
  auto has_waited = std::exchange(is_waiting_only_, is_waiting_only);
  if (accepting() || std::ranges::none_of(processes_, is_able) || (has_waited && !is_waiting_only))
    served_ = time_.now();
  else if (time_.now() - served_ > service_limit + (is_waiting_only ? waiting_limit : span_of_time{}))
    log_.broken(rule::always_served, "no process accepts clients");
  time_.after(service_pause, [this] { watch_service(); });
}

// -- faults ----------------------------------------------------------------------------------

void upgrade_world::carry_out(const fault& one) {
  if (processes_.empty())
    return;
  auto which = processes_[std::min(one.one, processes_.size() - 1)];
  log_.note("FAULT", fault_text(one.is), which->card().name);
  log_.count(fault_text(one.is));
  if (one.is == fault_kind::hand_over)
    processes_.back()->upgrade().upgrade();
  else if (one.is == fault_kind::kill)
    kill(which);
  else if (one.is == fault_kind::pause)
    which->pause(one.lasts);
  else if (one.is == fault_kind::restart)
    which->upgrade().stop();
}

// -- the run ---------------------------------------------------------------------------------

void upgrade_world::begin() {
  for (auto& one : plan_)
    time_.at(begun_ + one.at, [this, one] { carry_out(one); });
  begin_first();
  watch_service();
  clients_.begin(setup_.clients, setup_.habits);
  stateless_.begin();
}

void upgrade_world::expect_nodes() {
  if (processes_.size() != 1 || !processes_.front()->accepts())
    log_.broken(rule::settles, std::to_string(processes_.size()) + " processes run");
}

void upgrade_world::expect_empty() {
  for (auto& one : processes_)
    if (one->registry().leases() != 0)
      log_.broken(rule::bounded, one->card().name + " keeps " + std::to_string(one->registry().leases()) + " leases");
  for (auto& one : processes_)
    if (auto& peer = one->upgrade().peer(); peer && peer->pending() + peer->gate().relays() != 0)
      log_.broken(rule::bounded, one->card().name + " keeps requests of the other process");
}

} // namespace troupe::tests::simulation
