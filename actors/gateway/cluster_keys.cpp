#include "actors/gateway/cluster_keys.hpp"

#include "net/crypto.hpp"
#include "protocol/options/cluster_rules.hpp"
#include "protocol/text/base_encodings.hpp"

#include <algorithm>
#include <filesystem>
#include <iterator>
#include <stdexcept>
#include <system_error>
#include <utility>
#include <variant>

namespace troupe::actors {

namespace {

using keys_or_fault = std::variant<std::vector<std::string>, std::string>;

keys_or_fault read(const net::watched_file::news& news, const std::string& path) {
  if (!news.why_not.empty())
    return news.why_not;
  auto result = protocol::read_cluster_keys(news.text);
  if (auto* fault = std::get_if<std::string>(&result))
    return '\'' + path + "' " + *fault;
  return result;
}

keys_or_fault read(const cluster_options& options) {
  if (!options.key.empty() || options.key_file.empty())
    return protocol::read_cluster_keys(options.key);
  net::watched_file file{options.key_file, protocol::longest_cluster_keys};
  return read(file.look().value_or(net::watched_file::news{}), options.key_file);
}

bool can_be_watched(const std::string& path) {
  std::error_code none;
  return std::filesystem::is_regular_file(path, none);
}

} // namespace

cluster_keys::cluster_keys(const cluster_options& options) {
  const auto keys = read(options);
  if (const auto* fault = std::get_if<std::string>(&keys))
    throw std::runtime_error{"the key of the cluster: " + *fault};
  change(std::get<std::vector<std::string>>(keys));
  if (can_be_watched(options.key_file))
    file_.emplace(options.key_file, protocol::longest_cluster_keys);
}

std::vector<std::string> cluster_keys::for_links() const {
  std::vector<std::string> result;
  std::ranges::transform(now()->known, std::back_inserter(result), &made_of_key::links);
  return result;
}

std::vector<std::string> cluster_keys::for_cursors() const {
  std::vector<std::string> result;
  std::ranges::transform(now()->known, std::back_inserter(result), &made_of_key::cursors);
  return result;
}

std::vector<protocol::random_bytes> cluster_keys::session_seals(std::string_view text) const {
  std::vector<protocol::random_bytes> result;
  const auto all = now();
  for (const auto* list : {&all->known, &all->removed})
    for (const auto& one : *list)
      result.push_back(net::keyed_digest(one.sessions, text));
  return result;
}

std::optional<std::string> cluster_keys::look() {
  const auto news = file_ ? file_->look() : std::nullopt;
  if (!news)
    return std::nullopt;
  const auto keys = read(*news, file_->path());
  if (const auto* fault = std::get_if<std::string>(&keys))
    return *fault;
  return change(std::get<std::vector<std::string>>(keys)) ? std::optional(std::string{}) : std::nullopt;
}

/// Replaces the keys; false if they are unchanged. Known keys are not derived again.
bool cluster_keys::change(const std::vector<std::string>& keys) {
  const auto before = now();
  if (std::ranges::equal(before->known, keys, {}, &made_of_key::key))
    return false;
  auto old = before->known;
  std::ranges::copy(before->removed, std::back_inserter(old));
  auto result = std::make_shared<state>();
  for (const auto& key : keys) {
    const auto found = std::ranges::find(old, key, &made_of_key::key);
    result->known.push_back(found != old.end() ? *found : make(key));
  }
  std::erase_if(old, [&](auto& one) { return std::ranges::find(keys, one.key) != keys.end(); });
  old.resize(std::min(old.size(), protocol::most_cluster_keys));
  result->removed = std::move(old);
  state_.with([&](auto& all) { all = std::move(result); });
  return true;
}

cluster_keys::made_of_key cluster_keys::make(const std::string& key) {
  const auto secret = net::stretched_key(key);
  const auto key_for = [&](std::string_view use) { return protocol::hex(net::keyed_digest(secret, use)); };
  return {key, key_for("links"), key_for("cursors"), key_for("sessions")};
}

} // namespace troupe::actors
