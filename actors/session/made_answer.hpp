#pragma once

#include "actors/messages.hpp"

#include <string>
#include <utility>
#include <variant>

namespace troupe::actors {

/// A JSON text, or why there is none.
using made_answer = std::variant<std::string, protocol::rejection>;

/// Tells a broker.
template <class Self>
void answer_with(Self* self, const broker_actor& to, made_answer made) {
  if (auto* text = std::get_if<std::string>(&made))
    self->send(to, http_reply{std::move(*text), {}});
  else
    self->send(to, http_rejected{std::get<protocol::rejection>(std::move(made))});
}

} // namespace troupe::actors
