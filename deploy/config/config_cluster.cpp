#include "deploy/config/config_cluster.hpp"

#include "deploy/config/config_keys.hpp"
#include "deploy/config/config_variables.hpp"
#include "deploy/config/file_text.hpp"
#include "protocol/options/cluster_rules.hpp"

#include <cerrno>
#include <cstring>
#include <filesystem>
#include <iterator>

namespace troupe::deploy {

namespace {

using protocol::cluster_option;

std::string_view name_of(const protocol::cluster_option_names& names, cluster_option option) {
  return names[static_cast<std::size_t>(option)];
}

/// Splits a text at its commas.
std::vector<std::string> parted(std::string_view text) {
  std::vector<std::string> result;
  for (auto comma = text.find(','); comma != text.npos; comma = text.find(',')) {
    result.emplace_back(text.substr(0, comma));
    text.remove_prefix(comma + 1);
  }
  result.emplace_back(text);
  return result;
}

// -- reading -------------------------------------------------------------------

/// Reads the section member by member.
class cluster_reader {
public:
  cluster_reader(config_variables& variables, cluster_options& to) : variables_(variables), to_(to) {}

  cluster_entries read(const config_value& section) {
    entries_.section = section.token();
    for (const auto& member : section.members()) {
      if (member.name == tls)
        read_tls(member.value);
      else
        read(member, known_keys, cluster_section_keys());
    }
    return std::move(entries_);
  }

  static constexpr std::string_view tls = "tls";
  struct key {
    std::string_view name;
    cluster_option option;
    bool (cluster_reader::*read)(const config_value& value); // false if the value is unusable
  };
  static const std::vector<key> known_keys;
  static const std::vector<key> tls_keys;

private:
  void read_tls(const config_value& value) {
    for (const auto& member : value.members())
      read(member, tls_keys, cluster_tls_keys());
  }

  void read(const config_member& member, const std::vector<key>& among, const std::vector<std::string_view>& known) {
    const auto found = std::ranges::find(among, member.name, &key::name);
    if (found == among.end())
      return warn_of_unknown(member, known);
    if (!entries_.values.emplace(found->option, member.value).second)
      member.value.error("is given in two ways: use one of them");
    else if (!(this->*found->read)(member.value))
      entries_.refused.insert(found->option);
  }

  // -- values --------------------------------------------------------------------

  std::optional<std::string> text(const config_value& value) {
    const auto text = value.nonempty_text();
    return text ? variables_.expanded(*text, value) : text;
  }

  static bool put(std::optional<std::string> text, std::string& to) {
    if (text)
      to = std::move(*text);
    return text.has_value();
  }

  bool name(const config_value& value) { return put(text(value), to_.name); }
  bool advertise(const config_value& value) { return put(text(value), to_.advertise); }
  bool store(const config_value& value) { return put(text(value), to_.store); }

  bool listen(const config_value& value) {
    const auto written = text(value);
    const auto place = written ? protocol::read_host_port(*written) : std::nullopt;
    if (written && !place)
      value.error("must be " + std::string(protocol::host_port_form));
    if (place) {
      to_.host = place->host;
      to_.port = place->port;
    }
    return place.has_value();
  }

  /// Reads a text, or an array of texts.
  std::optional<std::vector<std::string>> texts(const config_value& value) {
    const auto written = value.is_text() ? std::vector{value} : value.elements();
    if (written.empty() && !value.token().starts_with('['))
      return std::nullopt;
    std::vector<std::string> result;
    for (const auto& one : written) {
      auto entry = text(one);
      if (!entry)
        return std::nullopt;
      result.push_back(std::move(*entry));
    }
    return result;
  }

  bool join(const config_value& value) {
    const auto all = texts(value);
    to_.join.clear();
    for (const auto& entries : all.value_or(std::vector<std::string>{}))
      std::ranges::move(parted(entries), std::back_inserter(to_.join));
    return all.has_value();
  }

  bool keys(const config_value& value) {
    const auto all = texts(value);
    to_.key.clear();
    for (const auto& one : all.value_or(std::vector<std::string>{}))
      to_.key += (to_.key.empty() ? "" : "\n") + one;
    return all.has_value();
  }

  bool key_file(const config_value& value) {
    const auto file = path_of(value, variables_);
    if (file && !put(file_text(*file, protocol::longest_cluster_keys), to_.key))
      cannot_be_read(value);
    else if (file && to_.key.empty())
      value.error(std::string(protocol::no_cluster_key));
    else if (file)
      to_.key_file = *file;
    return !to_.key_file.empty();
  }

  bool readable(const config_value& value, std::string& to) { return put(readable_path(value, variables_), to); }

  bool certificate(const config_value& value) { return readable(value, to_.certificate); }
  bool private_key(const config_value& value) { return readable(value, to_.private_key); }
  bool ca_file(const config_value& value) { return readable(value, to_.ca_file); }

  bool store_ca(const config_value& value) { return readable(value, to_.store_ca_file); }

  bool plain(const config_value& value) {
    const auto boolean = value.boolean();
    to_.plain = boolean.value_or(false);
    return boolean.has_value();
  }

  bool heartbeat(const config_value& value) {
    const auto time = value.duration();
    to_.heartbeat = time.value_or(to_.heartbeat);
    return time.has_value();
  }

  bool restores(const config_value& value) {
    const auto count = value.whole(1, protocol::most_restores_per_second);
    to_.restores_per_second = count.value_or(to_.restores_per_second);
    return count.has_value();
  }

