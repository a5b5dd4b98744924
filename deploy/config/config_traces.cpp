#include "deploy/config/config_traces.hpp"

#include "actors/gateway/option_table.hpp"
#include "deploy/config/config_keys.hpp"
#include "deploy/config/config_variables.hpp"
#include "deploy/config/option_reader.hpp"
#include "protocol/options/server_rules.hpp"
#include "protocol/text/number.hpp"
#include "protocol/text/url.hpp"
#include "protocol/text/words.hpp"

#include <algorithm>
#include <charconv>
#include <chrono>
#include <iterator>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

namespace troupe::deploy {

namespace {

using std::chrono::milliseconds;

struct known_sampler {
  std::string_view name;
  bool follows_parent;
  /// Ratio that the name implies; empty if the ratio is a separate option.
  std::optional<double> ratio;
};

constexpr known_sampler samplers[] = {
    {"always_on", false, 1.0},
    {"always_off", false, 0.0},
    {"traceidratio", false, std::nullopt},
    {"parentbased_always_on", true, 1.0},
    {"parentbased_always_off", true, 0.0},
    {"parentbased_traceidratio", true, std::nullopt},
};

/// Reads the variables one by one.
class trace_environment_reader {
public:
  explicit trace_environment_reader(const environment_lookup& environment) : environment_(environment) {}

  trace_environment read() {
    read_switches();
    read_endpoint();
    read_protocol();
    read_headers();
    read_rest_of_exporter();
    read_sampler();
    read_resource();
    read_batch();
    return std::move(result_);
  }

private:
  // -- variables
  /// Returns a variable. An empty variable counts as not set.
  std::optional<std::string> value(const std::string& name) const {
    auto found = environment_(name);
    return found && !found->empty() ? found : std::nullopt;
  }
  /// Returns a variable of the exporter. The variable for traces takes precedence over that for all signals.
  std::optional<std::pair<std::string, std::string>> of_exporter(const std::string& what) const {
    for (auto& name : {"OTEL_EXPORTER_OTLP_TRACES_" + what, "OTEL_EXPORTER_OTLP_" + what})
      if (auto found = value(name))
        return std::pair{name, std::move(*found)};
    return std::nullopt;
  }
  void add_problem(const std::string& name, const std::string& why) { result_.problems.push_back(name + ' ' + why); }
  /// Parses a list `key1=value1,key2=value2` with percent-encoded values (W3C Baggage).
  template <class Add>
  void read_list(const std::string& name, std::string_view list, Add add) {
    for (const auto one : protocol::words_in(list, ",")) {
      const auto middle = std::min(one.find('='), one.size());
      const auto key = protocol::without_blanks(one.substr(0, middle));
      const auto written = protocol::without_blanks(one.substr(std::min(middle + 1, one.size())));
      auto text = protocol::percent_decoded(written);
      if (middle == one.size() || key.empty() || !text || !add(std::string(key), std::move(*text)))
        add_problem(name, "has an entry that is no KEY=VALUE");
    }
  }
  void read_count(const std::string& name, std::size_t& to) {
    const auto text = value(name);
    const auto number = text ? protocol::read_number(protocol::without_blanks(*text)) : std::nullopt;
    if (text && (!number || !actors::option_table::span_bounds.contain(*number)))
      add_problem(name, "must be a number from 1 to " + std::to_string(actors::option_table::span_bounds.most));
    else if (number)
      to = static_cast<std::size_t>(*number);
  }
  void read_time(const std::string& name, milliseconds& to) {
    auto count = static_cast<std::size_t>(to.count());
    read_count(name, count);
    to = milliseconds(count);
  }

