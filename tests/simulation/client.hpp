#pragma once

#include "tests/simulation/exchange.hpp"
#include "tests/simulation/model.hpp"

#include "protocol/text/sse.hpp"

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <vector>

namespace troupe::tests::simulation {

/// Where the requests of clients go, as through a load balancer.
class front {
public:
  virtual ~front() = default;
  /// Sends a request to a node: the next in turn, or that of the number. False if there is none.
  virtual void send(request what, const std::shared_ptr<connection>& by, std::optional<std::size_t> to) = 0;
};

/// How clients behave: one action in so many.
struct client_habits {
  span_of_time pause = 150ms;
  std::size_t listens = 8;
  std::size_t hangs_up = 25;
  std::size_t cancels = 30;
  std::size_t deletes = 60;
  std::size_t trespasses = 40;
  /// Calls to a session that it has deleted.
  std::size_t revisits = 20;
  /// Batches instead of single calls, in sessions that have them.
  std::size_t batches = 4;
  /// Clients whose sessions have batches.
  std::size_t with_batches = 4;
  /// POSTs that are repeated after 503.
  std::size_t repeats = 2;
  /// Questions of servers that are not answered, or answered twice.
  std::size_t ignores = 20;
  std::size_t answers_twice = 20;
  /// Connections that a client does not read for a while, or never; none by default.
  std::size_t stalls = 0;
};

/// An MCP client: opens a session, calls at any node, listens, resumes, cancels, hangs up, deletes, and begins again.
/// Checks what it receives: its own answers, each once, and each event once and in order.
class client : public std::enable_shared_from_this<client> {
public:
  client(scheduler& time, history& log, model& checks, front& to, std::string name, const client_habits& habits)
      : time_{time}, log_{log}, model_{checks}, front_{to}, name_{std::move(name)}, habits_{habits} {}

  void begin();
  /// Starts nothing new: calls in flight are cancelled if they last.
  /// Reads on all connections.
  void rest();
  /// Calls at one node, and reports the status.
  void probe(std::size_t host, std::function<void(int status)> told);
  /// Hangs up every connection: what waits for a server that is silent will not come.
  void leave();

  bool has_session() const { return is_open_; }
  const std::string& session() const { return session_; }
  /// Tokens of the calls that have neither an answer nor a failure, and should have one.
  std::vector<std::string> overdue_calls() const;
  /// Exchanges of sessions that no node has, which have not ended.
  std::vector<std::string> unended() const;
  const std::string& name() const { return name_; }
  /// A session id of another client, for trespassers.
  std::function<std::string()> other_session;

private:
  /// A call, with all connections that may bring its answer.
  struct call {
    std::string token;
    /// Ids of the calls that are posted with it, and its own.
    std::vector<std::string> batch;
  };
  using request_ids = std::vector<std::string>;
  /// An exchange: a POST, or a GET that listens or resumes.
  struct exchange {
    std::shared_ptr<connection> by;
    /// Ids of its requests.
    request_ids ids;
    /// Text of a POST that is repeated after 503.
    std::string text = {};
    bool listens = false;
    bool is_stream = false;
    bool begins = false;
    bool is_delete = false;
    std::string session;
    std::string last_event;
    sse_decoder events{1U << 20U};
  };

  /// Exchange of a session that this client has given up: the nodes end it when the session ends.
  struct abandoned {
    std::shared_ptr<connection> by;
    std::string session;
    std::string what;
  };

  void act();
  void plan(span_of_time most);
  void open();
  void make_call();
  bool gets_answer(const call& one) const;
  void make_batch();
  std::string begin_call();
  void listen(std::string last, request_ids ids);
  void cancel();
  void hang_up_one();
  /// Stops to read a connection.
  void stall_one();
  void read_on(connection& one);
  void end();
  /// Asks for the end of a session, until it is confirmed or the session unknown.
  void send_delete(const std::string& session);
  void trespass();
  void revisit();
  /// Calls a session that must not answer; `rule` is broken if it does.
  void call_in_vain(const std::string& session, rule of, const std::string& why);
  void post(std::string text, request_ids ids, bool begins = false);
  void post_again(const exchange& one, span_of_time pause);
  bool waits(const exchange& one) const;
  void note_refusal(const exchange& one);
  std::uint64_t send(request what, exchange one, std::optional<std::size_t> to = std::nullopt);

  void receive(std::uint64_t number, received& what);
  void receive_answer(std::uint64_t number, exchange& of, received& what);
  void check_answer(const request_ids& ids, const std::string& text);
  void receive_events(exchange& of, const std::string& text);
  void receive_all(const std::string& text);
  void receive_message(const message& what);
  void receive_answer(const message& what);
  void receive_note(const message& what);
  void receive_question(const message& what);
  void lose(std::uint64_t number);
  void note_position(const std::string& id);
  void fail(const std::string& id, std::string_view how);
  void forget_session(std::string_view why);

  scheduler& time_;
  history& log_;
  model& model_;
  front& front_;
  std::string name_;
  client_habits habits_;
  bool rests_ = false;
  bool is_open_ = false;
  bool is_opening_ = false;
  bool is_listening_ = false;
  /// Whether the session has batches.
  bool has_batches_ = false;
  std::string session_;
  /// The session whose end was confirmed last.
  std::string deleted_;
  std::uint64_t last_exchange_ = 0;
  std::uint64_t last_id_ = 0;
  std::map<std::uint64_t, exchange> exchanges_;
  std::vector<abandoned> unended_;
  /// Connections that it does not read.
  std::vector<std::weak_ptr<connection>> stalled_;
  /// By id.
  std::map<std::string, call> calls_;
  /// Ids of calls that have failed or were answered in this session: nothing more may come.
  std::set<std::string> done_;
  /// Highest position received of each stream of the session.
  std::map<std::string, std::uint64_t> positions_;
  std::set<std::string> notes_;
};

} // namespace troupe::tests::simulation
