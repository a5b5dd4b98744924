#include "tests/bench/load_modes.hpp"
#include "tests/bench/load_session.hpp"

#include <memory>
#include <stdexcept>
#include <string>

namespace troupe::bench {

namespace {

/// Begins sessions or leases one after the other, over one connection. Each makes one call.
class idling {
public:
  explicit idling(const load_options& options) : options_(options), maker_(all_, options_, seen) {}

  void begin(std::size_t count) {
    for (const auto wanted = made_ + count; made_ < wanted;) {
      begin_one();
      const auto is_over = [this] { return done_ || seen.errors() > 0; };
      if (!all_.run(is_over, clock::now() + patience) || seen.errors() > 0)
        throw std::runtime_error("not as it should be: one begins and makes a call");
    }
  }

  void idle(double seconds) { all_.run_for(std::chrono::duration<double>(seconds)); }

  tally seen;

private:
  void begin_one() {
    done_ = false;
    ++made_;
    if (!options_.shape.stateless)
      return maker_.begin([this] { call(maker_.id()); });
    call({});
  }

  void call(std::string_view session) {
    auto shape = options_.shape;
    if (shape.stateless)
      shape.affinity = "idle-" + std::to_string(made_);
    request_ = std::make_unique<call_request>(options_.to, session, shape);
    maker_.connection().ask(request_->next(), [this](reply& answer) {
      if (answer.status() != 200 || !request_->is_answer(answer.body()))
        return fail(seen, "tools/call", answer);
      done_ = true;
    });
  }

  const load_options& options_;
  poller all_;
  session maker_;
  std::unique_ptr<call_request> request_;
  std::size_t made_ = 0;
  bool done_ = false;
};

} // namespace

figures load_idle(const load_options& options) {
  idling in(options);
  const observed gateway(options.observe);
  const auto count = static_cast<double>(options.sessions);
  in.begin(1);
  in.idle(options.settle);
  const auto before = gateway.resident_bytes();
  in.begin(options.sessions);
  in.idle(options.settle);
  const auto after = gateway.resident_bytes();
  figures result;
  result.add_errors(in.seen.errors());
  result.add("idle_bytes", (after - before) / count);
  result.add("base_bytes", before);
  result.add("resident_bytes", after);
  return result;
}

} // namespace troupe::bench
