#include "deploy/program/foreign_flags.hpp"

#include <algorithm>
#include <cstddef>
#include <iterator>
#include <optional>
#include <string_view>
#include <utility>

namespace troupe::deploy {

namespace {

/// Translation of another program's flag.
enum class fate {
  /// Becomes `own` with the same value.
  renamed,
  /// Becomes `own` for each word behind the flag that is no flag.
  renamed_each,
  /// Becomes `own`, with a value in milliseconds.
  milliseconds,
  /// Becomes `own`, and has no value.
  replaced,
  /// Omitted, as Troupe always does this.
  needless,
  /// Value is a transport to clients; Troupe always offers all of HTTP.
  transport,
  /// Value is the transport to a remote server.
  remote_transport,
  /// Value is the URL of a remote server.
  remote,
  /// Values, if any, are origins.
  origins,
  /// Value is a bearer token.
  bearer,
  /// Takes a name and a value, as two words.
  pair,
  /// Refused; `own` is the advice.
  refused
};

struct foreign_flag {
  std::string_view name;
  fate what;
  std::string_view own = {};
};

constexpr foreign_flag foreign_flags[] = {
    // supergateway
    {"--outputTransport", fate::transport},
    {"--sse", fate::remote},
    {"--streamableHttp", fate::remote},
    {"--ssePath", fate::renamed, "--sse-path"},
    {"--messagePath", fate::renamed, "--message-path"},
    {"--streamableHttpPath", fate::renamed, "--mcp-path"},
    {"--healthEndpoint", fate::renamed_each, "--health-path"},
    {"--logLevel", fate::renamed, "--log-level"},
    {"--sessionTimeout", fate::milliseconds, "--session-timeout"},
    {"--cors", fate::origins, "--allow-origin"},
    {"--oauth2Bearer", fate::bearer, "--header"},
    {"--stateful", fate::needless},
    {"--baseUrl", fate::refused, "leave it out: clients find the path for messages from the URL that they know"},
    {"--protocolVersion", fate::refused, "leave it out: each client speaks the revision that it asks for"},
    // mcp-proxy of npm
    {"--server", fate::transport},
    {"--sseEndpoint", fate::renamed, "--sse-path"},
    {"--streamEndpoint", fate::renamed, "--mcp-path"},
    {"--requestTimeout", fate::milliseconds, "--request-timeout"},
    {"--sessionIdleTimeout", fate::milliseconds, "--session-timeout"},
    {"--maxBodySize", fate::renamed, "--max-body"},
    {"--modern", fate::needless},
    {"--eventStore", fate::needless},
    {"--sslCert", fate::renamed, "--tls-cert"},
    {"--sslKey", fate::renamed, "--tls-key"},
    {"--debug", fate::replaced, "--log-level=debug"},
    {"--sslCa", fate::refused, "say --tls-client-ca to ask clients for certificates"},
    {"--apiKey", fate::refused, "make a key with `troupe key new NAME`, and name the file of keys with --keys"},
    {"--connectionTimeout", fate::refused, "a file has it as gateway.initializeTimeout, see --config"},
    {"--gracefulShutdownTimeout", fate::refused, "a file has it as gateway.grace, see --config"},
    {"--keepAliveTimeout", fate::refused, "leave it out: connections are kept while a session is"},
    {"--eventStoreMaxEvents", fate::refused,
     "a file has a limit for all sessions as gateway.limits.eventBytes, see --config"},
    {"--no-eventStore", fate::refused,
     "leave it out: what is kept of streams is bounded, see gateway.limits.eventBytes"},
    {"--no-modern", fate::refused, "leave it out: clients choose the revision"},
    {"--corsAddAllowedHeader", fate::refused, "leave it out: pages that are let in may send all headers"},
    {"--endpoint", fate::refused, "say --mcp-path or --sse-path"},
    {"--shell", fate::refused, "put the shell behind --: troupe serve -- sh -c '...'"},
    {"--tunnel", fate::refused,
     "Troupe makes no tunnels; serve on this machine, and let the tunnel's program reach it"},
    {"--stateless", fate::refused, "leave it out: clients that keep no session speak revision 2026-07-28"},
    // mcp-proxy of PyPI
    {"--transport", fate::remote_transport},
    {"--sse-host", fate::renamed, "--host"},
    {"--sse-port", fate::renamed, "--port"},
    {"--named-server-config", fate::renamed, "--config"},
    {"--env", fate::pair, "="},
    {"-e", fate::pair, "="},
    {"--headers", fate::pair, ": "},
    {"-H", fate::pair, ": "},
    {"--no-debug", fate::needless},
    {"--no-stateless", fate::needless},
    {"--no-pass-environment", fate::needless},
    {"--verify-ssl", fate::refused, "certificates are verified always; a file names more authorities by caFile"},
    {"--no-verify-ssl", fate::refused, "certificates are verified always; a file names more authorities by caFile"},
    {"--client-secret", fate::refused, "a file has it in auth of the server, where others do not see it"},
    {"--token-url", fate::refused, "a file has it as tokenEndpoint in auth of the server"},
    {"--expose-header", fate::refused, "leave it out: pages see all headers of MCP"},
};

bool is_url(std::string_view word) { return word.starts_with("http://") || word.starts_with("https://"); }

bool is_digits(std::string_view text) {
  return !text.empty() && text.find_first_not_of("0123456789") == std::string_view::npos;
}

/// Translator of a command line, in one pass.
class translation {
public:
  explicit translation(std::vector<std::string> words) : words_(std::move(words)) {}

