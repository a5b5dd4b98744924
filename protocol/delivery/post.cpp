#include "protocol/delivery/post.hpp"

namespace troupe::protocol {

namespace {

/// Joins a batch's answers in one array (2025-03-26, transports, "Sending Messages to the Server" 5).
std::string array_of(const std::vector<std::string>& texts) {
  std::string result = "[";
  for (auto& text : texts)
    result.append(result.size() > 1 ? "," : "").append(text);
  return result += "]";
}

std::string id_of(const std::string& answer) {
  auto read = read_message(answer);
  auto one = std::get_if<message>(&read);
  return one ? one->id : std::string{};
}

} // namespace

/// Forgets answered requests of a batch: a restore fails only the unanswered ones.
void post::answer(std::string text, streams& all, time_point now, effects& out) {
  --unanswered_;
  if (batch_)
    std::erase(requests_, id_of(text));
  if (state_ == state::json && !batch_ && unanswered_ == 0) {
    out.emplace_back(reply{exchange_, std::move(text)});
    return;
  }
  if (state_ == state::json)
    answers_.push_back(std::move(text));
  else if (state_ == state::stream)
    all.send(exchange_, std::move(text), true, out);
  finish(all, now, out);
}

void post::skip(const std::string& id, streams& all, time_point now, effects& out) {
  if (state_ == state::json)
    return answer(error_text(id, error_code::request_cancelled, "Request cancelled"), all, now, out);
  --unanswered_;
  std::erase(requests_, id);
  all.answers(exchange_, requests_, out);
  finish(all, now, out);
}

void post::precede(std::string text, bool vital, streams& all, time_point now, effects& out) {
  become_stream(all, now, out);
  all.send(exchange_, std::move(text), vital, out);
}

void post::tick(time_point now, streams& all, effects& out) {
  if (now >= deadline())
    become_stream(all, now, out);
}

void post::keep_role(const streams& all, effects& out) const {
  if (state_ == state::stream)
    all.answers(exchange_, requests_, out);
}

void post::abandon(streams& all, time_point now, effects& out) {
  if (state_ == state::stream)
    all.finish(exchange_, now, out);
  else if (state_ == state::json)
    out.push_back(reject{exchange_, {500, error_code::internal_error, "Session ended before the request completed"}});
}

void post::become_stream(streams& all, time_point now, effects& out) {
  if (state_ != state::json)
    return;
  state_ = state::stream;
  all.answers(exchange_, requests_, out);
  all.open(exchange_, streams::kind::call, now, out);
  for (auto& text : answers_)
    all.send(exchange_, std::move(text), true, out);
  answers_.clear();
}

void post::finish(streams& all, time_point now, effects& out) {
  if (unanswered_ != 0)
    return;
  if (state_ == state::stream)
    all.finish(exchange_, now, out);
  else if (state_ == state::json)
    out.push_back(reply{exchange_, array_of(answers_)});
}

} // namespace troupe::protocol
