#pragma once

#include "tests/simulation/actor.hpp"

#include "protocol/delivery/delivery.hpp"
#include "protocol/message/message.hpp"
#include "protocol/rejection.hpp"

#include <cstddef>
#include <deque>
#include <functional>
#include <memory>
#include <string>
#include <utility>
#include <vector>

namespace troupe::tests::simulation {

/// Part of an answer, as a session or router gives it to a broker, and as it travels between nodes.
struct answer {
  enum class kind { reply, accepted, ended, rejected, begin, event, end, lost };
  kind is = kind::reply;
  std::string text = {};
  std::string session = {};
  rejection why = {};
};

/// Stands for BROKER: an exchange that an actor can answer. It ends with its last answer, or when the client is gone;
/// actors that watch it learn of the latter.
class broker : public actor {
public:
  using actor::actor;
  ~broker() override;

  void tell(answer what) {
    post([this, what = std::move(what)]() mutable { handle(what); });
  }
  /// A session or router holds the request from now on, or passes it on.
  virtual void held(bool) {}
  /// Calls `then` on an actor when this broker has ended, or at once.
  void watch(std::weak_ptr<actor> who, std::function<void()> then);
  void unwatch(const actor* who);

protected:
  virtual void handle(answer& what) = 0;
  void ended() override;

private:
  std::vector<std::pair<std::weak_ptr<actor>, std::function<void()>>> watchers_;
};

/// Request of a client, on its way from the broker to the session: `client_post`, `client_listen`, `client_delete` and
/// `relay_request` of the product.
struct request {
  enum class kind { post, listen, end };
  kind is = kind::post;
  /// Identity of the caller.
  std::string owner = {};
  std::string session = {};
  post_body body = {};
  std::string last = {};
  std::shared_ptr<broker> from = {};
  request_source came = request_source::client;
  /// `stateless` for a client without a session: `session` names the lease of a retry then.
  transport via = transport::streamable_http;
  /// Key of its lease, at the node of its client only.
  std::string key = {};

  bool listens() const {
    return is == kind::listen ||
           (via == transport::stateless && body.messages.front().is_method("subscriptions/listen"));
  }
};

/// Part of an answer, as a client receives it on a connection.
struct received {
  enum class kind { answer, begin, events, end, broken };
  kind is = kind::broken;
  int status = 0;
  std::string text = {};
  std::string session = {};
  /// Time after which a client may repeat the request.
  span_of_time pause = {};
};

/// Connection of a client to a node, with one exchange. Bytes of one direction stay in order. Keeps what a client does
/// not read, up to limits, as `net/server/answer_writer.hpp`.
class connection : public std::enable_shared_from_this<connection> {
public:
  /// Most bytes that wait for a client, above which the node closes the connection: few, so that runs see it.
  static constexpr std::size_t most_unread = std::size_t{8} * 1024;
  /// Time in which a client must have read what waits.
  static constexpr span_of_time read_time = 5s;

  connection(scheduler& time, std::function<void(received&)> client) : time_{time}, client_{std::move(client)} {}

  // -- the client's end
  /// Closes the connection: the client receives nothing more.
  void hang_up();
  void stop_reading() { reads_ = false; }
  /// Takes what waits. A connection that the node has closed meanwhile is broken.
  void read_on();
  std::size_t unread() const { return unread_bytes_; }

  // -- the node's end
  /// Attaches the broker, which ends when the client hangs up.
  void attach(const std::shared_ptr<broker>& one, std::function<void()> closed);
  void send(received what);
  /// The process of the node is gone, or refuses connections.
  void break_off() { send({}); }
  /// See `planted::unread_kept`.
  void keep_all() { keeps_all_ = true; }
  bool is_over() const { return is_over_; }

private:
  void deliver(received& what);
  void take(received& what);
  void keep(received what);
  void limit_time();
  void drop();
  void tell_closed();

  scheduler& time_;
  std::function<void(received&)> client_;
  std::weak_ptr<broker> broker_;
  std::function<void()> closed_;
  time_point last_arrival_ = {};
  bool reads_ = true;
  bool keeps_all_ = false;
  /// The node has closed the connection, because its client does not read.
  bool is_dropped_ = false;
  std::deque<received> unread_;
  std::size_t unread_bytes_ = 0;
  /// Set once the client has hung up, or the last part of the answer has arrived.
  bool is_over_ = false;
};

/// The broker of a client's connection at its own node.
class client_broker final : public broker {
public:
  client_broker(std::shared_ptr<process> at, std::shared_ptr<connection> to, bool begins)
      : broker{std::move(at)}, to_{std::move(to)}, begins_{begins} {}
  /// Answers in the place of all who could, see `request_intake::expect` of the product.
  ~client_broker() override;
  /// The client has hung up.
  void closed() { quit(); }

private:
  void handle(answer& what) override;
  void finish(received what);

  std::shared_ptr<connection> to_;
  bool begins_;
  bool streams_ = false;
};

} // namespace troupe::tests::simulation
