#include "actors/troupe/call.hpp"

#include "actors/hosted/call_state.hpp"

#include <cmath>
#include <future>
#include <utility>

namespace troupe {

namespace {

/// Writes whole numbers without a fraction.
json::value json_number(double value) {
  if (std::trunc(value) == value && std::abs(value) < 1e15)
    return static_cast<std::int64_t>(value);
  return value;
}

} // namespace

const std::string& call::name() const { return state_->what().name; }

const json::object& call::arguments() const { return state_->what().arguments; }

bool call::answer(troupe::answer with) const { return state_->answer(std::move(with)); }

bool call::answer_result(const json::object& result) const { return state_->finish(result); }

bool call::fail(std::string_view why) const { return state_->fail(why); }

bool call::refuse(int code, std::string_view why) const { return state_->finish(code, why); }

void call::progress(double done, double total, std::string_view message) const {
  auto& token = state_->what().token;
  if (token.empty() || !std::isfinite(done))
    return;
  json::object params{{"progress", json_number(done)}};
  if (total != 0 && std::isfinite(total))
    params["total"] = json_number(total);
  if (!message.empty())
    params["message"] = message;
  state_->notify("notifications/progress", R"({"progressToken":)" + token + "," + json::serialize(params).substr(1));
}

void call::log(std::string_view level, const json::value& what, std::string_view logger) const {
  json::object params{{"level", level}, {"data", what}};
  if (!logger.empty())
    params["logger"] = logger;
  state_->notify("notifications/message", json::serialize(params));
}

bool call::cancelled() const { return state_->cancelled(); }

void call::on_cancel(const callback<>& then) const { state_->on_cancel(then); }

void call::elicit(std::string_view message, const json::object& schema, const continuation& then) const {
  ask("elicitation/create", {{"message", message}, {"requestedSchema", schema}}, then);
}

void call::ask(std::string_view method, const json::object& params, const continuation& then) const {
  state_->ask(method, params, then, false);
}

client_reply call::ask(std::string_view method, const json::object& params) const {
  auto reply = std::make_shared<std::promise<client_reply>>();
  auto result = reply->get_future();
  state_->ask(
      method, params, [reply](const client_reply& said) { reply->set_value(said); }, true);
  return result.get();
}

} // namespace troupe
