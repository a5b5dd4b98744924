#include "tests/bench/load_loop.hpp"

#include <ctime>
#include <stdexcept>

namespace troupe::bench {

namespace {

class loop {
public:
  loop(const load_options& options, const make_caller& make) : options_(options) {
    for (std::size_t i = 0; i < options.sessions; ++i)
      callers_.push_back(make(all_, options_, seen));
  }

  /// Begins one client after the other, because a burst of beginnings would distort the figures.
  void begin() {
    for (auto& one : callers_) {
      busy_ = 1;
      one->begin([this] { --busy_; });
      wait("a session begins");
    }
  }

  void start() {
    for (auto& one : callers_) {
      ++busy_;
      call(*one);
    }
  }

  void run_for(double seconds) { all_.run_for(std::chrono::duration<double>(seconds)); }
  void count() { counts_ = true; }

  void end() {
    counts_ = false;
    stops_ = true;
    wait("calls are answered");
    for (auto& one : callers_) {
      ++busy_;
      one->end([this] { --busy_; });
    }
    wait("sessions end");
  }

  tally seen;

private:
  void call(caller& by) {
    by.call([this, &by, asked = clock::now()] {
      if (counts_)
        seen.done(clock::now() - asked);
      if (stops_)
        --busy_;
      else
        call(by);
    });
  }

  void wait(const char* what) {
    all_.run([this] { return busy_ == 0 || seen.errors() > 0; }, clock::now() + patience);
    if (busy_ > 0 || seen.errors() > 0)
      throw std::runtime_error(std::string("not as it should be: ") + what);
  }

  const load_options& options_;
  poller all_;
  std::vector<std::unique_ptr<caller>> callers_;
  std::size_t busy_ = 0;
  bool counts_ = false;
  bool stops_ = false;
};

} // namespace

figures closed_loop(const load_options& options, const make_caller& make) {
  loop in(options, make);
  const observed gateway(options.observe);
  in.begin();
  in.start();
  in.run_for(options.warmup);
  in.count();
  const auto cpu = gateway.cpu();
  const auto own = std::clock();
  const auto since = clock::now();
  in.run_for(options.seconds);
  const auto seconds = seconds_since(since);
  const auto used = gateway.cpu() - cpu;
  const auto own_used = static_cast<double>(std::clock() - own) / CLOCKS_PER_SEC;
  const auto resident = gateway.resident_bytes();
  in.end();
  figures result;
  in.seen.add_to(result, seconds);
  result.add("cpu_seconds", used);
  result.add("load_cpu_seconds", own_used);
  result.add("resident_bytes", resident);
  return result;
}

} // namespace troupe::bench
