#include "net/private_folder.hpp"

#include "net/crypto.hpp"
#include "protocol/text/base_encodings.hpp"

#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

namespace troupe::net {

namespace {

constexpr mode_t others = S_IRWXG | S_IRWXO;
constexpr mode_t written_by_others = S_IWGRP | S_IWOTH;

bool is_link(const std::string& path) {
  struct stat found {};
  return ::lstat(path.c_str(), &found) == 0 && S_ISLNK(found.st_mode);
}

std::string fault_of_folder(const struct stat& folder, private_folder::owner of) {
  if (of == private_folder::owner::self && folder.st_uid != ::geteuid())
    return "it belongs to the user " + std::to_string(folder.st_uid);
  return (folder.st_mode & written_by_others) != 0 ? "other users can write to it: chmod go-w" : "";
}

/// Whether only the owner can read a file. A second hard link could be in a folder that others read.
bool is_private_file(const struct stat& file, uid_t owner) {
  return S_ISREG(file.st_mode) && file.st_uid == owner && (file.st_mode & others) == 0 && file.st_nlink == 1;
}

bool is_written(int to, std::string_view text) {
  while (!text.empty()) {
    const auto count = ::write(to, text.data(), text.size());
    if (count > 0)
      text.remove_prefix(static_cast<std::size_t>(count));
    else if (count == 0 || errno != EINTR)
      return false;
  }
  return true;
}

void make_folders(const std::string& path) {
  for (auto end = path.find('/', 1); end != path.npos; end = path.find('/', end + 1))
    ::mkdir(path.substr(0, end).c_str(), S_IRWXU);
  ::mkdir(path.c_str(), S_IRWXU);
}

} // namespace

std::optional<private_folder> private_folder::open(const std::string& path, std::string& why_not, owner of) {
  const auto refuse = [&](const std::string& why) {
    why_not = path + ": " + why;
    return std::nullopt;
  };
  if (!path.starts_with('/'))
    return refuse("it is no absolute path: set HOME");
  owned_descriptor at{::open(path.c_str(), O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC)};
  struct stat found {};
  if (!at || ::fstat(at.get(), &found) != 0)
    return refuse(is_link(path) ? "it is a symbolic link" : std::strerror(errno));
  if (const auto fault = fault_of_folder(found, of); !fault.empty())
    return refuse(fault);
  return private_folder{path, std::move(at)};
}

std::optional<private_folder> private_folder::make(const std::string& path, std::string& why_not) {
  make_folders(path);
  return open(path, why_not);
}

std::optional<std::string> private_folder::read(const std::string& name, std::size_t longest) const {
  const owned_descriptor file{::openat(at_.get(), name.c_str(), O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC)};
  struct stat folder {
  }, found{};
  if (!file || ::fstat(at_.get(), &folder) != 0 || ::fstat(file.get(), &found) != 0 ||
      !is_private_file(found, folder.st_uid))
    return std::nullopt;
  std::string result(longest + 1, '\0');
  const auto count = ::read(file.get(), result.data(), result.size());
  if (count < 0 || static_cast<std::size_t>(count) > longest)
    return std::nullopt;
  result.resize(static_cast<std::size_t>(count));
  return result;
}

/// Writes under another name first, so that no reader sees a partial file.
std::string private_folder::write(const std::string& name, std::string_view text) const {
  const auto beside = name + '.' + protocol::hex(random_64());
  constexpr auto flags = O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC;
  const owned_descriptor file{::openat(at_.get(), beside.c_str(), flags, S_IRUSR | S_IWUSR)};
  if (file && ::fchmod(file.get(), S_IRUSR | S_IWUSR) == 0 && is_written(file.get(), text) &&
      ::renameat(at_.get(), beside.c_str(), at_.get(), name.c_str()) == 0)
    return {};
  const std::string why = std::strerror(errno);
  remove(beside);
  return path_ + '/' + name + ": " + why;
}

void private_folder::remove(const std::string& name) const { ::unlinkat(at_.get(), name.c_str(), 0); }

std::string replace_file(const std::string& path, std::string_view text) {
  auto beside = path + ".XXXXXX";
  const owned_descriptor file{::mkostemp(beside.data(), O_CLOEXEC)}; // with mode 0600
  if (!file)
    return std::strerror(errno);
  if (is_written(file.get(), text) && ::fsync(file.get()) == 0 && ::rename(beside.c_str(), path.c_str()) == 0)
    return {};
  std::string why = std::strerror(errno);
  ::unlink(beside.c_str());
  return why;
}

} // namespace troupe::net
