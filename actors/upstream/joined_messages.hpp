#pragma once

#include "actors/messages.hpp"

#include <optional>
#include <utility>

namespace troupe::actors {

/// Makes one message to a user of what a server says to it in a row. Whoever adds sends before it tells a user anything
/// else, and at the end of its turn.
class joined_messages {
public:
  template <class Self>
  void add(Self* self, const downstream_actor& to, protocol::message&& what) {
    if (told_ && to_ == to)
      return told_->more.push_back(std::move(what));
    send(self);
    to_ = to;
    told_.emplace(from_server{std::move(what), {}});
  }
  template <class Self>
  void send(Self* self) {
    if (told_)
      self->send(std::exchange(to_, {}), *std::exchange(told_, std::nullopt));
  }

private:
  downstream_actor to_;
  std::optional<from_server> told_;
};

} // namespace troupe::actors
