#include "protocol/post.hpp"

namespace troupe::protocol {

namespace {

/// A batch's answers in one array (2025-03-26, transports, "Sending Messages to the Server" 5).
std::string array_of(const std::vector<std::string>& texts) {
  std::string result = "[";
  for (auto& text : texts)
    result.append(result.size() > 1 ? "," : "").append(text);
  return result += "]";
}

} // namespace

void post::answer(std::string text, effects& out) {
  --unanswered_;
  if (state_ == state::json)
    answers_.push_back(std::move(text));
  else if (state_ == state::stream)
    out.push_back(publish{exchange_, std::move(text)});
  finish(out);
}

void post::skip(std::string text, effects& out) {
  if (state_ == state::json)
    return answer(std::move(text), out);
  --unanswered_;
  finish(out);
}

void post::precede(std::string text, effects& out) {
  become_stream(out);
  out.push_back(publish{exchange_, std::move(text)});
}

void post::tick(time_point now, effects& out) {
  if (now >= deadline())
    become_stream(out);
}

void post::abandon(effects& out) {
  if (state_ == state::stream)
    out.push_back(end_stream{exchange_});
  else if (state_ == state::json)
    out.push_back(reject{exchange_, {500, error_code::internal_error, "Session ended before the request completed"}});
}

void post::become_stream(effects& out) {
  if (state_ != state::json)
    return;
  state_ = state::stream;
  out.push_back(open_stream{exchange_});
  for (auto& text : answers_)
    out.push_back(publish{exchange_, std::move(text)});
  answers_.clear();
}

void post::finish(effects& out) {
  if (unanswered_ != 0)
    return;
  if (state_ == state::stream)
    out.push_back(end_stream{exchange_});
  else if (state_ == state::json)
    out.push_back(reply{exchange_, batch_ ? array_of(answers_) : std::move(answers_.front())});
}

} // namespace troupe::protocol