  own_words result(bool server_behind_dashes) && {
    if (!words_.empty() && !words_[0].starts_with('-') && !is_url(words_[0]))
      command_ = words_[at_++];
    if (!command_.empty() && command_ != "serve" && command_ != "connect")
      return {std::move(words_)};
    while (at_ < words_.size() && problem_.empty())
      translate_word(std::move(words_[at_++]));
    if (!problem_.empty())
      return {{}, std::move(problem_)};
    return put_together(server_behind_dashes);
  }

private:
  void translate_word(std::string word) {
    const auto equals = word.starts_with("--") ? word.find('=') : std::string::npos;
    const auto name = word.substr(0, equals);
    const auto* const flag = std::ranges::find(foreign_flags, name, &foreign_flag::name);
    if (flag == std::end(foreign_flags)) {
      result_.push_back(std::move(word));
      return;
    }
    value_ = equals == std::string::npos ? std::nullopt : std::optional{word.substr(equals + 1)};
    translate(*flag);
  }

  void translate(const foreign_flag& flag) {
    switch (flag.what) {
    case fate::renamed:
      return add(std::string{flag.own}, value_of(flag));
    case fate::renamed_each:
      return add_each(flag);
    case fate::milliseconds:
      return add(std::string{flag.own}, with_unit(value_of(flag)));
    case fate::replaced:
    case fate::needless:
      return be_silent_about(flag);
    case fate::transport:
      return note_transport(flag, value_of(flag));
    case fate::remote_transport:
      remote_transport_ = value_of(flag);
      return;
    case fate::remote:
      url_ = value_of(flag);
      return;
    case fate::origins:
      return add_origins(flag);
    case fate::bearer:
      return add(std::string{flag.own}, "Authorization: Bearer " + value_of(flag));
    case fate::pair:
      return add_pair(flag);
    case fate::refused:
      return refuse(flag, flag.own);
    }
  }

  /// Returns the value of a flag: after its `=`, or the next word.
  std::string value_of(const foreign_flag& flag) {
    if (!value_ && at_ < words_.size())
      value_ = std::move(words_[at_++]);
    if (!value_)
      refuse(flag, "its value is missing");
    return value_.value_or("");
  }

  /// Translates a flag without a value.
  void be_silent_about(const foreign_flag& flag) {
    if (value_)
      refuse(flag, "takes no value");
    else if (flag.what == fate::replaced)
      result_.emplace_back(flag.own);
  }

  static std::string with_unit(const std::string& value) { return is_digits(value) ? value + "ms" : value; }

  void add(std::string flag, const std::string& value) { result_.push_back(std::move(flag += '=') + value); }

