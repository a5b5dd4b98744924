#include "deploy/config/config_cluster.hpp"

#include "actors/gateway/option_table.hpp"
#include "deploy/config/config_keys.hpp"
#include "deploy/config/config_variables.hpp"
#include "deploy/config/file_text.hpp"
#include "deploy/config/option_reader.hpp"
#include "protocol/options/cluster_rules.hpp"

#include <cerrno>
#include <cstring>
#include <filesystem>
#include <iterator>
#include <tuple>

namespace troupe::deploy {

namespace {

using protocol::cluster_option;

std::string_view name_of(const protocol::cluster_option_names& names, cluster_option option) {
  return names[static_cast<std::size_t>(option)];
}

/// Returns the option that a flag sets.
cluster_option option_of(std::string_view flag) {
  return static_cast<cluster_option>(std::ranges::find(cluster_flags, flag) - cluster_flags.begin());
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
        read(member, actors::option_table::cluster_rows, cluster_section_keys());
    }
    return std::move(entries_);
  }

  static constexpr std::string_view tls = "tls";
  /// Key of an option that is no single text, number or switch.
  struct key {
    std::string_view name;
    cluster_option option;
    bool (cluster_reader::*read)(const config_value& value); // false if the value is unusable
  };
  static const std::vector<key> own_keys;

private:
  using rows = protocol::option_rows<cluster_options>;

  void read_tls(const config_value& value) {
    for (const auto& member : value.members())
      read(member, actors::option_table::cluster_tls_rows, cluster_tls_keys());
  }

  void read(const config_member& member, rows among, const std::vector<std::string_view>& known) {
    const auto own = std::ranges::find(own_keys, member.name, &key::name);
    if (const auto row = std::ranges::find(among, member.name, &protocol::option_row<cluster_options>::key);
        row != among.end())
      read(option_of(row->flag.name), member.value, [&] { return read_option(*row, member.value, variables_, to_); });
    else if (among.data() == actors::option_table::cluster_rows && own != own_keys.end())
      read(own->option, member.value, [&] { return (this->*own->read)(member.value); });
    else
      warn_of_unknown(member, known);
  }

  template <class Read>
  void read(cluster_option option, const config_value& value, Read is_usable) {
    if (!entries_.values.emplace(option, value).second)
      value.error("is given in two ways: use one of them");
    else if (!is_usable())
      entries_.refused.insert(option);
  }

  // -- values --------------------------------------------------------------------

  std::optional<std::string> text(const config_value& value) {
    return read_option_text(value, protocol::text_form::expanded, variables_);
  }

  static bool put(std::optional<std::string> text, std::string& to) {
    if (text)
      to = std::move(*text);
    return text.has_value();
  }

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

  config_variables& variables_;
  cluster_options& to_;
  cluster_entries entries_;
};

const std::vector<cluster_reader::key> cluster_reader::own_keys = {
    {"listen", cluster_option::listen, &cluster_reader::listen},
    {"join", cluster_option::join, &cluster_reader::join},
    {"key", cluster_option::key, &cluster_reader::keys},
    {"keyFile", cluster_option::key, &cluster_reader::key_file}};

// -- merging, comparing --------------------------------------------------------

bool was_given(const std::set<std::string>& given, cluster_option option) {
  return given.contains(std::string(name_of(cluster_flags, option)));
}

/// Whether nodes have the same key. The content of a key file may change: the gateway reads that file again itself.
bool has_same_key(const cluster_options& one, const cluster_options& other) {
  return one.key_file == other.key_file && (one.key == other.key || !one.key_file.empty());
}

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
  override_options(actors::option_table::cluster_rows, *file, *line, given);
  override_options(actors::option_table::cluster_tls_rows, *file, *line, given);
  if (was_given(given, cluster_option::listen))
    std::tie(file->host, file->port) = std::tie(line->host, line->port);
  if (was_given(given, cluster_option::join))
    file->join = line->join;
  if (was_given(given, cluster_option::key))
    std::tie(file->key, file->key_file) = std::tie(line->key, line->key_file);
}

std::vector<std::string> cluster_changes(const std::optional<cluster_options>& before,
                                         const std::optional<cluster_options>& after) {
  const auto one = before.value_or(cluster_options{});
  const auto other = after.value_or(cluster_options{});
  std::vector<std::string> result;
  const auto add = [&](cluster_option option, bool is_same) {
    if (!is_same)
      result.emplace_back(name_of(cluster_keys, option));
  };
  for (const auto rows : {protocol::option_rows<cluster_options>{actors::option_table::cluster_rows},
                          {actors::option_table::cluster_tls_rows}})
    for (const auto& row : rows)
      add(option_of(row.flag.name), row.is_same(one, other));
  add(cluster_option::listen, one.host == other.host && one.port == other.port);
  add(cluster_option::join, one.join == other.join);
  add(cluster_option::key, has_same_key(one, other));
  return result;
}

std::vector<std::string_view> cluster_section_keys() {
  auto result = keys_of<cluster_options>(actors::option_table::cluster_rows, {cluster_reader::tls});
  std::ranges::transform(cluster_reader::own_keys, std::back_inserter(result), &cluster_reader::key::name);
  return result;
}

std::vector<std::string_view> cluster_tls_keys() {
  return keys_of<cluster_options>(actors::option_table::cluster_tls_rows);
}

} // namespace troupe::deploy
