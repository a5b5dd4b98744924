#pragma once

#include "tests/simulation/client.hpp"

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <vector>

namespace troupe::tests::simulation {

/// A client of revision 2026-07-28: each call stands alone, at any node. Answers questions by retries, listens, hangs
/// up, and repeats calls that are refused with 503. Checks what it receives: its own answers, each once, and of its own
/// lease.
class stateless_client : public std::enable_shared_from_this<stateless_client> {
public:
  /// The server's answer to a call that succeeds names its lease.
  using told = std::function<void(int status, const std::string& lease)>;

  /// `owner` is empty for a client without a name. All choices come from `seed`.
  stateless_client(scheduler& time, history& log, model& checks, front& to, std::string name, std::string owner,
                   std::uint64_t seed)
      : time_{time}, log_{log}, model_{checks}, front_{to}, name_{std::move(name)}, owner_{std::move(owner)},
        luck_{seed} {}

  void begin() { plan(); }
  /// Starts nothing new.
  void rest();
  /// Calls at one node.
  void probe(std::size_t host, told then);
  void leave();

  const std::string& name() const { return name_; }
  bool has_name() const { return !owner_.empty(); }
  /// Tokens of the calls without an end.
  std::vector<std::string> open_calls() const;

private:
  struct exchange {
    std::shared_ptr<connection> by;
    std::string id;
    /// Of a call; empty for a stream that listens.
    std::string token = {};
    /// The request answers questions of the call.
    bool is_retry = false;
    bool is_stream = false;
    bool is_answered = false;
    told then = {};
    sse_decoder events{1U << 20U};
    std::set<std::string> notes = {};
  };

  void plan();
  void act();
  void call(std::string token, told then = {}, std::optional<std::size_t> to = std::nullopt);
  void listen();
  void hang_up_one();
  void retry(const message& asked, const std::string& token);
  void send(std::string text, exchange one, std::optional<std::size_t> to);
  void give_up(std::uint64_t number);

  void receive(std::uint64_t number, received& what);
  void receive_refusal(const exchange& of, const received& what);
  void receive_events(exchange& of, const std::string& text);
  void receive_message(exchange& of, const message& what);
  void receive_answer(exchange& of, const message& what);
  void receive_result(const exchange& of, const message& what);
  void finish(std::uint64_t number, bool is_broken);

  scheduler& time_;
  history& log_;
  model& model_;
  front& front_;
  std::string name_;
  std::string owner_;
  dice luck_;
  bool rests_ = false;
  std::uint64_t last_ = 0;
  std::map<std::uint64_t, exchange> exchanges_;
};

} // namespace troupe::tests::simulation
