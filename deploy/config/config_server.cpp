#include "deploy/config/config_server.hpp"

#include "deploy/config/config_keys.hpp"
#include "deploy/config/config_rules.hpp"
#include "deploy/config/config_server_parts.hpp"
#include "protocol/text/url.hpp"
#include "protocol/text/words.hpp"

#include <filesystem>
#include <iterator>
#include <set>

namespace troupe::deploy {

namespace {

/// Beyond this, in seconds, a number was meant as milliseconds, which other clients count in.
constexpr auto doubtful_timeout = std::chrono::seconds{10'000};

const choices<remote_transport> remote_transports = {{"http", remote_transport::detect},
                                                     {"streamable-http", remote_transport::streamable_http},
                                                     {"streamableHttp", remote_transport::streamable_http},
                                                     {"sse", remote_transport::http_sse}};
/// Nothing for a program.
const choices<std::optional<remote_transport>> transports = [] {
  choices<std::optional<remote_transport>> result{{"stdio", std::nullopt}};
  result.insert(result.end(), remote_transports.begin(), remote_transports.end());
  return result;
}();
const choices<sharing> sharings = {{"session", sharing::session},
                                   {"shared", sharing::shared},
                                   {"pool", sharing::pool},
                                   {"principal", sharing::principal}};

const choices<recovery> recoveries = {{"none", recovery::none}, {"restore", recovery::restore}};

bool is_switched_off(const std::vector<config_member>& members) {
  return std::ranges::any_of(members, [](auto& one) {
    return (one.name == "disabled" && one.value.token() == "true") ||
           (one.name == "enabled" && one.value.token() == "false");
  });
}

/// One entry, member by member.
class server_reader {
public:
  server_reader(const config_member& entry, config_variables& variables)
      : entry_(entry.value), variables_(variables), members_(entry.value.members()) {
    result_.name = entry.name;
    enabled_ = !is_switched_off(members_);
  }

  std::optional<server_options> read() {
    for (const auto& member : members_)
      read(member);
    if (entry_.is_object())
      check_kind();
    return enabled_ ? std::optional(std::move(result_)) : std::nullopt;
  }

  struct key {
    std::string_view name;
    void (server_reader::*read)(const config_value& value);
  };
  static const std::vector<key>& keys();

private:
  void read(const config_member& member) {
    const auto found = std::ranges::find(keys(), member.name, &key::name);
    if (found == keys().end())
      return warn_of_unknown(member, server_keys());
    given_.insert(found->name);
    (this->*found->read)(member.value);
  }

  bool has(std::string_view key) const { return given_.contains(key); }

  // -- strings -------------------------------------------------------------------

  std::optional<std::string> expanded(const std::optional<std::string>& text, const config_value& at) {
    return text && enabled_ ? variables_.expanded(*text, at) : text;
  }

  std::optional<std::string> path(const config_value& value) {
    const auto text = value.filled_text();
    return text && enabled_ ? variables_.expanded_path(*text, value) : text;
  }

  /// Whether the text can be judged: with the variables of an entry that is switched off it cannot.
  bool is_final(std::string_view text) const { return enabled_ || text.find("${") == std::string_view::npos; }

  std::string from_directory(const std::string& path) const {
    return (std::filesystem::path(variables_.directory()) / path).lexically_normal().string();
  }

  // -- a program -----------------------------------------------------------------

  void command(const config_value& value) {
    const auto text = path(value);
    if (text && text->empty())
      value.error("is empty");
    else if (text)
      result_.command = text->find('/') == std::string::npos ? *text : from_directory(*text);
  }

  void args(const config_value& value) {
    for (const auto& element : value.elements())
      if (auto text = expanded(element.text(), element))
        result_.arguments.push_back(std::move(*text));
  }

  void env(const config_value& value) {
    for (const auto& [name, value_of] : value.members()) {
      if (name.empty() || name.find_first_of(std::string_view("=\0", 2)) != std::string::npos)
        value_of.error("is no name of an environment variable");
      else if (auto text = expanded(env_text(value_of), value_of))
        result_.environment.emplace_back(name, std::move(*text));
    }
  }

  static std::optional<std::string> env_text(const config_value& value) {
    if (!value.is_number() && !value.is_truth())
      return value.text();
    value.warn("is taken as a string: write it in quotes");
    return std::string(value.token());
  }

  void cwd(const config_value& value) { read_path(value, result_.directory); }

  void read_path(const config_value& value, std::string& to) {
    const auto text = path(value);
    if (text && text->empty())
      value.error("is empty");
    else if (text)
      to = from_directory(*text);
  }

  void env_file(const config_value& value) { value.warn("is not read: use `env`, with `${VAR}` for what is secret"); }

  // -- a URL ---------------------------------------------------------------------

  void url(const config_value& value) {
    const auto text = expanded(value.text(), value);
    std::string why_not;
    if (text && is_final(*text) && !protocol::parse_http_url(*text, why_not))
      value.error("must be a URL of http or https: " + why_not);
    else if (text)
      result_.url = *text;
  }

  void headers(const config_value& value) {
    std::set<std::string> seen;
    for (const auto& [name, value_of] : value.members()) {
      if (!is_header_name(name))
        value_of.error("is no name of a header");
      else if (is_own_header(name))
        value_of.error("is a header that the gateway sets itself");
      else if (!seen.insert(protocol::lower(name)).second)
        value_of.error("is given twice: case does not tell headers apart");
      else
        header(name, value_of);
    }
  }

  void header(const std::string& name, const config_value& value) {
    auto text = expanded(value.text(), value);
    if (text && !is_header_value(*text))
      value.error("must not contain line breaks or other control characters");
    else if (text)
      result_.headers.emplace_back(name, std::move(*text));
  }

  void ca_file(const config_value& value) { read_path(value, result_.ca_file); }

  void type(const config_value& value) { choose(value, "type"); }
  void transport(const config_value& value) { choose(value, "transport"); }

  void choose(const config_value& value, std::string_view key) {
    const auto chosen = value.choice(transports);
    if (!chosen)
      return;
    if (transport_ && transport_->second != *chosen)
      value.error("is not the same as `" + std::string(transport_->first) + '`');
    transport_ = {key, *chosen};
    if (*chosen)
      result_.transport = **chosen;
  }

  // -- what is ours --------------------------------------------------------------

  void share(const config_value& value) { result_.sharing = value.choice(sharings).value_or(sharing::session); }

  void pool_size(const config_value& value) {
    if (const auto size = value.whole(1, largest_pool))
      result_.pool_size = *size;
  }

  void timeout(const config_value& value) {
    const auto time = value.duration();
    if (time && value.is_number() && *time >= doubtful_timeout)
      value.warn("is in seconds: write `" + std::string(value.token()) + "ms` when milliseconds are meant");
    if (time)
      result_.timeout = *time;
  }

  void recover(const config_value& value) { result_.recovery = value.choice(recoveries).value_or(recovery::none); }
  void restart(const config_value& value) { read_restart(value, result_); }
  void tools(const config_value& value) { read_tools(value, result_); }

  void prefix(const config_value& value) {
    if (value.is_null() || value.token() == "false" || value.token() == R"("")") {
      result_.prefixed = false;
    } else if (!value.is_text()) {
      value.error("must be a string, or null or false for none");
    } else if (auto text = value.text(); text && !is_prefix(*text)) {
      value.error("must have letters, digits, `_` and `-` only, and 64 of them at most");
    } else if (text) {
      result_.prefix = std::move(*text);
    }
  }

  void eager(const config_value& value) { result_.eager = value.truth().value_or(false); }
  void on_or_off(const config_value& value) { value.truth(); }
  void ignored(const config_value&) {}

  // -- as a whole ----------------------------------------------------------------

  void check_kind() const {
    const bool remote = has("url");
    if (remote == has("command"))
      entry_.error(remote ? "has both `command` and `url`: it is either a program or a URL"
                          : "has neither `command` nor `url`");
    else if (transport_ && remote != transport_->second.has_value())
      entry_.error('`' + std::string(transport_->first) + "` is of a server with " + (remote ? "`command`" : "`url`"));
    else
      warn_of_unused(remote);
    if (has("poolSize") && result_.sharing != sharing::pool)
      entry_.warn("`poolSize` is not used: `sharing` is not `pool`");
  }

  void warn_of_unused(bool remote) const {
    for (const std::string_view key : {"args", "env", "cwd"})
      if (remote && has(key))
        entry_.warn('`' + std::string(key) + "` is not used: the server is a URL");
    for (const std::string_view key : {"headers", "caFile"})
      if (!remote && has(key))
        entry_.warn('`' + std::string(key) + "` is not used: the server is a program");
  }

  const config_value& entry_;
  config_variables& variables_;
  std::vector<config_member> members_;
  bool enabled_ = true;
  std::set<std::string_view> given_;
  std::optional<std::pair<std::string_view, std::optional<remote_transport>>> transport_;
  server_options result_;
};

const std::vector<server_reader::key>& server_reader::keys() {
  static const std::vector<key> all = {{"command", &server_reader::command},
                                       {"args", &server_reader::args},
                                       {"env", &server_reader::env},
                                       {"cwd", &server_reader::cwd},
                                       {"envFile", &server_reader::env_file},
                                       {"url", &server_reader::url},
                                       {"headers", &server_reader::headers},
                                       {"caFile", &server_reader::ca_file},
                                       {"type", &server_reader::type},
                                       {"transport", &server_reader::transport},
                                       {"disabled", &server_reader::on_or_off},
                                       {"enabled", &server_reader::on_or_off},
                                       {"sharing", &server_reader::share},
                                       {"poolSize", &server_reader::pool_size},
                                       {"timeout", &server_reader::timeout},
                                       {"restart", &server_reader::restart},
                                       {"recovery", &server_reader::recover},
                                       {"tools", &server_reader::tools},
                                       {"prefix", &server_reader::prefix},
                                       {"eager", &server_reader::eager},
                                       // Of other clients, where they ask or show something.
                                       {"autoApprove", &server_reader::ignored},
                                       {"alwaysAllow", &server_reader::ignored},
                                       {"disabledTools", &server_reader::ignored},
                                       {"description", &server_reader::ignored},
                                       {"gallery", &server_reader::ignored},
                                       {"version", &server_reader::ignored},
                                       {"dev", &server_reader::ignored}};
  return all;
}

} // namespace

std::optional<server_options> read_server(const config_member& entry, config_variables& variables) {
  return server_reader{entry, variables}.read();
}

std::vector<std::string_view> server_keys() {
  std::vector<std::string_view> result;
  std::ranges::transform(server_reader::keys(), std::back_inserter(result), &server_reader::key::name);
  return result;
}

} // namespace troupe::deploy
