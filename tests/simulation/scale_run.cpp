#include "tests/simulation/scale_run.hpp"

#include <algorithm>
#include <ctime>

namespace troupe::tests::simulation {

namespace {

constexpr auto step = 10ms;
constexpr std::size_t restarts = 5;

double seconds_of(span_of_time time) { return std::chrono::duration<double>(time).count(); }

/// A cluster and the phases of its life.
class scale_run {
public:
  scale_run(const scale_setup& setup, std::ostream* progress)
      : setup_{setup}, progress_{progress}, time_{setup.seed}, links_{time_, setup.nodes, setup.heartbeat, setup.seeds},
        store_{time_, links_, setup.heartbeat, setup.load} {}

  scale_figures run() {
    scale_figures result;
    result.start = start_all();
    pass(2 * setup_.heartbeat);
    store_.begin_sessions();
    pass(65s);
    be_quiet(result);
    const auto last = setup_.nodes - 1;
    result.restart = restart_some();
    stop(last, scale_links::end_of::leaves);
    pass(2s);
    result.join = change("join", last, [&] { start(last); });
    pass(5s);
    result.kill = change("kill", 1, [&] { die(1, scale_links::end_of::killed); });
    result.after_kill = watch_recovery();
    start(1);
    pass(5s);
    result.power_loss = change("loss of power", 0, [&] { die(0, scale_links::end_of::power_lost); });
    result.after_power_loss = watch_recovery();
    return result;
  }

private:
  void pass(span_of_time time) { time_.run_until(time_.now() + time); }

  void start(std::size_t node) {
    links_.start(node);
    store_.start(node);
  }

  void stop(std::size_t node, scale_links::end_of how) {
    links_.stop(node, how);
    store_.stop(node, how == scale_links::end_of::leaves);
  }

  void die(std::size_t node, scale_links::end_of how) {
    stop(node, how);
    store_.lose_sessions(node);
  }

  /// Runs until all nodes know all others. Greetings that are still under way count, too.
  template <class Change>
  change_figures change(const char* name, std::size_t node, Change begin) {
    links_.reset_traffic();
    const auto begun = time_.now();
    begin();
    while (!links_.is_complete() && time_.now() < begun + 2min)
      pass(step);
    change_figures result;
    result.seconds = links_.is_complete() ? seconds_of(links_.completed_at() - begun) : -1;
    pass(2s);
    const auto all = links_.traffic();
    const auto own = links_.traffic(node);
    const auto count = static_cast<double>(setup_.nodes);
    result.messages = static_cast<double>(all.messages) / count;
    result.bytes = static_cast<double>(all.bytes_sent) / count;
    result.busy_ms = seconds_of(all.busy) * 1e3 / count;
    result.own_bytes = static_cast<double>(own.bytes_received);
    result.own_busy_ms = seconds_of(own.busy) * 1e3;
    note(name);
    return result;
  }

  change_figures start_all() {
    return change("start", 0, [this] {
      for (std::size_t i = 0; i < setup_.nodes; ++i)
        time_.after(time_.luck().between({}, 1s), [this, i] { start(i); });
      pass(1s);
    });
  }

  /// Restarts nodes one after the other, as a rolling restart does. Returns the average of a restart.
  change_figures restart_some() {
    change_figures all;
    const auto count = std::min(restarts, setup_.nodes);
    all.seconds = 0;
    for (std::size_t i = 0; i < count; ++i) {
      auto one = change("restart", i, [&] {
        links_.stop(i, scale_links::end_of::leaves);
        pass(300ms);
        links_.start(i);
      });
      all.seconds += one.seconds / static_cast<double>(count);
      all.messages += one.messages / static_cast<double>(count);
      all.bytes += one.bytes / static_cast<double>(count);
      all.busy_ms += one.busy_ms / static_cast<double>(count);
      all.own_bytes += one.own_bytes / static_cast<double>(count);
      all.own_busy_ms += one.own_busy_ms / static_cast<double>(count);
    }
    return all;
  }

  void be_quiet(scale_figures& out) {
    constexpr auto time = 30s;
    links_.reset_traffic();
    store_.take_traffic();
    pass(time);
    const auto all = links_.traffic();
    const auto store = store_.take_traffic();
    const auto count = static_cast<double>(setup_.nodes);
    const auto others = setup_.nodes - 1;
    out.links = others;
    out.quiet_messages =
        static_cast<double>(others) * 5 / seconds_of(setup_.heartbeat) + static_cast<double>(all.messages) / count / 30;
    out.quiet_bytes = links_.heartbeat_bytes(0) + static_cast<double>(all.bytes_sent) / count / 30;
    out.quiet_busy = seconds_of(links_.heartbeat_time(0)) + seconds_of(all.busy) / count / 30;
    out.store_commands = static_cast<double>(store.commands()) / seconds_of(time);
    out.store_bytes = static_cast<double>(store.bytes) / seconds_of(time);
    out.store_busy = seconds_of(store.busy) / seconds_of(time);
    note("quiet");
  }

  recovery watch_recovery() {
    const auto until = time_.now() + setup_.watch;
    while (time_.now() < until && store_.last_recovery().restored < store_.last_recovery().sessions)
      pass(100ms);
    note("recovery");
    return store_.last_recovery();
  }

  void note(const char* what) {
    if (progress_)
      *progress_ << "# " << setup_.nodes << " nodes, " << what << ": " << time_.steps() << " steps, "
                 << std::clock() / CLOCKS_PER_SEC << " s of a processor" << std::endl;
  }

  scale_setup setup_;
  std::ostream* progress_;
  scheduler time_;
  scale_links links_;
  scale_store store_;
};

} // namespace

scale_figures measure(const scale_setup& setup, std::ostream* progress) { return scale_run{setup, progress}.run(); }

} // namespace troupe::tests::simulation