  config_variables& variables_;
  cluster_options& to_;
  cluster_entries entries_;
};

const std::vector<cluster_reader::key> cluster_reader::known_keys = {
    {"node", cluster_option::name, &cluster_reader::name},
    {"listen", cluster_option::listen, &cluster_reader::listen},
    {"advertise", cluster_option::advertise, &cluster_reader::advertise},
    {"join", cluster_option::join, &cluster_reader::join},
    {"key", cluster_option::key, &cluster_reader::keys},
    {"keyFile", cluster_option::key, &cluster_reader::key_file},
    {"plain", cluster_option::plain, &cluster_reader::plain},
    {"heartbeat", cluster_option::heartbeat, &cluster_reader::heartbeat},
    {"store", cluster_option::store, &cluster_reader::store},
    {"storeCa", cluster_option::store_ca, &cluster_reader::store_ca},
    {"restoresPerSecond", cluster_option::restores_per_second, &cluster_reader::restores}};

const std::vector<cluster_reader::key> cluster_reader::tls_keys = {
    {"cert", cluster_option::certificate, &cluster_reader::certificate},
    {"key", cluster_option::private_key, &cluster_reader::private_key},
    {"ca", cluster_option::ca_file, &cluster_reader::ca_file}};

std::vector<std::string_view> cluster_key_names(const std::vector<cluster_reader::key>& keys) {
  std::vector<std::string_view> result;
  std::ranges::transform(keys, std::back_inserter(result), &cluster_reader::key::name);
  return result;
}

// -- merging, comparing --------------------------------------------------------

/// Copy and comparison of an option's members in `cluster_options`.
struct option_members {
  void (*copy)(const cluster_options& from, cluster_options& to);
  bool (*same)(const cluster_options& one, const cluster_options& other);
};

template <auto... Member>
constexpr option_members members() {
  return {
      [](const cluster_options& from, cluster_options& to) { ((to.*Member = from.*Member), ...); },
      [](const cluster_options& one, const cluster_options& other) { return ((one.*Member == other.*Member) && ...); }};
}

/// Ignores a change of the key file's content: the gateway reads that file again itself.
constexpr option_members key_members = {members<&cluster_options::key, &cluster_options::key_file>().copy,
                                        [](const cluster_options& one, const cluster_options& other) {
                                          return one.key_file == other.key_file &&
                                                 (one.key == other.key || !one.key_file.empty());
                                        }};

/// Members of each option, in the order of `cluster_option`.
constexpr std::array<option_members, cluster_flags.size()> all_members = {
    members<&cluster_options::name>(),
    members<&cluster_options::host, &cluster_options::port>(),
    members<&cluster_options::advertise>(),
    members<&cluster_options::join>(),
    key_members,
    members<&cluster_options::certificate>(),
    members<&cluster_options::private_key>(),
    members<&cluster_options::ca_file>(),
    members<&cluster_options::plain>(),
    members<&cluster_options::heartbeat>(),
    members<&cluster_options::store>(),
    members<&cluster_options::store_ca_file>(),
    members<&cluster_options::restores_per_second>()};

/// Returns for each option the name that its user gave: flag or key.
protocol::cluster_option_names names_for(const cluster_entries& entries, const std::set<std::string>& given) {
  auto result = entries.section.empty() ? cluster_flags : cluster_keys;
  for (std::size_t i = 0; i < result.size(); ++i)
    if (given.contains(std::string(cluster_flags[i])))
      result[i] = cluster_flags[i];
  return result;
}

} // namespace

cluster_entries read_cluster(const config_value& section, config_variables& variables, cluster_options& to) {
  return cluster_reader{variables, to}.read(section);
}

void check_cluster(const cluster_options& options, const cluster_entries& entries, const std::set<std::string>& given,
                   config_report& report) {
  const auto names = names_for(entries, given);
  for (const auto& [option, text] : problems_of(protocol::view_of(options), names)) {
    const auto called = name_of(names, option);
    const auto place = entries.values.find(option);
    if (called == name_of(cluster_flags, option))
      report.add(severity::error, {}, called, text);
    else if (place == entries.values.end())
      report.add(severity::error, entries.section, called, text);
    else if (!entries.refused.contains(option))
      place->second.error(text);
  }
}

void check_recovery(const std::vector<server_entry>& servers, const std::optional<cluster_options>& cluster) {
  const bool has_store = cluster && !cluster->store.empty();
  for (const auto& server : servers)
    if (server.options.recovery == recovery::restore && !has_store)
      server.entry.error("`recovery` is `restore`, which takes a store: give `gateway.cluster.store` or --store");
}

void apply_flags(std::optional<cluster_options>& file, const std::optional<cluster_options>& line,
                 const std::set<std::string>& given) {
  if (!line)
    return;
  if (!file)
    file.emplace();
  for (std::size_t i = 0; i < all_members.size(); ++i)
    if (given.contains(std::string(cluster_flags[i])))
      all_members[i].copy(*line, *file);
}

std::vector<std::string> cluster_changes(const std::optional<cluster_options>& before,
                                         const std::optional<cluster_options>& after) {
  const auto one = before.value_or(cluster_options{});
  const auto other = after.value_or(cluster_options{});
  std::vector<std::string> result;
  for (std::size_t i = 0; i < all_members.size(); ++i)
    if (!all_members[i].same(one, other))
      result.emplace_back(cluster_keys[i]);
  return result;
}

std::vector<std::string_view> cluster_section_keys() {
  auto result = cluster_key_names(cluster_reader::known_keys);
  result.push_back(cluster_reader::tls);
  return result;
}

std::vector<std::string_view> cluster_tls_keys() { return cluster_key_names(cluster_reader::tls_keys); }

} // namespace troupe::deploy
