#include "protocol/modern_client/face_notes.hpp"

#include "protocol/message/message.hpp"
#include "protocol/message/severity.hpp"

#include <string>
#include <utility>

namespace troupe::protocol {

void face_notes::pass_progress(message note, stateless_effects& out) {
  auto own = own_id(note.reference);
  auto call = own ? calls_.find(*own) : nullptr;
  if (call && call->exchange && !call->token.empty())
    out.push_back(precede_answer{*call->exchange, relayed(std::move(note), {}, call->token).text});
}

void face_notes::pass_log(const message& note, stateless_effects& out) {
  auto call = calls_.only_at_server();
  auto level = read_severity(string_param(note, "level"));
  if (call && call->exchange && call->level && level && *level >= *call->level)
    out.push_back(precede_answer{*call->exchange, note.text});
}

void face_notes::tell_level(stateless_effects& out) {
  if (!start_.has_logging() || start_.is_modern())
    return;
  if (auto news = calls_.news_of_level())
    ours_.ask({face_requests::purpose::log_level}, "logging/setLevel",
              R"({"level":")" + std::string{name_of(*news)} + R"("})", out);
}

} // namespace troupe::protocol
