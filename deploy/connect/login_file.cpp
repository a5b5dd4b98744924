#include "deploy/connect/login_file.hpp"

#include "deploy/config/user_folders.hpp"
#include "net/crypto.hpp"
#include "net/private_folder.hpp"

#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <iterator>
#include <utility>

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

namespace troupe::deploy {

namespace {

constexpr std::size_t letters_of_name = 32;

void make_private_folder(const std::filesystem::path& folder) {
  std::error_code ignored;
  std::filesystem::create_directories(folder.parent_path(), ignored);
  ::mkdir(folder.c_str(), S_IRWXU);
  ::chmod(folder.c_str(), S_IRWXU);
}

} // namespace

login_file::login_file(const std::string& server_url, const std::string& client_id)
    : path_(state_folder() / "logins" /
            (net::digest_hex(server_url + '\n' + client_id).substr(0, letters_of_name) + ".json")) {}

login_file::~login_file() { unlock(); }

std::optional<protocol::kept_login> login_file::read() const {
  if (path_.is_relative())
    return std::nullopt;
  std::ifstream file(path_);
  return protocol::read_kept_login(std::string(std::istreambuf_iterator<char>(file), {}));
}

std::string login_file::write(const protocol::kept_login& login) const {
  if (path_.is_relative())
    return "HOME is not set";
  make_private_folder(path_.parent_path());
  return net::replace_file(path_.string(), protocol::kept_login_text(login));
}

bool login_file::forget() const { return path_.is_absolute() && ::unlink(path_.c_str()) == 0; }

bool login_file::lock() {
  if (locked_ >= 0 || path_.is_relative())
    return true;
  make_private_folder(path_.parent_path());
  const auto descriptor = ::open((path_.string() + ".lock").c_str(), O_CREAT | O_RDWR | O_CLOEXEC, S_IRUSR | S_IWUSR);
  if (descriptor < 0)
    return true;
  if (::flock(descriptor, LOCK_EX | LOCK_NB) != 0) {
    ::close(descriptor);
    return false;
  }
  locked_ = descriptor;
  return true;
}

void login_file::unlock() {
  if (const auto descriptor = std::exchange(locked_, -1); descriptor >= 0)
    ::close(descriptor);
}

} // namespace troupe::deploy
