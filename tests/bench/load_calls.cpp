#include "tests/bench/load_loop.hpp"
#include "tests/bench/load_modes.hpp"
#include "tests/bench/load_session.hpp"

#include <optional>
#include <utility>

namespace troupe::bench {

namespace {

class http_caller final : public caller {
public:
  http_caller(poller& all, const load_options& options, tally& seen)
      : options_(options), seen_(seen), session_(all, options, seen) {
    if (options.call_port != 0)
      elsewhere_.emplace(all, options.call_port);
  }

  void begin(then done) override {
    session_.begin([this, done = std::move(done)] {
      request_.emplace(options_.to, session_.id(), options_.shape);
      done();
    });
  }

  void call(then done) override {
    auto& connection = elsewhere_ ? *elsewhere_ : session_.connection();
    connection.ask(request_->next(), [this, done = std::move(done)](reply& answer) {
      if (answer.status() != 200 || answer.is_stream() != options_.shape.progress ||
          !request_->is_answer(answer.body()))
        return fail(seen_, "tools/call", answer);
      done();
    });
  }

  void end(then done) override { session_.end(std::move(done)); }

private:
  const load_options& options_;
  tally& seen_;
  session session_;
  std::optional<socket> elsewhere_;
  std::optional<call_request> request_;
};

} // namespace

figures load_calls(const load_options& options) {
  return closed_loop(options,
                     [](auto& all, auto& with, auto& seen) { return std::make_unique<http_caller>(all, with, seen); });
}

} // namespace troupe::bench
