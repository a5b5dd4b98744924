#include "tests/bench/load_sse.hpp"

#include "tests/bench/load_session.hpp"

#include <utility>

namespace troupe::bench {

namespace {

constexpr std::string_view endpoint_label = "data: ";

} // namespace

sse_session::sse_session(poller& all, const load_options& options, tally& seen)
    : options_(options), seen_(seen), stream_(all, options.to.port), requests_(all, options.to.port) {}

void sse_session::begin(then done) {
  endpoint_ = {options_.to.port, {}};
  done_ = std::move(done);
  stream_.listen(get(options_.to, {}), [this](reply& part) { heard(part); });
}

void sse_session::heard(reply& part) {
  if (part.status() != 200 || part.is_whole()) {
    if (!ends_)
      fail(seen_, "the stream", part);
    return;
  }
  const auto event = part.body();
  if (!event.ends_with("\n\n"))
    return;
  if (endpoint_.path.empty())
    take_endpoint(event);
  else
    receive_response(event);
  part.drop_body();
}

void sse_session::take_endpoint(std::string_view event) {
  const auto at = event.find(endpoint_label) + endpoint_label.size();
  endpoint_.path = event.substr(at, event.find('\n', at) - at);
  awaited_ = 2;
  requests_.ask(post(endpoint_, {}, initialize_body("2024-11-05")), [this](reply& answer) {
    if (answer.status() != 202)
      return fail(seen_, "initialize", answer);
    accepted();
  });
}

/// Other events, such as comments, are ignored.
void sse_session::receive_response(std::string_view event) {
  if (call_ ? call_->is_answer(event) : event.find(R"("serverInfo")") != std::string_view::npos)
    accepted();
}

/// Acceptance is one of the two things awaited.
void sse_session::accepted() {
  if (--awaited_ > 0)
    return;
  if (call_)
    return std::exchange(done_, {})();
  requests_.ask(post(endpoint_, {}, initialized_body), [this](reply& answer) {
    if (answer.status() != 202)
      return fail(seen_, "notifications/initialized", answer);
    call_.emplace(endpoint_, std::string_view(), options_.shape);
    std::exchange(done_, {})();
  });
}

void sse_session::call(then done) {
  done_ = std::move(done);
  awaited_ = 2;
  requests_.ask(call_->next(), [this](reply& answer) {
    if (answer.status() != 202)
      return fail(seen_, "tools/call", answer);
    accepted();
  });
}

void sse_session::end(then done) {
  close();
  done();
}

void sse_session::close() {
  ends_ = true;
  stream_.close();
  requests_.close();
}

} // namespace troupe::bench
