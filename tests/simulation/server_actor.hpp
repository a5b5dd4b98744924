#pragma once

#include "tests/simulation/actor.hpp"
#include "tests/simulation/model.hpp"

#include "protocol/message/message.hpp"

#include <cstdint>
#include <map>
#include <memory>
#include <string>

namespace troupe::tests::simulation {

/// A session or a lease, for the server whose messages it receives.
class server_user {
public:
  virtual ~server_user() = default;
  virtual void server_sent(message what) = 0;
  virtual void server_lost(const std::string& why) = 0;
};

/// How the servers of a simulation behave: one call in so many is slow, never answered, or ends the server.
struct server_habits {
  std::size_t slow = 20;
  std::size_t silent = 200;
  std::size_t fatal = 400;
  /// A call in so many has notifications before its answer.
  std::size_t talkative = 4;
  /// A call in so many has a question to the client before its answer.
  std::size_t curious = 10;
  /// A call in so many is answered against the protocol, see `server_actor::misbehave`.
  std::size_t hostile = 100;
};

/// The MCP server of one session or lease, in the place of SERVER and UPSTREAM: answers each call with the token that
/// the call bears and with the session that it serves.
class server_actor final : public actor {
public:
  server_actor(std::shared_ptr<process> at, std::weak_ptr<server_user> user, std::string session,
               const server_habits& habits, model& checks)
      : actor{std::move(at)}, user_{std::move(user)}, session_{std::move(session)}, habits_{habits}, checks_{checks},
        name_{std::to_string(checks.next_server())} {}

  void receive(message what);
  /// Stops the server with its session.
  void stop() { quit(); }

private:
  void handle(const message& what);
  void handle_call(const message& what);
  void handle_answer(const message& what);
  void answer(const message& to, span_of_time after);
  void say(std::string text, span_of_time after);
  void notify(span_of_time after);
  void ask(span_of_time after);
  /// Says something that no server may say, besides the answer.
  void misbehave(const message& what);
  void die();

  std::weak_ptr<server_user> user_;
  std::string session_;
  server_habits habits_;
  model& checks_;
  std::string name_;
  std::uint64_t last_note_ = 0;
  std::uint64_t last_question_ = 0;
  /// Ids of the questions that are not answered, with their tokens.
  std::map<std::string, std::string> questions_;
};

} // namespace troupe::tests::simulation
