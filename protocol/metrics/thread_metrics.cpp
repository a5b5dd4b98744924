#include "protocol/metrics/thread_metrics.hpp"

#include <algorithm>

namespace troupe::protocol {

thread_metrics::~thread_metrics() = default;

/// Usually finds the series of the last call.
thread_metrics::series& thread_metrics::find(metric which, label_values labels) {
  auto& last = last_found_[static_cast<std::size_t>(which)];
  if (!last || !std::ranges::equal(last->labels, labels))
    last = &look_up(which, {labels.begin(), labels.size()});
  return *last;
}

thread_metrics::series& thread_metrics::look_up(metric which, std::span<const std::string_view> labels) {
  key_.assign(1, static_cast<char>(which));
  for (auto label : labels)
    key_.append(label).push_back('\0');
  if (auto known = all_.find(key_); known != all_.end())
    return *known->second;
  if (all_.size() < most_series)
    return add(which, labels);
  std::array<std::string_view, 5> others;
  std::ranges::transform(labels, others.begin(), [](auto label) { return label.empty() ? label : other_label; });
  const std::span<const std::string_view> all_others{others.data(), labels.size()};
  return std::ranges::equal(labels, all_others) ? add(which, labels) : look_up(which, all_others);
}

/// Adds the series of `key_`.
thread_metrics::series& thread_metrics::add(metric which, std::span<const std::string_view> labels) {
  auto& family = family_of(which);
  assert(labels.size() == family.label_count());
  auto made = std::make_unique<series>();
  made->is = which;
  made->labels.assign(labels.begin(), labels.end());
  if (family.kind == metric_kind::histogram)
    made->durations = std::make_unique<duration_histogram>();
  made->before = latest();
  auto& result = *all_.emplace(key_, std::move(made)).first->second;
  latest_.store(&result, std::memory_order_release);
  return result;
}

std::string_view thread_metrics::bounded(std::string_view value, bool is_real) {
  if (auto known = values_.find(value); known != values_.end())
    return known->first;
  if (value.empty())
    return {};
  if (!is_real || values_.size() == most_values)
    return other_label;
  auto own = std::make_unique<const std::string>(value);
  std::string_view key = *own;
  return values_.emplace(key, std::move(own)).first->first;
}

/// Names with a backslash are not found: their escapes are not resolved here.
std::string_view thread_metrics::known_name(std::string_view token) {
  if (token.size() <= 2 || token.front() != '"')
    return {};
  const auto characters = token.substr(1, token.size() - 2);
  if (characters == last_name_)
    return last_name_;
  const auto known = values_.find(characters);
  if (known == values_.end() || characters.find('\\') != characters.npos)
    return {};
  return last_name_ = known->first;
}

} // namespace troupe::protocol
