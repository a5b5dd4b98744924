#include "tests/bench/load_modes.hpp"
#include "tests/bench/load_session.hpp"
#include "tests/bench/load_sse.hpp"

#include <array>
#include <memory>
#include <optional>
#include <utility>

namespace troupe::bench {

namespace {

/// State shared by all disconnecting clients.
struct churn_state {
  explicit churn_state(const load_options& given) : options(given) {}

  const load_options& options;
  poller all;
  tally seen;
  std::size_t busy = 0;
  bool stops = false;
};

/// Repeatedly begins a session, disconnects during an operation, and ends the session over a new connection. The
/// operation differs each time.
class disconnecting_client {
public:
  disconnecting_client(churn_state& in, std::size_t first)
      : in_(in), turn_(first), session_(in.all, in.options, in.seen) {}

  void begin() {
    ++in_.busy;
    next();
  }

private:
  void next() {
    asked_ = clock::now();
    if (turn_ % (breaks.size() + 1) == breaks.size())
      return begin_sse();
    session_.begin([this] {
      (this->*breaks[turn_ % (breaks.size() + 1)])();
      session_.connection().reopen();
      session_.end([this] { done(); });
    });
  }

  void done() {
    in_.seen.done(clock::now() - asked_);
    ++turn_;
    if (in_.stops)
      --in_.busy;
    else
      next();
  }

  std::string call(bool progress = false) const {
    call_shape shape = in_.options.shape;
    shape.progress = progress;
    shape.tool = progress ? "progress" : "echo";
    return std::string(call_request(in_.options.to, session_.id(), shape).next());
  }

  void reset_in_call() {
    session_.connection().send(call());
    session_.connection().reset();
  }

  void close_in_call() {
    session_.connection().send(call(true));
    session_.connection().close();
  }

  void close_in_request() {
    const auto request = call();
    session_.connection().send(std::string_view(request).substr(0, request.size() / 2));
    session_.connection().close();
  }

  void reset_in_stream() {
    session_.connection().send(get(in_.options.to, session_.id()));
    session_.connection().reset();
  }

  /// In HTTP+SSE the end of the stream ends the session.
  void begin_sse() {
    sse_ = std::make_unique<sse_session>(in_.all, sse_options(), in_.seen);
    sse_->begin([this] {
      sse_->call([] {});
      sse_->close();
      used_.push_back(std::move(sse_)); // it still has work pending
      done();
    });
  }

  const load_options& sse_options() {
    sse_options_ = in_.options;
    const auto at = sse_options_.to.path.rfind("mcp");
    sse_options_.to.path.replace(at, 3, "sse");
    return sse_options_;
  }

  static constexpr std::array breaks{&disconnecting_client::reset_in_call, &disconnecting_client::close_in_call,
                                     &disconnecting_client::close_in_request, &disconnecting_client::reset_in_stream};

  churn_state& in_;
  std::size_t turn_;
  session session_;
  load_options sse_options_;
  std::unique_ptr<sse_session> sse_;
  std::vector<std::unique_ptr<sse_session>> used_;
  clock::time_point asked_;
};

} // namespace

figures load_churn(const load_options& options) {
  churn_state in(options);
  std::vector<std::unique_ptr<disconnecting_client>> all;
  const auto since = clock::now();
  for (std::size_t i = 0; i < options.sessions; ++i) {
    all.push_back(std::make_unique<disconnecting_client>(in, i));
    all.back()->begin();
  }
  in.all.run_for(std::chrono::duration<double>(options.seconds));
  in.stops = true;
  const auto seconds = seconds_since(since);
  if (!in.all.run([&] { return in.busy == 0 || in.seen.errors() > 0; }, clock::now() + patience))
    in.seen.failed("a client that broke off was not answered any more");
  figures result;
  in.seen.add_to(result, seconds);
  return result;
}

} // namespace troupe::bench
