#include "protocol/trace/otlp_export.hpp"

#include "protocol/text/json.hpp"
#include "protocol/text/number.hpp"

#include <algorithm>
#include <chrono>
#include <iterator>
#include <numeric>
#include <utility>
#include <variant>

namespace troupe::protocol {

namespace {

using std::chrono::milliseconds;

/// Whether a later retry may succeed.
bool may_pass(int status) { return status == 0 || status == 429 || (status >= 502 && status <= 504); }

std::string why_not_taken(const collector_answer& how) {
  return how.status == 0 ? how.why : "it is answered with HTTP " + std::to_string(how.status);
}

constexpr unsigned sampled_span = 0x01;
constexpr unsigned is_remote_known = 0x100;
constexpr unsigned is_remote = 0x200;

std::string attribute_text(std::string_view name, std::string_view type, std::string_view value) {
  return (R"({"key":)" + quoted(name)).append(R"(,"value":{")").append(type).append("\":").append(quoted(value)) + "}}";
}

std::string attribute_text(const span_attribute& one) {
  if (auto* number = std::get_if<std::int64_t>(&one.value))
    return attribute_text(one.name, "intValue", std::to_string(*number));
  return attribute_text(one.name, "stringValue", std::get<std::string>(one.value));
}

std::string nanoseconds_text(std::chrono::system_clock::time_point at, std::chrono::nanoseconds later = {}) {
  auto since = std::chrono::duration_cast<std::chrono::nanoseconds>(at.time_since_epoch()) + later;
  return '"' + std::to_string(since.count()) + '"';
}

unsigned flags_of(const span& one) { return sampled_span | is_remote_known | (one.is_parent_remote ? is_remote : 0U); }

template <class All, class Text>
std::string texts_of_all(const All& all, Text text_of) {
  std::string result;
  for (auto& one : all)
    result.append(result.empty() ? "" : ",").append(text_of(one));
  return result;
}

} // namespace

bool span_batch::add(std::string span, time_point now) {
  if (queue_.size() >= limits_.queue)
    return false;
  if (queue_.empty())
    due_ = now + limits_.delay;
  queue_.push_back(std::move(span));
  if (queue_.size() >= limits_.batch)
    due_ = std::min(due_, now);
  return true;
}

const std::vector<std::string>* span_batch::due(time_point now) {
  if (!sending_.empty()) {
    if (now < again_at_)
      return nullptr;
    again_at_ = time_point::max();
    return &sending_;
  }
  if (queue_.empty() || now < due_)
    return nullptr;
  const auto end = queue_.begin() + static_cast<std::ptrdiff_t>(std::min(queue_.size(), limits_.batch));
  std::move(queue_.begin(), end, std::back_inserter(sending_));
  queue_.erase(queue_.begin(), end);
  const auto is_next_due = is_finished_ || queue_.size() >= limits_.batch;
  due_ = queue_.empty() ? time_point::max() : is_next_due ? now : now + limits_.delay;
  give_up_at_ = now + limits_.patience;
  pause_.reset();
  return &sending_;
}

batch_end span_batch::answered(const collector_answer& how, time_point now) {
  if (how.status >= 200 && how.status < 300) {
    const auto dropped = static_cast<std::size_t>(std::min<std::uint64_t>(how.rejected, sending_.size()));
    batch_end result{sending_.size() - dropped, dropped};
    if (std::exchange(has_failed_, false))
      result.note = log_note{log_note::weight::info, "spans are exported again", {}};
    return end_with(std::move(result));
  }
  if (auto pause = pause_before_next(how, now)) {
    again_at_ = now + *pause;
    return {};
  }
  return give_up(how);
}

/// Returns the pause before the next attempt; nullopt if there is none.
std::optional<milliseconds> span_batch::pause_before_next(const collector_answer& how, time_point now) {
  if (is_finished_ || !may_pass(how.status))
    return std::nullopt;
  const auto longest = pause_.next();
  milliseconds pause{std::uniform_int_distribution<milliseconds::rep>{longest.count() / 2, longest.count()}(dice_)};
  if (how.retry_after)
    pause = std::max<milliseconds>(pause, *how.retry_after);
  return now + pause < give_up_at_ ? std::optional{pause} : std::nullopt;
}

/// Drops the batch. Only the first failure before the next success is logged: an outage of a night fills no log.
batch_end span_batch::give_up(const collector_answer& how) {
  batch_end result{0, sending_.size()};
  if (!std::exchange(has_failed_, true))
    result.note = log_note{
        log_note::weight::warning, "spans could not be exported; they are dropped", {{"why", why_not_taken(how)}}};
  return end_with(std::move(result));
}

batch_end span_batch::end_with(batch_end how) {
  sending_.clear();
  again_at_ = time_point::max();
  return how;
}

void span_batch::finish(time_point now) {
  is_finished_ = true;
  due_ = queue_.empty() ? time_point::max() : now;
  if (again_at_ != time_point::max())
    again_at_ = now;
}

time_point span_batch::deadline() const { return sending_.empty() ? due_ : again_at_; }

std::string otlp_text(const span& one) {
  auto result = R"({"traceId":")" + trace_id_text(one.at) + R"(","spanId":")" + span_id_text(one.at.span) + '"';
  if (one.parent != 0)
    result += R"(,"parentSpanId":")" + span_id_text(one.parent) + '"';
  if (!one.at.state.empty())
    result += R"(,"traceState":)" + quoted(one.at.state);
  result += R"(,"flags":)" + std::to_string(flags_of(one)) + R"(,"name":)" + quoted(one.name);
  result += R"(,"kind":)" + std::to_string(static_cast<int>(one.is));
  result += R"(,"startTimeUnixNano":)" + nanoseconds_text(one.began);
  result += R"(,"endTimeUnixNano":)" + nanoseconds_text(one.began, one.took);
  result += R"(,"attributes":[)" +
            texts_of_all(one.attributes, [](const span_attribute& each) { return attribute_text(each); }) + ']';
  return result + (one.error.empty() ? R"(,"status":{}})" : R"(,"status":{"code":2}})");
}

std::string otlp_head(const std::vector<std::pair<std::string, std::string>>& resource, std::string_view version) {
  auto attributes =
      texts_of_all(resource, [](auto& each) { return attribute_text(each.first, "stringValue", each.second); });
  return R"({"resourceSpans":[{"resource":{"attributes":[)" + attributes +
         R"(]},"scopeSpans":[{"scope":{"name":"troupe","version":)" + quoted(version) + R"(},"spans":[)";
}

std::string otlp_request(std::string_view head, const std::vector<std::string>& spans) {
  std::string result{head};
  result.reserve(std::accumulate(spans.begin(), spans.end(), head.size() + 16,
                                 [](std::size_t size, auto& one) { return size + one.size() + 1; }));
  for (auto& one : spans)
    result.append(&one == &spans.front() ? "" : ",").append(one);
  return result += "]}]}]}";
}

std::uint64_t otlp_rejected(std::string_view answer) {
  if (json_error(answer) || !trimmed(answer).starts_with('{'))
    return 0;
  auto token = find_member(answer, {"partialSuccess", "rejectedSpans"});
  return token ? unsigned_number(string_value(*token).value_or(std::string{*token})).value_or(0) : 0;
}

} // namespace troupe::protocol
