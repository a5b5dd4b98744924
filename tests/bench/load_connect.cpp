#include "tests/bench/load_modes.hpp"
#include "tests/bench/load_session.hpp"

#include <memory>

namespace troupe::bench {

namespace {

struct connecting {
  explicit connecting(const load_options& given) : options(given) {}

  const load_options& options;
  poller all;
  tally whole;
  tally beginnings; // `initialize` and `notifications/initialized`
  std::size_t busy = 0;
  bool counts = false;
  bool stops = false;
};

class connector {
public:
  explicit connector(connecting& in) : in_(in), session_(in.all, in.options, in.whole) {}

  void connect() {
    ++in_.busy;
    begin();
  }

private:
  void begin() {
    asked_ = clock::now();
    session_.begin([this] {
      if (in_.counts)
        in_.beginnings.done(clock::now() - asked_);
      session_.end([this] { ended(); });
    });
  }

  void ended() {
    if (in_.counts)
      in_.whole.done(clock::now() - asked_);
    if (in_.stops || in_.options.pace > 0)
      --in_.busy;
    else
      begin();
  }

  connecting& in_;
  session session_;
  clock::time_point asked_;
};

using connectors = std::vector<std::unique_ptr<connector>>;

void finish(connecting& in) {
  const auto is_over = [&] { return in.busy == 0 || in.whole.errors() > 0; };
  if (!in.all.run(is_over, clock::now() + patience))
    in.whole.failed("a session did not begin and end");
}

/// Each round all clients connect once, then pause.
void connect_in_rounds(connecting& in, connectors& all, double seconds) {
  for (const auto begin = clock::now(); seconds_since(begin) < seconds && in.whole.errors() == 0;) {
    for (auto& one : all)
      one->connect();
    finish(in);
    in.all.run_for(std::chrono::duration<double>(in.options.pace));
  }
}

void connect_for(connecting& in, connectors& all, double seconds) {
  if (in.options.pace > 0)
    connect_in_rounds(in, all, seconds);
  else
    in.all.run_for(std::chrono::duration<double>(seconds));
}

} // namespace

figures load_connect(const load_options& options) {
  connecting in(options);
  const observed gateway(options.observe);
  connectors all;
  for (std::size_t i = 0; i < options.sessions; ++i)
    all.push_back(std::make_unique<connector>(in));
  if (options.pace <= 0)
    for (auto& one : all)
      one->connect();
  connect_for(in, all, options.warmup);
  in.counts = true;
  const auto cpu = gateway.cpu();
  const auto since = clock::now();
  connect_for(in, all, options.seconds);
  const auto seconds = seconds_since(since);
  const auto used = gateway.cpu() - cpu;
  in.stops = true;
  in.counts = false;
  finish(in);
  figures result;
  in.whole.add_to(result, seconds);
  in.beginnings.add_percentiles(result, "begin_");
  result.add("cpu_seconds", used);
  result.add("resident_bytes", gateway.resident_bytes());
  return result;
}

} // namespace troupe::bench
