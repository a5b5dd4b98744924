#include "protocol/modern_client/face_requests.hpp"

#include <utility>

namespace troupe::protocol {

void face_requests::ask_for(const message& request) {
  asker_ = request.asker;
  trace_ = request.trace;
}

void face_requests::ask(asked what, std::string_view method, std::string_view params, stateless_effects& out) {
  auto id = quoted("face-" + std::to_string(++last_));
  std::string text = R"({"jsonrpc":"2.0","id":)" + id + R"(,"method":)" + quoted(method) + R"(,"params":)";
  (text += params) += "}";
  auto one = own_message(std::move(text));
  one.asker = asker_;
  one.trace = trace_;
  one.claims_modern = what.is == purpose::initialize;
  under_way_.emplace(std::move(id), what);
  out.push_back(ask_server{std::move(one)});
}

std::optional<face_requests::asked> face_requests::take(const message& answer) {
  auto node = under_way_.extract(answer.id);
  return node ? std::optional{node.mapped()} : std::nullopt;
}

} // namespace troupe::protocol
