#include "deploy/config/config_traces.hpp"

#include "deploy/config/config_keys.hpp"
#include "deploy/config/config_path.hpp"
#include "deploy/config/config_rules.hpp"
#include "deploy/config/trace_environment.hpp"
#include "protocol/text/url.hpp"

#include <algorithm>
#include <optional>
#include <string>
#include <utility>

namespace troupe::deploy {

namespace {

/// The section, member by member.
class traces_reader {
public:
  explicit traces_reader(config_variables& variables)
      : variables_(variables), result_(read_trace_environment(variables.lookup()).options) {}

  trace_options read(const config_value& section) {
    for (const auto& member : section.members())
      if (!read_by(keys, *this, member))
        warn_of_unknown(member, traces_keys());
    if (ratio_)
      choose_ratio(section);
    if (section.is_object() && result_.endpoint.empty() && !has_bad_endpoint_)
      section.error("has no `endpoint`, and OTEL_EXPORTER_OTLP_ENDPOINT names none");
    return std::move(result_);
  }

  static const std::vector<config_key<traces_reader>> keys;

private:
  std::optional<std::string> text(const config_value& value) {
    const auto written = value.filled_text();
    return written ? variables_.expanded(*written, value) : written;
  }

  /// Alone it is of traces that begin here.
  void choose_ratio(const config_value& section) {
    if (!sampler_.empty() && !takes_ratio(sampler_))
      return section.error("has a `ratio`, which the sampler " + sampler_ + " does not take");
    if (sampler_.empty())
      result_.follow_parent = true;
    result_.ratio = *ratio_;
  }

  // -- keys
  void endpoint(const config_value& value) {
    auto url = text(value);
    std::string why_not;
    has_bad_endpoint_ = !url || !protocol::parse_http_url(*url, why_not);
    if (url && has_bad_endpoint_)
      value.error("must be a URL of http or https: " + why_not);
    else if (url)
      result_.endpoint = std::move(*url);
  }
  void headers(const config_value& value) {
    result_.headers.clear();
    for (const auto& [name, value_of] : value.members()) {
      const auto written = value_of.text();
      auto read = written ? variables_.expanded(*written, value_of) : std::nullopt;
      if (!is_header_name(name))
        value_of.error("is no name of a header");
      else if (is_own_header(name))
        value_of.error("is a header that the gateway sets itself");
      else if (read && !is_header_value(*read))
        value_of.error("must not contain line breaks or other control characters");
      else if (read)
        result_.headers.emplace_back(name, std::move(*read));
    }
  }
  void ca_file(const config_value& value) {
    if (auto path = readable_path(value, variables_))
      result_.ca_file = std::move(*path);
  }
  void sampler(const config_value& value) {
    choices<std::string> names;
    for (const auto name : sampler_names())
      names.emplace_back(name, name);
    if (auto name = value.choice(names)) {
      choose_sampler(*name, result_);
      sampler_ = std::move(*name);
    }
  }
  void ratio(const config_value& value) {
    ratio_ = value.is_number() ? read_ratio(value.token()) : std::nullopt;
    if (!ratio_)
      value.error("must be a number from 0 to 1");
  }
  void service_name(const config_value& value) {
    auto name = text(value);
    if (!name)
      return;
    std::erase_if(result_.resource, [](auto& one) { return one.first == "service.name"; });
    result_.resource.emplace_back("service.name", std::move(*name));
  }

  config_variables& variables_;
  trace_options result_;
  bool has_bad_endpoint_ = false;
  /// As far as the section names them.
  std::string sampler_;
  std::optional<double> ratio_;
};

const std::vector<config_key<traces_reader>> traces_reader::keys = {
    {"endpoint", &traces_reader::endpoint}, {"headers", &traces_reader::headers},
    {"caFile", &traces_reader::ca_file},    {"sampler", &traces_reader::sampler},
    {"ratio", &traces_reader::ratio},       {"serviceName", &traces_reader::service_name}};

} // namespace

trace_options read_traces(const config_value& section, config_variables& variables) {
  return traces_reader{variables}.read(section);
}

std::vector<std::string_view> traces_keys() {
  std::vector<std::string_view> result;
  for (const auto& one : traces_reader::keys)
    result.push_back(one.name);
  return result;
}

} // namespace troupe::deploy