  // -- values
  void read_switches() {
    const auto disabled = value("OTEL_SDK_DISABLED");
    const auto exporter = value("OTEL_TRACES_EXPORTER").value_or("otlp");
    if (exporter != "otlp" && exporter != "none")
      add_problem("OTEL_TRACES_EXPORTER", "names an exporter that is not there: spans go to no other than otlp");
    result_.is_off = (disabled && protocol::same_word(*disabled, "true")) || exporter != "otlp";
  }
  void read_endpoint() {
    auto name = "OTEL_EXPORTER_OTLP_TRACES_ENDPOINT";
    auto url = value(name);
    if (auto base = url ? std::nullopt : value(name = "OTEL_EXPORTER_OTLP_ENDPOINT"))
      url = (base->ends_with('/') ? base->substr(0, base->size() - 1) : *base) + "/v1/traces";
    std::string why_not;
    if (url && !protocol::parse_http_url(*url, why_not))
      add_problem(name, "must be a URL of http or https: " + why_not);
    else if (url)
      result_.options.endpoint = std::move(*url);
  }
  /// Accepts `http/protobuf` with a warning: collectors that accept one encoding over HTTP accept the other.
  void read_protocol() {
    const auto found = of_exporter("PROTOCOL");
    if (!found || found->second == "http/json")
      return;
    const auto is_http = found->second == "http/protobuf";
    add_problem(found->first,
                is_http ? "is http/protobuf: spans are sent as http/json" : "must be http/json: nothing is traced");
    result_.is_off = result_.is_off || !is_http;
  }
  void read_headers() {
    const auto found = of_exporter("HEADERS");
    if (!found)
      return;
    read_list(found->first, found->second, [this](std::string key, std::string text) {
      const auto is_good =
          protocol::is_header_name(key) && !protocol::is_own_header(key) && protocol::is_header_value(text);
      if (is_good)
        result_.options.headers.emplace_back(std::move(key), std::move(text));
      return is_good;
    });
  }
  void read_rest_of_exporter() {
    for (auto& name : {"OTEL_EXPORTER_OTLP_TIMEOUT", "OTEL_EXPORTER_OTLP_TRACES_TIMEOUT"})
      read_time(name, result_.options.timeout);
    if (auto found = of_exporter("CERTIFICATE"))
      result_.options.ca_file = std::move(found->second);
    if (auto found = of_exporter("COMPRESSION"); found && found->second != "none")
      add_problem(found->first, "must be none: spans are sent as they are");
  }
  void read_sampler() {
    const auto name = value("OTEL_TRACES_SAMPLER");
    if (name && !choose_sampler(*name, result_.options))
      add_problem("OTEL_TRACES_SAMPLER", "names a sampler that is not there");
    const auto text = name && takes_ratio(*name) ? value("OTEL_TRACES_SAMPLER_ARG") : std::nullopt;
    const auto ratio = text ? read_ratio(*text) : std::nullopt;
    if (text && !ratio)
      add_problem("OTEL_TRACES_SAMPLER_ARG", "must be a number from 0 to 1");
    result_.options.ratio = ratio.value_or(result_.options.ratio);
  }
  void read_resource() {
    auto& to = result_.options.resource;
    const auto name = "OTEL_RESOURCE_ATTRIBUTES";
    read_list(name, value(name).value_or(""), [&](std::string key, std::string text) {
      to.emplace_back(std::move(key), std::move(text));
      return true;
    });
    if (auto service = value("OTEL_SERVICE_NAME")) {
      std::erase_if(to, [](auto& one) { return one.first == "service.name"; });
      to.emplace_back("service.name", std::move(*service));
    }
  }
  void read_batch() {
    auto& to = result_.options;
    read_count("OTEL_BSP_MAX_QUEUE_SIZE", to.queue);
    read_count("OTEL_BSP_MAX_EXPORT_BATCH_SIZE", to.batch);
    read_time("OTEL_BSP_SCHEDULE_DELAY", to.delay);
    read_time("OTEL_BSP_EXPORT_TIMEOUT", to.patience);
    to.batch = std::min(to.batch, to.queue);
  }

  const environment_lookup& environment_;
  trace_environment result_;
};

/// Reads the section member by member.
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
    return read_option_text(value, protocol::text_form::expanded, variables_);
  }

  /// Applies `ratio`. Without a sampler it applies to traces that begin here.
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
  /// Sampler that the section names; empty if none.
  std::string sampler_;
  std::optional<double> ratio_;
};

const std::vector<config_key<traces_reader>> traces_reader::keys = {
    {"endpoint", &traces_reader::endpoint}, {"headers", &traces_reader::headers},
    {"caFile", &traces_reader::ca_file},    {"sampler", &traces_reader::sampler},
    {"ratio", &traces_reader::ratio},       {"serviceName", &traces_reader::service_name}};

} // namespace

trace_environment read_trace_environment(const environment_lookup& environment) {
  return trace_environment_reader{environment}.read();
}

/// Applies the environment. Options from a file already include those of the environment.
void apply_trace_environment(std::optional<trace_options>& to, const environment_lookup& environment,
                             const log_sink& log) {
  auto read = read_trace_environment(environment);
  const auto is_wanted = to || !read.options.endpoint.empty();
  if (is_wanted)
    for (const auto& problem : read.problems)
      log({log_level::warning, "a variable of the environment is ignored", {{"reason", problem}}});
  if (read.is_off)
    to.reset();
  else if (!to && is_wanted)
    to = std::move(read.options);
}

bool choose_sampler(std::string_view name, trace_options& to) {
  const auto* const found = std::ranges::find(samplers, name, &known_sampler::name);
  if (found == std::end(samplers))
    return false;
  to.follow_parent = found->follows_parent;
  to.ratio = found->ratio.value_or(1);
  return true;
}

bool takes_ratio(std::string_view name) {
  const auto* const found = std::ranges::find(samplers, name, &known_sampler::name);
  return found != std::end(samplers) && !found->ratio;
}

std::vector<std::string_view> sampler_names() {
  std::vector<std::string_view> result;
  std::ranges::transform(samplers, std::back_inserter(result), &known_sampler::name);
  return result;
}

std::optional<double> read_ratio(std::string_view text) {
  double ratio = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), ratio);
  const auto is_whole = error == std::errc() && end == text.data() + text.size();
  return is_whole && ratio >= 0 && ratio <= 1 ? std::optional(ratio) : std::nullopt;
}

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