  void note_transport(const foreign_flag& flag, const std::string& value) {
    if (value == "stdio")
      to_stdio_ = true;
    else if (value == "sse" || value == "streamableHttp" || value == "stream")
      to_http_ = true;
    else if (problem_.empty())
      refuse(flag, value == "ws" ? "WebSocket is no transport of MCP; clients use Streamable HTTP at /mcp"
                                 : "'" + value + "' is none of stdio, sse and streamableHttp");
  }

  /// Returns the value after `=`, or all following words that are no flags.
  std::vector<std::string> values() {
    if (value_)
      return {*value_};
    std::vector<std::string> result;
    while (at_ < words_.size() && !words_[at_].starts_with('-'))
      result.push_back(std::move(words_[at_++]));
    return result;
  }

  void add_each(const foreign_flag& flag) {
    const auto all = values();
    if (all.empty())
      refuse(flag, "its value is missing");
    for (const auto& value : all)
      add(std::string{flag.own}, value);
  }

  void add_origins(const foreign_flag& flag) {
    auto all = values();
    if (all.empty())
      all.emplace_back("*");
    for (const auto& origin : all)
      if (origin.starts_with('/'))
        return refuse(flag, "patterns are not understood: name each origin with --allow-origin, or * for all");
      else
        add(std::string{flag.own}, origin);
  }

  /// Translates a pair; it may already be one word.
  void add_pair(const foreign_flag& flag) {
    const auto name = value_of(flag);
    const std::string own = flag.own == "=" ? "--env" : "--header";
    if (name.find(flag.own.front()) == std::string::npos && at_ < words_.size() && !words_[at_].starts_with('-'))
      result_.insert(result_.end(), {own, name + std::string{flag.own} + words_[at_++]});
    else
      result_.insert(result_.end(), {own, name});
  }

  void refuse(const foreign_flag& flag, std::string_view why) {
    problem_ = std::string{flag.name} + ": " + std::string{why};
  }

  /// True if there is a URL that is no flag's value, and no command.
  bool has_loose_url() const {
    const auto is_value = [](const std::string& before) {
      return before.starts_with('-') && before.find('=') == std::string::npos;
    };
    for (std::size_t i = 0; command_.empty() && i < result_.size(); ++i)
      if (is_url(result_[i]) && (i == 0 || !is_value(result_[i - 1])))
        return true;
    return false;
  }

  /// Adds `--transport`, with `connect`'s names. Dropped when serving without a typed command: `serve` needs none.
  void add_remote_transport(bool connects) {
    if (remote_transport_ == "streamablehttp")
      remote_transport_ = "http";
    if (!remote_transport_.empty() && (connects || !command_.empty()))
      add("--transport", remote_transport_);
  }

  /// Adds the command: a remote server is connected to stdio, unless flags ask to serve it.
  own_words put_together(bool server_behind_dashes) {
    const auto given_url = !url_.empty() || has_loose_url();
    const auto connects = command_ == "connect" || (command_.empty() && given_url && !to_http_);
    if (to_stdio_ && !connects)
      return {{}, "--outputTransport stdio goes with a remote server: troupe connect URL"};
    if (command_.empty() && result_.empty() && !given_url && !server_behind_dashes)
      return {}; // empty command line
    add_remote_transport(connects);
    if (!url_.empty())
      result_.insert(result_.begin(), connects ? url_ : "--url=" + url_);
    result_.insert(result_.begin(), connects ? "connect" : "serve");
    return {std::move(result_)};
  }

  std::vector<std::string> words_;
  std::size_t at_ = 0;
  std::string command_;
  std::optional<std::string> value_;
  std::vector<std::string> result_;
  std::string url_;
  std::string remote_transport_;
  bool to_stdio_ = false;
  bool to_http_ = false;
  std::string problem_;
};

bool is_of_the_program(std::string_view word) { return word == "-h" || word == "--help" || word == "--version"; }

} // namespace

own_words translate_flags(std::vector<std::string> words, bool server_behind_dashes) {
  if (words.size() == 1 && is_of_the_program(words[0]))
    return {std::move(words)};
  return translation{std::move(words)}.result(server_behind_dashes);
}

} // namespace troupe::deploy
