// The file with the addresses of members: broken ones are reported, and failures to write, and nothing else happens.

#define CAF_SUITE members_file

#include "actors/cluster/members_file.hpp"
#include "tests/support/caf_test.hpp"
#include "tests/support/scratch.hpp"

#include <filesystem>
#include <fstream>

namespace troupe::tests::members_file_suite {

namespace {

using lines = std::vector<std::string>;

/// A node that starts again and again.
struct starting_node {
  std::optional<lines> starts_and_writes(const std::optional<lines>& written = {}) {
    actors::members_file file{folder.path("members"), "n", logged()};
    auto result = file.read();
    if (written)
      file.write(*written);
    return result;
  }
  actors::event_log logged() {
    return actors::event_log{[this](const log_record& one) {
      auto& [name, value] = one.fields.back();
      log.push_back(one.text.substr(0, one.text.find(':')) + ' ' + name + '=' + value);
    }};
  }
  void is(const std::string& text) { std::ofstream{folder.path("members")} << text; }

  troupe::tests::scratch folder;
  lines log;
};

} // namespace

CAF_TEST_FIXTURE_SCOPE(members_file_tests, starting_node)

CAF_TEST(what was written is read at the next start) {
  CAF_CHECK(starts_and_writes(lines{"a:1", "b:2"}) == std::nullopt);
  CAF_CHECK(starts_and_writes(lines{}) == lines({"a:1", "b:2"}));
  CAF_CHECK(starts_and_writes() == lines{});
  CAF_CHECK_EQUAL(log, lines{});
}

CAF_TEST(a broken file is ignored and its wrong line is logged) {
  is("troupe-members 1 n\na:1\nb\n");
  CAF_CHECK(starts_and_writes() == std::nullopt);
  CAF_CHECK_EQUAL(log, lines{"the file of members is ignored wrong line=3"});
}

CAF_TEST(a file that cannot be written is logged once) {
  {
    actors::members_file file{folder.path("none/members"), "n", logged()};
    CAF_CHECK(file.read() == std::nullopt);
    file.write({"a:1"});
    file.write({"a:1", "b:1"});
  } // waits for the last write
  CAF_CHECK_EQUAL(log, lines{"the file of members cannot be written why=No such file or directory"});
}

CAF_TEST_FIXTURE_SCOPE_END()

} // namespace troupe::tests::members_file_suite
