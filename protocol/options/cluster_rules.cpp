#include "protocol/options/cluster_rules.hpp"

#include "protocol/text/url.hpp"

#include <algorithm>

namespace troupe::protocol {

namespace {

std::vector<std::string> lines_of(std::string_view text) {
  if (text.ends_with('\n'))
    text.remove_suffix(1);
  std::vector<std::string> result;
  for (bool is_last = false; !is_last;) {
    const auto end = text.find('\n');
    is_last = end == text.npos;
    auto line = text.substr(0, end);
    if (line.ends_with('\r'))
      line.remove_suffix(1);
    result.emplace_back(line);
    text.remove_prefix(is_last ? text.size() : end + 1);
  }
  return result;
}

/// Returns the error in a key; empty if there is none.
std::string fault_of(std::string_view key) {
  if (key.empty())
    return "is empty";
  if (key.size() < shortest_cluster_key)
    return "must have at least 16 bytes, such as those of `openssl rand -hex 32`";
  if (key.size() > longest_cluster_key)
    return "must have at most 4096 bytes";
  return {};
}

std::string fault_of(const std::vector<std::string>& keys) {
  if (keys.size() == 1)
    return keys.front().empty() ? std::string(no_cluster_key) : fault_of(keys.front());
  if (keys.size() > most_cluster_keys)
    return "must have at most 4 keys, one a line";
  for (auto key = keys.begin(); key != keys.end(); ++key) {
    const auto number = [&](auto at) { return std::to_string(at - keys.begin() + 1); };
    if (const auto fault = fault_of(*key); !fault.empty())
      return "has a key a line, and line " + number(key) + ' ' + fault;
    if (const auto same = std::find(keys.begin(), key, *key); same != key)
      return "has the same key in the lines " + number(same) + " and " + number(key);
  }
  return {};
}

constexpr std::string_view letters = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz";

/// Checks the options of one node, rule by rule.
class examination {
public:
  examination(const cluster_options_view& options, const cluster_option_names& names)
      : options_(options), names_(names) {}

  std::vector<cluster_problem> problems() {
    examine_name();
    examine_addresses();
    examine_key();
    examine_certificates();
    examine_openness();
    if (options_.heartbeat < shortest_heartbeat || options_.heartbeat > longest_heartbeat)
      found(cluster_option::heartbeat, "must be 0.2 to 300 seconds");
    examine_store();
    if (options_.restores_per_second < 1 || options_.restores_per_second > most_restores_per_second)
      found(cluster_option::restores_per_second, "must be 1 to 10000");
    std::ranges::stable_sort(problems_, {}, &cluster_problem::option);
    return std::move(problems_);
  }

private:
  void found(cluster_option option, std::string text) { problems_.push_back({option, std::move(text)}); }
  std::string word(cluster_option option) const {
    return '`' + std::string(names_[static_cast<std::size_t>(option)]) + '`';
  }

  void examine_name() {
    if (options_.name.empty())
      found(cluster_option::name, "is missing: each node of a cluster has a name of its own");
    else if (!is_node_name(options_.name))
      found(cluster_option::name, "must have 1 to 64 letters, digits, `.`, `_` and `-`, and nothing else");
  }

  void examine_addresses() {
    if (!read_host_port(host_port_text(options_.host, options_.port)))
      found(cluster_option::listen, "must be an address or a name");
    else if (is_wildcard(options_.host) && options_.advertise.empty())
      found(cluster_option::listen,
            "is every address of this machine: say with " + word(cluster_option::advertise) + " where others reach it");
    if (!options_.advertise.empty())
      examine_other(cluster_option::advertise, options_.advertise);
    for (const auto& one : *options_.join)
      examine_other(cluster_option::join, one);
  }

  /// An address to connect to, so port 0 is not valid.
  void examine_other(cluster_option option, std::string_view text) {
    const auto place = read_host_port(text);
    if (!place)
      found(option, "must be " + std::string(host_port_form));
    else if (place->port == 0 || is_wildcard(place->host))
      found(option, "must be where others reach a node: neither port 0 nor every address");
  }

  void examine_key() {
    if (options_.key.empty() && !options_.key_file.empty())
      return;
    const auto read = read_cluster_keys(options_.key);
    if (const auto* fault = std::get_if<std::string>(&read))
      found(cluster_option::key, *fault);
  }

  bool is_encrypted() const {
    return !options_.certificate.empty() || !options_.private_key.empty() || !options_.ca_file.empty();
  }

  void examine_certificates() {
    auto needs = [this](cluster_option option, std::string_view file) {
      if (is_encrypted() && file.empty())
        found(option, "is missing: TLS takes " + word(cluster_option::certificate) + ", " +
                          word(cluster_option::private_key) + " and " + word(cluster_option::ca_file));
    };
    needs(cluster_option::certificate, options_.certificate);
    needs(cluster_option::private_key, options_.private_key);
    needs(cluster_option::ca_file, options_.ca_file);
  }

  void examine_openness() {
    if (is_encrypted() || options_.plain)
      return;
    const auto advertised = read_host_port(options_.advertise);
    if (!is_loopback(options_.host))
      found(cluster_option::listen, openness());
    else if (advertised && !is_loopback(advertised->host))
      found(cluster_option::advertise, openness());
  }

  std::string openness() const {
    return "is beyond this machine, and nodes have no certificates: whoever learns the key and reaches this address "
           "controls the gateway: give " +
           word(cluster_option::certificate) + ", " + word(cluster_option::private_key) + " and " +
           word(cluster_option::ca_file) + ", or " + word(cluster_option::plain);
  }

  void examine_store() {
    std::string why_not;
    const auto address = parse_redis_address(options_.store, why_not);
    if (!options_.store.empty() && !address)
      found(cluster_option::store,
            "must be redis://[[USER]:PASSWORD@]HOST[:PORT][/DATABASE], or rediss://: " + why_not);
    if (!options_.store_ca_file.empty() && !(address && address->is_secure))
      found(cluster_option::store_ca, "is for TLS: " + word(cluster_option::store) + " must begin with rediss://");
  }

  const cluster_options_view& options_;
  const cluster_option_names& names_;
  std::vector<cluster_problem> problems_;
};

} // namespace

std::variant<std::vector<std::string>, std::string> read_cluster_keys(std::string_view text) {
  auto keys = lines_of(text);
  if (auto fault = fault_of(keys); !fault.empty())
    return fault;
  return keys;
}

bool is_node_name(std::string_view name) {
  return !name.empty() && name.size() <= longest_node_name && std::ranges::all_of(name, [](char c) {
    return letters.find(c) != std::string_view::npos ||
           std::string_view("0123456789._-").find(c) != std::string_view::npos;
  });
}

std::vector<cluster_problem> problems_of(const cluster_options_view& options, const cluster_option_names& names) {
  return examination{options, names}.problems();
}

} // namespace troupe::protocol
