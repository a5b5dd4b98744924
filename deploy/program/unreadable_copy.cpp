#include "deploy/program/unreadable_copy.hpp"

#include "protocol/text/words.hpp"

#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <fcntl.h>
#include <stdexcept>
#include <sys/mman.h>
#include <sys/sendfile.h>
#include <sys/stat.h>
#include <unistd.h>

namespace troupe::deploy {

namespace {

[[noreturn]] void fail(const std::string& what) {
  throw std::runtime_error("cannot " + what + " (" + std::strerror(errno) +
                           "), so servers could read the memory of the other process: install the program with mode "
                           "0711 and another owner, or restart the gateway");
}

std::string found_in_path(const std::string& program) {
  const auto* const folders = std::getenv("PATH");
  if (program.find('/') != program.npos || folders == nullptr)
    return program;
  for (auto folder : protocol::words_in(folders, ":"))
    if (auto path = std::string{folder} + '/' + program; ::access(path.c_str(), X_OK) == 0)
      return path;
  return program;
}

descriptor new_memory() {
  constexpr unsigned exec = 0x10; // MFD_EXEC, which kernels before 6.3 refuse
  auto result = ::memfd_create("troupe", MFD_CLOEXEC | exec);
  if (result < 0 && errno == EINVAL)
    result = ::memfd_create("troupe", MFD_CLOEXEC);
  return descriptor{result};
}

void copy(const descriptor& from, const descriptor& to) {
  constexpr std::size_t at_once = std::size_t{1} << 30;
  ssize_t size = 0;
  while ((size = ::sendfile(to.number(), from.number(), nullptr, at_once)) > 0)
    ;
  if (size < 0)
    fail("copy the program");
}

} // namespace

/// A file that somebody can write to is not run, and one that cannot be read is not opened: so it is opened in between.
descriptor unreadable_copy(const std::string& program) {
  constexpr mode_t run_only = 0111;
  const descriptor from{::geteuid() == 0 ? -1 : ::open(found_in_path(program).c_str(), O_RDONLY | O_CLOEXEC)};
  if (from.number() < 0)
    return descriptor{-1};
  descriptor writable = new_memory();
  if (writable.number() < 0)
    fail("copy the program");
  copy(from, writable);
  const auto again = "/proc/self/fd/" + std::to_string(writable.number());
  descriptor result{::open(again.c_str(), O_RDONLY | O_CLOEXEC)};
  if (result.number() < 0 || ::fchmod(result.number(), run_only) != 0)
    fail("protect the program");
  return result;
}

} // namespace troupe::deploy
