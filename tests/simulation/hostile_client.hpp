#pragma once

#include "tests/simulation/client.hpp"

#include <cstdint>
#include <functional>
#include <memory>
#include <set>
#include <string>
#include <vector>

namespace troupe::tests::simulation {

/// A client that has a session of its own and keeps to no rule: it repeats ids, answers questions that it was never
/// asked, spoils texts, and uses sessions of others. Nothing of another session may reach it, and its messages must not
/// reach the servers of others: those check whose answers they receive.
class hostile_client : public std::enable_shared_from_this<hostile_client> {
public:
  /// `victim` returns the session of another client; empty if it has none.
  hostile_client(scheduler& time, history& log, model& checks, front& to, std::function<std::string()> victim)
      : time_{time}, log_{log}, model_{checks}, front_{to}, victim_{std::move(victim)} {}

  void begin() { plan(); }
  void rest() { rests_ = true; }
  /// Hangs up every connection.
  void leave();

private:
  void plan();
  void act();
  /// Acts in its own session.
  void disturb();
  void trespass(std::string session);
  /// A valid message, or a batch of some.
  std::string some_text();
  std::string some_call();
  std::string some_id();
  /// Changes some characters.
  std::string spoiled(std::string text);
  void post(const std::string& session, std::string text);
  void send(request what);
  void receive(const received& what, const std::string& session);

  scheduler& time_;
  history& log_;
  model& model_;
  front& front_;
  std::function<std::string()> victim_;
  bool rests_ = false;
  std::string session_;
  /// All sessions that it has begun.
  std::set<std::string> own_;
  std::uint64_t last_token_ = 0;
  std::vector<std::shared_ptr<connection>> connections_;
};

} // namespace troupe::tests::simulation
