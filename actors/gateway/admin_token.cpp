#include "actors/gateway/admin_token.hpp"

#include "net/crypto.hpp"
#include "protocol/options/admin_token.hpp"
#include "protocol/text/base_encodings.hpp"
#include "protocol/text/host_port.hpp"

#include <filesystem>
#include <stdexcept>
#include <system_error>
#include <utility>
#include <variant>

namespace troupe::actors {

namespace {

std::string random_token() { return protocol::hex(net::random_128()) + protocol::hex(net::random_128()); }

/// Empty if the folder has no such file, or the file has no token.
std::string token_in(const net::private_folder& folder, const std::string& name) {
  const auto text = folder.read(name, protocol::longest_admin_token_file);
  auto read = protocol::read_admin_token(text.value_or(""));
  auto* const token = std::get_if<std::string>(&read);
  return token ? std::move(*token) : std::string{};
}

using token_or_fault = std::variant<std::string, protocol::admin_token_fault>;

token_or_fault read_token(net::watched_file::news news, const std::string& path) {
  if (!news.why_not.empty())
    return protocol::admin_token_fault{std::move(news.why_not)};
  auto result = protocol::read_admin_token(news.text);
  if (auto* fault = std::get_if<protocol::admin_token_fault>(&result))
    fault->why = '\'' + path + "' " + fault->why;
  return result;
}

bool can_be_read_again(const std::string& path) {
  std::error_code none;
  return std::filesystem::is_regular_file(path, none);
}

} // namespace

bool generated_token::is_needed(const admin_options& options) {
  return options.token.empty() && options.token_file.empty() && !options.open &&
         !protocol::is_unix_socket(options.host);
}

generated_token::generated_token(const admin_options& options, const std::string& address, std::uint16_t port)
    : name_{protocol::admin_token_name(address, port)} {
  if (options.socket >= 0 && adopt(options.token_folders))
    return;
  token_.text = random_token();
  if (!options.token_folders.empty())
    put_into_one_of(options.token_folders);
}

generated_token::~generated_token() {
  if (is_owned_ && folder_ && token_in(*folder_, name_) == token_.text)
    folder_->remove(name_);
}

bool generated_token::adopt(const std::vector<std::string>& folders) {
  for (const auto& path : folders) {
    std::string ignored;
    auto folder = net::private_folder::open(path, ignored);
    if (folder && !(token_.text = token_in(*folder, name_)).empty()) {
      hold(std::move(*folder));
      return true;
    }
  }
  return false;
}

void generated_token::put_into_one_of(const std::vector<std::string>& folders) {
  std::string reasons;
  for (const auto& path : folders) {
    std::string why_not;
    auto folder = net::private_folder::make(path, why_not);
    if (folder && (why_not = folder->write(name_, token_.text + '\n')).empty()) {
      is_owned_ = true;
      return hold(std::move(*folder));
    }
    reasons += (reasons.empty() ? "" : "; ") + why_not;
  }
  throw std::runtime_error{"there is no folder for the token that operators need (" + reasons +
                           "): give --admin-token-file FILE, --admin-listen unix:PATH or --admin-open"};
}

void generated_token::hold(net::private_folder folder) {
  token_.file = folder.path() + '/' + name_;
  folder_ = std::move(folder);
}

admin_token::admin_token(const admin_options& options, event_log log) : log_{std::move(log)}, token_{options.token} {
  if (options.token_file.empty())
    return;
  net::watched_file file{options.token_file, protocol::longest_admin_token_file};
  auto read = read_token(file.look().value_or(net::watched_file::news{}), options.token_file);
  if (auto* fault = std::get_if<protocol::admin_token_fault>(&read))
    throw std::runtime_error{"the token for operators: " + fault->why};
  token_ = std::move(std::get<std::string>(read));
  if (can_be_read_again(options.token_file))
    file_ = std::move(file);
}

const std::string& admin_token::now() {
  auto news = file_ ? file_->look() : std::nullopt;
  if (!news)
    return token_;
  auto read = read_token(std::move(*news), file_->path());
  if (auto* fault = std::get_if<protocol::admin_token_fault>(&read)) {
    log_(log_level::error, "the token for operators stays as it was", {{"why", fault->why}});
  } else if (auto& token = std::get<std::string>(read); token != token_) {
    token_ = std::move(token);
    log_(log_level::info, "token for operators changed");
  }
  return token_;
}

} // namespace troupe::actors
