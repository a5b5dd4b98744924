#include "actors/gateway/made_token.hpp"

#include "net/crypto.hpp"
#include "protocol/options/admin_token.hpp"
#include "protocol/text/base_encodings.hpp"
#include "protocol/text/host_port.hpp"

#include <stdexcept>
#include <utility>
#include <variant>

namespace troupe::actors {

namespace {

std::string random_token() { return protocol::hex(net::random_128()) + protocol::hex(net::random_128()); }

/// Empty when the folder has no such file, or none with a token.
std::string token_in(const net::private_folder& folder, const std::string& name) {
  const auto text = folder.read(name, protocol::longest_admin_token_file);
  auto read = protocol::read_admin_token(text.value_or(""));
  auto* const token = std::get_if<std::string>(&read);
  return token ? std::move(*token) : std::string{};
}

} // namespace

bool made_token::is_needed(const admin_options& options) {
  return options.token.empty() && options.token_file.empty() && !options.open &&
         !protocol::is_unix_socket(options.host);
}

made_token::made_token(const admin_options& options, const std::string& address, std::uint16_t port)
    : name_{protocol::admin_token_name(address, port)} {
  if (options.socket >= 0 && adopt(options.token_folders))
    return;
  token_.text = random_token();
  if (!options.token_folders.empty())
    put_into_one_of(options.token_folders);
}

made_token::~made_token() {
  if (is_owned_ && folder_ && token_in(*folder_, name_) == token_.text)
    folder_->remove(name_);
}

bool made_token::adopt(const std::vector<std::string>& folders) {
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

void made_token::put_into_one_of(const std::vector<std::string>& folders) {
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

void made_token::hold(net::private_folder folder) {
  token_.file = folder.path() + '/' + name_;
  folder_ = std::move(folder);
}

} // namespace troupe::actors
