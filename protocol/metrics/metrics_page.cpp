#include "protocol/metrics/metrics_page.hpp"

#include <prometheus/metric_family.h>
#include <prometheus/text_serializer.h>

#include <limits>

namespace troupe::protocol {

namespace {

prometheus::MetricType type_of(metric_kind is) {
  switch (is) {
  case metric_kind::counter:
    return prometheus::MetricType::Counter;
  case metric_kind::gauge:
    return prometheus::MetricType::Gauge;
  default:
    return prometheus::MetricType::Histogram;
  }
}

std::vector<prometheus::ClientMetric::Label> labels_of(const metric_family& family,
                                                       const std::vector<std::string>& values) {
  std::vector<prometheus::ClientMetric::Label> result;
  for (std::size_t i = 0; i < values.size(); ++i)
    if (!values[i].empty()) // to Prometheus, a label without a value is none
      result.push_back({std::string{family.labels[i]}, values[i]});
  return result;
}

template <class Total>
prometheus::ClientMetric::Histogram histogram_of(const Total& from) {
  prometheus::ClientMetric::Histogram result;
  for (std::size_t i = 0; i < from.buckets.size(); ++i) {
    result.sample_count += from.buckets[i];
    const auto bound = i < duration_bounds.size() ? duration_bounds[i] : std::numeric_limits<double>::infinity();
    result.bucket.push_back({result.sample_count, bound});
  }
  result.sample_sum = std::chrono::duration<double>{from.sum}.count();
  return result;
}

template <class Total>
prometheus::ClientMetric metric_of(const metric_family& family, const std::vector<std::string>& labels,
                                   const Total& from) {
  prometheus::ClientMetric result;
  result.label = labels_of(family, labels);
  if (family.kind == metric_kind::histogram)
    result.histogram = histogram_of(from);
  else if (family.kind == metric_kind::counter)
    result.counter.value = from.number;
  else
    result.gauge.value = from.number;
  return result;
}

} // namespace

void metrics_page::add(const thread_metrics& of) {
  for (auto* one = of.latest(); one; one = one->before) {
    auto& to = totals_[{one->is, one->labels}];
    to.number += static_cast<double>(one->number.value());
    if (!one->durations)
      continue;
    to.sum += one->durations->sum();
    for (std::size_t i = 0; i < to.buckets.size(); ++i)
      to.buckets[i] += static_cast<std::uint64_t>(one->durations->buckets()[i].value());
  }
}

void metrics_page::add(metric which, thread_metrics::label_values labels, double value) {
  totals_[{which, std::vector<std::string>(labels.begin(), labels.end())}].number += value;
}

std::string metrics_page::text() const {
  std::vector<prometheus::MetricFamily> families;
  for (auto& [key, total] : totals_) {
    auto& family = family_of(key.first);
    if (families.empty() || families.back().name != family.name)
      families.push_back({std::string{family.name}, std::string{family.help}, type_of(family.kind), {}});
    families.back().metric.push_back(metric_of(family, key.second, total));
  }
  return prometheus::TextSerializer{}.Serialize(families);
}

} // namespace troupe::protocol
