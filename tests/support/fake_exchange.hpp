#pragma once

#include "net/server/exchange.hpp"
#include "protocol/text/sse.hpp"

#include <algorithm>
#include <map>
#include <optional>
#include <string>
#include <vector>

namespace troupe::tests {

using lines = std::vector<std::string>;

/// An exchange without a connection. Answers are written to a journal, one line each.
class fake_exchange : public net::exchange {
public:
  /// The text of a request, to which the views of `http_request` point.
  struct request_text {
    std::string method;
    std::string target;
    std::vector<std::pair<std::string, std::string>> fields;
    std::string body;
    /// The client's address.
    std::string peer = "127.0.0.1";
    /// The name in the client's certificate, and the end of its validity.
    std::string certificate = {};
    std::optional<protocol::calendar_time> certificate_until = {};
  };
  using closers = std::map<std::string, std::function<void()>>;

  fake_exchange(std::string name, request_text request, lines& journal, closers& hang_up)
      : name_{std::move(name)}, text_{std::move(request)}, journal_{journal}, hang_up_{hang_up} {
    request_.method = text_.method;
    request_.target = text_.target;
    for (auto& [name, value] : text_.fields)
      request_.fields.push_back({name, value});
    request_.body = text_.body;
    request_.is_local = text_.peer == "127.0.0.1";
    request_.peer = text_.peer;
    request_.certificate = text_.certificate;
    request_.certificate_until = text_.certificate_until;
  }
  ~fake_exchange() override {
    hang_up_.erase(name_);
    if (state_ == state::open && abandoned_)
      respond(abandoned_());
    else if (state_ != state::done)
      journal_.push_back(name_ + " dropped");
  }

  protocol::http_request& request() override { return request_; }
  void on_closed(std::function<void()> tell) override {
    hang_up_[name_] = [this, tell = std::move(tell)] {
      state_ = state::done;
      journal_.push_back(name_ + " hung up");
      tell();
    };
  }
  void belongs_to(std::size_t thread) override { journal_.push_back(name_ + " belongs to " + std::to_string(thread)); }
  void on_abandoned(protocol::http_response (*make)()) override { abandoned_ = make; }
  void respond(protocol::http_response answer) override {
    if (state_ != state::open)
      return;
    auto line = name_ + " " + std::to_string(answer.status);
    for (auto& [name, value] : answer.fields)
      if (name == "Mcp-Session-Id")
        line += " opens " + value;
    journal_.push_back(answer.body.empty() ? line : line + " " + answer.body);
    state_ = state::done;
    forget_request();
  }
  void begin_events(const protocol::http_response&) override {
    if (state_ != state::open)
      return;
    journal_.push_back(name_ + " streams");
    state_ = state::streaming;
    forget_request();
  }
  void write(std::string events) override {
    if (state_ != state::streaming)
      return;
    for (std::size_t at = 0, end = 0; at < events.size(); at = end) {
      end = events.find("\n\n", at) + 2;
      if (auto event = events.substr(at, end - at);
          event != protocol::comment("open")) // the comment at the beginning of each stream
        journal_.push_back(name_ + " " + shown(event));
    }
  }
  void end() override {
    if (state_ == state::streaming)
      journal_.push_back(name_ + " ends");
    state_ = state::done;
  }

private:
  enum class state { open, streaming, done };

  /// Clears the request like a connection, so that later uses read garbage.
  void forget_request() {
    for (auto* text : {&text_.method, &text_.target, &text_.peer, &text_.body})
      std::ranges::fill(*text, '#');
    request_.fields.clear();
    request_.body.clear();
  }

  /// `< text` for a message, `@ id` for an event that has only a position, otherwise its first line.
  static std::string shown(const std::string& events) {
    auto line = [&](std::string_view field) {
      auto at = events.find(field) + field.size();
      return events.substr(at, events.find('\n', at) - at);
    };
    if (events.starts_with("event: message"))
      return "< " + line("\ndata: ");
    if (events.starts_with("id: "))
      return "@ " + line("id: ");
    return events.substr(0, events.find('\n'));
  }

  std::string name_;
  request_text text_;
  lines& journal_;
  closers& hang_up_;
  protocol::http_request request_;
  protocol::http_response (*abandoned_)() = nullptr;
  state state_ = state::open;
};

} // namespace troupe::tests
