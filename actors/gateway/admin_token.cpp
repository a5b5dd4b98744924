#include "actors/gateway/admin_token.hpp"

#include "protocol/options/admin_token.hpp"

#include <filesystem>
#include <stdexcept>
#include <system_error>
#include <utility>
#include <variant>

namespace troupe::actors {

namespace {

using token_or_fault = std::variant<std::string, protocol::admin_token_fault>;

token_or_fault read_token(net::changing_file::news news, const std::string& path) {
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

admin_token::admin_token(const admin_options& options, event_log log) : log_{std::move(log)}, token_{options.token} {
  if (options.token_file.empty())
    return;
  net::changing_file file{options.token_file, protocol::longest_admin_token_file};
  auto read = read_token(file.look().value_or(net::changing_file::news{}), options.token_file);
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
