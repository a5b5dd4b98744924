#include "tests/bench/json_member.hpp"
#include "tests/bench/load_loop.hpp"
#include "tests/bench/load_modes.hpp"
#include "tests/bench/load_session.hpp"

#include <string>
#include <utility>

namespace troupe::bench {

namespace {

call_shape shape_of(const load_options& options, std::size_t caller) {
  auto shape = options.shape;
  shape.stateless = true;
  if (options.apart)
    shape.affinity = "caller-" + std::to_string(caller);
  return shape;
}

/// The parameters of a retry that answers the one question.
std::string answer_to(std::string_view asked) {
  const auto state = member(member(asked, "result"), "requestState");
  return R"("inputResponses":{"q1":{"action":"accept","content":{}}},"requestState":)" + std::string(state);
}

class stateless_caller final : public caller {
public:
  stateless_caller(poller& all, const load_options& options, tally& seen, std::size_t number)
      : seen_(seen), connection_(all, options.to.port), request_(options.to, {}, shape_of(options, number)),
        is_asked_(options.shape.tool == "ask") {}

  /// The first call creates the lease.
  void begin(then done) override { call(std::move(done)); }

  void call(then done) override {
    connection_.ask(request_.next(), [this, done = std::move(done)](reply& answer) mutable {
      if (!is_asked_)
        return receive_response(answer, done);
      if (answer.status() != 200 || answer.body().find(R"("input_required")") == std::string_view::npos)
        return fail(seen_, "a call that asks", answer);
      retry_ = request_.retry(answer_to(answer.body()));
      connection_.ask(retry_, [this, done = std::move(done)](reply& last) { receive_response(last, done); });
    });
  }

  void end(then done) override { done(); }

private:
  void receive_response(const reply& answer, const then& done) {
    if (answer.status() != 200 || !request_.is_answer(answer.body()))
      return fail(seen_, "tools/call without a session", answer);
    done();
  }

  tally& seen_;
  socket connection_;
  call_request request_;
  std::string retry_;
  bool is_asked_;
};

} // namespace

figures load_stateless(const load_options& options) {
  std::size_t count = 0;
  return closed_loop(options, [&](auto& all, auto& with, auto& seen) {
    return std::make_unique<stateless_caller>(all, with, seen, ++count);
  });
}

} // namespace troupe::bench
