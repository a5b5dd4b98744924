#define CAF_SUITE generated_token

#include "actors/gateway/admin_token.hpp"
#include "tests/support/caf_test.hpp"
#include "tests/support/scratch.hpp"

#include <filesystem>
#include <fstream>
#include <stdexcept>
#include <string>

namespace troupe::tests::generated_token_suite {

using troupe::admin_options;
using troupe::actors::generated_token;

namespace {

constexpr auto name = "admin-127.0.0.1-9464.token";
/// Any descriptor value works: the code only checks whether there is one.
constexpr int handed = 3;

/// A directory for token files.
struct folder : troupe::tests::scratch {
  admin_options options(int socket = -1) const {
    admin_options result;
    result.socket = socket;
    result.token_folders = {path("tokens")};
    return result;
  }
  std::string file() const { return path(std::string{"tokens/"} + name); }
  bool has_file() const { return std::filesystem::exists(file()); }
};

generated_token make(const admin_options& options) { return {options, "127.0.0.1", 9464}; }

} // namespace

CAF_TEST(a token is needed on TCP unless there is one or it is open) {
  CAF_CHECK(generated_token::is_needed({}));
  CAF_CHECK(!generated_token::is_needed({.host = "unix:s"}));
  CAF_CHECK(!generated_token::is_needed({.token = "0123456789abcdef"}));
  CAF_CHECK(!generated_token::is_needed({.token_file = "token"}));
  CAF_CHECK(!generated_token::is_needed({.open = true}));
}

CAF_TEST(a token ends with its file) {
  folder at;
  {
    const auto token = make(at.options());
    CAF_CHECK_EQUAL(token.get().file, at.file());
    CAF_CHECK(at.has_file());
  }
  CAF_CHECK(!at.has_file());
}

CAF_TEST(each process makes another unless the socket was handed over) {
  folder at;
  const auto one = make(at.options());
  const auto same = make(at.options(handed));
  CAF_CHECK_EQUAL(same.get().text, one.get().text);
  const auto other = make(at.options());
  CAF_CHECK_NOT_EQUAL(other.get().text, one.get().text);
}

CAF_TEST(a process that does not take over leaves the file to the one before) {
  folder at;
  auto before = make(at.options());
  { const auto after = make(at.options(handed)); }
  CAF_CHECK(at.has_file());
  {
    auto after = make(at.options(handed));
    before.leave();
    after.own();
  }
  CAF_CHECK(!at.has_file());
}

CAF_TEST(a file that has another token by now is not removed) {
  folder at;
  {
    const auto token = make(at.options());
    std::ofstream{at.file()} << std::string(64, '0');
  }
  CAF_CHECK(at.has_file());
}

CAF_TEST(a token without folders is in memory only and one with bad ones is an error) {
  const auto without = make({});
  CAF_CHECK_EQUAL(without.get().file, "");
  CAF_CHECK_EQUAL(without.get().text.size(), 64u);
  admin_options options;
  options.token_folders = {"a", "/dev/null/b"};
  std::string why;
  try {
    make(options);
  } catch (const std::runtime_error& error) {
    why = error.what();
  }
  CAF_CHECK_EQUAL(why, "there is no folder for the token that operators need (a: it is no absolute path: set HOME; "
                       "/dev/null/b: Not a directory): give --admin-token-file FILE, --admin-listen unix:PATH or "
                       "--admin-open");
}

} // namespace troupe::tests::generated_token_suite
