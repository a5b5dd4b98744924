#include "tests/bench/load_session.hpp"

#include <utility>

namespace troupe::bench {

void fail(tally& seen, std::string_view what, const reply& answer) {
  std::string text(what);
  text.append(": ").append(std::to_string(answer.status())).append(" ").append(answer.body().substr(0, 300));
  seen.failed(text);
}

session::session(poller& all, const load_options& options, tally& seen)
    : options_(options), seen_(seen), connection_(all, options.to.port) {}

void session::begin(then done) {
  connection_.ask(post(options_.to, {}, initialize_body()), [this, done = std::move(done)](reply& answer) mutable {
    id_ = answer.header("mcp-session-id");
    if (answer.status() != 200 || id_.empty())
      return fail(seen_, "initialize", answer);
    connection_.ask(post(options_.to, id_, initialized_body), [this, done = std::move(done)](reply& accepted) {
      if (accepted.status() != 202)
        return fail(seen_, "notifications/initialized", accepted);
      done();
    });
  });
}

void session::end(then done) {
  connection_.ask(remove(options_.to, id_), [this, done = std::move(done)](reply& answer) {
    if (answer.status() != 200 && answer.status() != 204)
      return fail(seen_, "DELETE", answer);
    done();
  });
}

} // namespace troupe::bench
