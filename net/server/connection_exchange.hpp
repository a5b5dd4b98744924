#pragma once

#include "net/server/connection.hpp"
#include "net/server/exchange.hpp"

#include <cstdint>
#include <functional>
#include <memory>
#include <utility>

namespace troupe::net {

/// Exchange of a connection: gives access to the connection as long as this is its current exchange.
class connection_exchange final : public exchange {
public:
  explicit connection_exchange(std::shared_ptr<connection> on) : on_{std::move(on)}, number_{on_->current().number()} {}
  ~connection_exchange() override {
    tell_closed_.reset();
    auto& thread = on_->thread();
    if (!answered_ || !thread.is_current())
      thread.post([on = std::move(on_), number = number_] { on->release(number); });
  }

  protocol::http_request& request() override { return on_->request(); }
  void on_closed(std::function<void()> tell) override {
    tell_closed_ = std::make_shared<std::function<void()>>(std::move(tell));
    if (!answered_)
      on_->current().on_closed(number_, tell_closed_, on_->thread());
  }
  void on_abandoned(protocol::http_response (*make)()) override {
    if (current())
      on_->current().on_abandoned(make);
  }
  void belongs_to(std::size_t thread) override {
    if (current())
      on_->prefer_thread(thread);
  }
  void respond(protocol::http_response answer) override {
    answered_ = true;
    if (current())
      on_->respond(std::move(answer));
  }
  void begin_events(const protocol::http_response& head) override {
    if (current())
      on_->begin_events(head);
  }
  void write(std::string events) override {
    if (current() && !events.empty())
      on_->write_events(std::move(events));
  }
  void end() override {
    answered_ = true;
    if (current())
      on_->end_events();
  }

private:
  bool current() const { return on_->current().number() == number_; }

  std::shared_ptr<connection> on_;
  std::uint64_t number_;
  std::shared_ptr<std::function<void()>> tell_closed_;
  bool answered_ = false;
};

} // namespace troupe::net
