#include "tests/bench/load_modes.hpp"
#include "tests/bench/load_session.hpp"

#include <algorithm>
#include <memory>
#include <stdexcept>

namespace troupe::bench {

namespace {

constexpr std::size_t at_once = 16;
constexpr std::string_view changed = "notifications/tools/list_changed";

/// The stream of one session.
struct stream {
  stream(poller& all, std::uint16_t port) : connection(all, port) {}

  socket connection;
  bool open = false;
  std::size_t heard = 0;
};

/// Sessions, their streams, and their figures.
class listening {
public:
  explicit listening(const load_options& options) : options_(options) {}

  /// Begins sessions, a few at a time, over reused connections.
  void begin_sessions(std::size_t count) {
    wanted_ = ids_.size() + count;
    for (std::size_t i = 0; i < std::min(at_once, count); ++i) {
      if (i == makers_.size())
        makers_.push_back(std::make_unique<session>(all_, options_, seen));
      begin_next(*makers_[i]);
    }
    wait("sessions begin", [&] { return ids_.size() == wanted_; });
  }

  /// Opens a stream for each session.
  void open_streams() {
    for (const auto& id : ids_) {
      streams_.push_back(std::make_unique<stream>(all_, options_.to.port));
      auto& one = *streams_.back();
      one.connection.listen(get(options_.to, id), [this, &one](reply& part) { heard(one, part); });
      wait("streams open", [&] { return open_ + at_once > streams_.size(); });
    }
    wait("all streams open", [&] { return open_ == streams_.size(); });
  }

  /// Sends a notification, and waits until the last stream has it.
  void notify() {
    ++notified_;
    reached_ = 0;
    answered_ = false;
    call_request call(options_.to, ids_.front(), {.tool = "notify", .canned = options_.shape.canned});
    const auto asked = clock::now();
    makers_.front()->connection().ask(call.next(), [&](reply& answer) {
      answered_ = true;
      if (answer.status() != 200 || !call.is_answer(answer.body()))
        fail(seen, "notify", answer);
    });
    wait("a notification reaches all", [&] { return reached_ == streams_.size(); });
    seen.done(clock::now() - asked);
    wait("notify is answered", [&] { return answered_; });
  }

  void end_sessions() {
    ends_ = true;
    for (auto& one : makers_)
      end_next(*one);
    wait("sessions end", [&] { return ended_ == ids_.size(); });
    streams_.clear();
    idle(0.2);
  }

  void idle(double seconds) { all_.run_for(std::chrono::duration<double>(seconds)); }

  tally seen;

private:
  void begin_next(session& over) {
    if (begun_ == wanted_)
      return;
    ++begun_;
    over.begin([&] {
      ids_.push_back(over.id());
      begin_next(over);
    });
  }

  void end_next(session& over) {
    if (ending_ == ids_.size())
      return;
    over.adopt(ids_[ending_++]);
    over.end([&] {
      ++ended_;
      end_next(over);
    });
  }

  void heard(stream& on, reply& part) {
    if (part.status() != 200 || part.is_whole()) {
      if (!ends_)
        fail(seen, "a stream", part);
      return;
    }
    open_ += on.open ? 0 : 1;
    on.open = true;
    if (!part.body().ends_with("\n\n"))
      return; // the rest of the event is still missing
    if (part.body().find(changed) != std::string_view::npos)
      reached(on);
    part.drop_body();
  }

  void reached(stream& on) {
    if (++on.heard > notified_)
      seen.failed("a notification came twice");
    ++reached_;
  }

  void wait(const char* what, const std::function<bool()>& done) {
    const auto is_over = [&] { return done() || seen.errors() > 0; };
    if (!all_.run(is_over, clock::now() + patience) || seen.errors() > 0)
      throw std::runtime_error(std::string("not as it should be: ") + what);
  }

  const load_options& options_;
  poller all_;
  std::vector<std::unique_ptr<session>> makers_;
  std::vector<std::string> ids_;
  std::vector<std::unique_ptr<stream>> streams_;
  std::size_t wanted_ = 0;
  std::size_t begun_ = 0;
  std::size_t ending_ = 0;
  std::size_t ended_ = 0;
  std::size_t open_ = 0;
  std::size_t notified_ = 0;
  std::size_t reached_ = 0;
  bool answered_ = false;
  bool ends_ = false;
};

/// The first session starts the shared server.
void begin_first(listening& in) {
  in.begin_sessions(1);
  in.idle(0.2);
}

} // namespace

figures load_streams(const load_options& options) {
  listening in(options);
  const observed gateway(options.observe);
  const auto count = static_cast<double>(options.sessions);
  figures result;
  begin_first(in);
  const auto before = gateway.resident_bytes();
  in.begin_sessions(options.sessions - 1);
  const auto with_sessions = gateway.resident_bytes();
  in.open_streams();
  const auto with_streams = gateway.resident_bytes();
  in.idle(options.warmup);
  const auto cpu = gateway.cpu();
  const auto since = clock::now();
  in.idle(options.seconds);
  const auto idle_cpu = (gateway.cpu() - cpu) / seconds_since(since);
  for (std::size_t round = 0; round < options.rounds; ++round)
    in.notify();
  in.end_sessions();
  in.idle(options.settle);
  in.seen.add_percentiles(result);
  result.add_errors(in.seen.errors());
  result.add("session_bytes", (with_sessions - before) / count);
  result.add("session_and_stream_bytes", (with_streams - before) / count);
  result.add("idle_cpu", idle_cpu);
  result.add("base_bytes", before);
  result.add("resident_bytes", with_streams);
  result.add("after_bytes", gateway.resident_bytes());
  return result;
}

} // namespace troupe::bench
