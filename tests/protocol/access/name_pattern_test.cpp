// Patterns of access rules, and the URIs that they match in any spelling.

#include "protocol/access/permissions.hpp"

#include "protocol/access/item_authorizer.hpp"
#include "protocol/text/glob.hpp"

#include <gtest/gtest.h>

#include <string>

namespace troupe::tests::name_pattern_test {

using namespace protocol;
using namespace std::string_literals;

namespace {

using kind = permit::kind;

const principal stranger{.issuer = "key", .subject = "eve"},
    staff{.issuer = "key", .subject = "ada", .groups = {"staff"}};

permissions for_staff(offered what, std::vector<std::string> patterns) {
  std::vector<named_rule> rules;
  for (auto& one : patterns)
    rules.emplace_back(what, one, access_rule{.groups = {"staff"}});
  return {access_rule{}, std::move(rules)};
}

kind judged(const permissions& rules, named_item one, const principal& who = stranger) {
  return item_authorizer{}.authorize(rules, one, who).is;
}

/// Whether a rule with the pattern applies to the resource, and grants it to the group `staff`.
bool is_about(const std::string& pattern, const std::string& uri) {
  const auto rules = for_staff(offered::resource, {pattern});
  EXPECT_EQ(judged(rules, {offered::resource, uri}, staff), kind::allowed) << uri;
  return judged(rules, {offered::resource, uri}) == kind::hidden;
}

} // namespace

TEST(a_pattern, is_about_the_uris_that_it_fits) {
  EXPECT_TRUE(is_about("file:///etc/*", "file:///etc/passwd"));
  EXPECT_TRUE(is_about("file:///etc/?", "file:///etc/p"));
  EXPECT_FALSE(is_about("file:///etc/?", "file:///etc/pp"));
  EXPECT_FALSE(is_about("file:///etc/*", "file:///etcetera/passwd"));
  EXPECT_TRUE(is_about("*", "note:x"));
  EXPECT_TRUE(is_about("*:///secret/r%26d/*", "file:///secret/r&d/plan"));
}

// Administrators copy URIs as they see them: escaped, or with the host of a file.
TEST(a_pattern, is_about_uris_in_other_spellings_than_its_own) {
  struct {
    std::string pattern, as_written, otherwise;
  } const all[] = {
      {"file:///r%26d/*", "file:///r%26d/plan", "file:///r&d/plan"},
      {"file:///r&d/*", "file:///r&d/plan", "file:///r%26d/plan"},
      {"file:///caf%c3%a9/*", "file:///caf%c3%a9/a", "file:///caf%C3%A9/a"},
      {"file:///caf%c3%a9/*", "file:///caf%c3%a9/a", "file:///caf\xc3\xa9/a"},
      {"file:///caf\xc3\xa9/*", "file:///caf\xc3\xa9/a", "file:///caf%c3%a9/a"},
      {"file:///%73ecret/*", "file:///%73ecret/a", "file:///secret/a"},
      {"file:///%2573ecret/*", "file:///%2573ecret/a", "file:///secret/a"},
      {"file:/java/*", "file:/java/a", "file:///java/a"},
      {"file://localhost/a/*", "file://localhost/a/b", "file:///a/b"},
      {"file://LocalHost/a/*", "file://LocalHost/a/b", "file:/a/b"},
      {"file:///a/*", "file:///a/b", "file://localhost/a/b"},
      {"FILE:///a/*", "FILE:///a/b", "file:///a/b"},
      {"file:///x/../a//b/./*", "file:///x/../a//b/./c", "file:///a/b/c"},
      {"https://api.internal/s/*", "https://api.internal/s/a", "https://api.internal./s/a"},
      {"https://api.internal./s/*", "https://api.internal./s/a", "https://api.internal/s/a"},
      {"https://api.internal.:8443/s/*", "https://api.internal.:8443/s/a", "https://API.internal:8443/s/a"},
      {"https://api.internal:443/s/*", "https://api.internal:443/s/a", "https://api.internal/s/a"},
      {"https://API.internal/s/*", "https://API.internal/s/a", "https://u:p@api.internal/s/a"},
      {"http://h/a%2Fb?q=*", "http://h/a%2Fb?q=1", "http://h/a/b?q=1"},
      {"note:r%26d*", "note:r%26d1", "note:r&d1"}};
  for (auto& [pattern, as_written, otherwise] : all) {
    EXPECT_TRUE(is_about(pattern, as_written)) << pattern;
    EXPECT_TRUE(is_about(pattern, otherwise)) << pattern << ' ' << otherwise;
  }
}

// Many servers take the rest behind `file://` as a path, and resolve it. `?`, `#` and line breaks are part of names
// then.
TEST(a_pattern, is_about_what_servers_read_that_cut_off_the_scheme) {
  for (auto uri :
       {"file:///d/public/?/../../secret/s", "file:///d/public/#/../../secret/s",
        "file:///d/public/?/..%2f..%2fsecret/s", "file:///d/public/../secret/..\t/../s",
        "file:///d/public/../secret/..\n/../s", "file:///d/./secret/.\r./../s", "file:/&%3F/../d/%2573ecret/x"})
    EXPECT_TRUE(is_about("file:///d/secret/*", uri)) << uri;
  for (auto uri : {"note://public/../secret/s", "note://./secret/s", "note:///secret/s", "note://%2e/secret/s"})
    EXPECT_TRUE(is_about("note://secret/*", uri)) << uri;
  EXPECT_FALSE(is_about("note://secret/*", "note://public/secret/s"));
}

// The working directory of the server determines the file.
TEST(a_file, that_depends_on_a_folder_is_hidden_from_all) {
  const auto rules = for_staff(offered::resource, {"file:///d/secret/*", "file://nas/*"});
  for (auto uri : {"file://localhost/../d/secret/s", "file://?/../d/secret/s", "file://#/../d/secret/s",
                   "file://nas/../d/secret/s", "file://localhost/%2e%2e/d/secret/s"})
    EXPECT_EQ(judged(rules, {offered::resource, uri}, staff), kind::hidden) << uri;
}

TEST(a_pattern, is_about_uris_that_end_at_a_null_or_have_other_blanks) {
  EXPECT_TRUE(is_about("note://secret", "note://secret\0x"s));
  EXPECT_TRUE(is_about("note://list?id=secret", "note://list?id=secret\0x"s));
  EXPECT_TRUE(is_about("note://list?id=secret", "note://list?id=secret%00x"));
  EXPECT_TRUE(is_about("https://h/q?q=top%20secret", "https://h/q?q=top+secret"));
  EXPECT_TRUE(is_about("https://h/list?id=secret", "https://h/list;x?id=secret"));
  EXPECT_FALSE(is_about("https://h/a b", "https://h/a+b"));
}

// Custom schemes have no default ports, and their hosts may be in any case.
TEST(a_pattern, is_about_hosts_of_other_schemes_however_these_are_written) {
  for (auto uri : {"note://token:1/a", "note://TOKEN/a", "note://me@token:1/a"})
    EXPECT_TRUE(is_about("note://token/*", uri)) << uri;
  EXPECT_TRUE(is_about("db://[::1]/*", "db://[::1]:5/x"));
  const auto rules = for_staff(offered::resource, {"note://token/*", "db://[::1]/*"});
  for (auto uri : {"note://to\xe2\x84\xaa"
                   "en/a",
                   "note://t%c3%b6ken/a", "db://[0::1]/x", "db://[0:0:0:0:0:0:0:1]/x"})
    EXPECT_EQ(judged(rules, {offered::resource, uri}, staff), kind::hidden) << uri;
}

TEST(a_pattern, has_an_escaped_wildcard_for_itself) {
  EXPECT_TRUE(is_about("file:///a%2a", "file:///a*"));
  EXPECT_TRUE(is_about("file:///a%2A", "file:///a%2a"));
  EXPECT_FALSE(is_about("file:///a%2a", "file:///abc"));
  EXPECT_TRUE(is_about("file:///a%3Fb", "file:///a%3fb"));
  EXPECT_FALSE(is_about("file:///a%3Fb", "file:///axb"));
}

/// A rule for one location does not apply to another.
TEST(a_pattern, is_no_wider_for_its_spellings) {
  EXPECT_FALSE(is_about("file:///*;v=1", "file:///a"));
  EXPECT_FALSE(is_about("http://h/*#part", "http://h/a"));
  EXPECT_FALSE(is_about("http://h/*?q=1", "http://h/a"));
  EXPECT_FALSE(is_about("http://h:8080/*", "http://h/a"));
  EXPECT_FALSE(is_about("file://server/share/*", "file:///share/a"));
  EXPECT_FALSE(is_about("file:///any/one/*", "file:///a/o/x"));
}

TEST(a_pattern, of_another_kind_is_a_text_alone) {
  const auto rules = for_staff(offered::tool, {"r%26d", "file:/x"});
  EXPECT_EQ(judged(rules, {offered::tool, "r%26d"}), kind::hidden);
  EXPECT_EQ(judged(rules, {offered::tool, "r&d"}), kind::allowed);
  EXPECT_EQ(judged(rules, {offered::tool, "file:///x"}), kind::allowed);
  EXPECT_EQ(judged(rules, {offered::resource, "file:/x"}), kind::allowed);
}

// In C, and in programs written in C, a name ends at a null character.
TEST(a_rule, holds_for_the_part_of_a_name_that_some_servers_read) {
  for (auto what : {offered::tool, offered::prompt}) {
    const auto rules = for_staff(what, {"drop"});
    EXPECT_EQ(judged(rules, {what, "drop\0x"s}), kind::hidden);
    EXPECT_EQ(judged(rules, {what, "drop\0"s}), kind::hidden);
    EXPECT_EQ(judged(rules, {what, "list\0drop"s}), kind::allowed);
  }
}

// A server that takes the rest behind `file://` as the path finds a file in its own folder.
TEST(a_file_on_another_host, is_hidden_from_all_where_no_rule_names_the_host) {
  const auto local = for_staff(offered::resource, {"file:///data/secret/*"});
  for (auto uri :
       {"file://secret/s.txt", "file://./secret/s.txt", "file://../data/secret/s.txt", "file://127.0.0.1/x",
        "file://u@localhost/x", "file://localhost:80/x", "file://loc%61lhost:1/x", "file:\\\\secret\\s.txt"}) {
    EXPECT_EQ(judged(local, {offered::resource, uri}), kind::hidden) << uri;
    EXPECT_EQ(judged(local, {offered::resource, uri}, staff), kind::hidden) << uri;
  }
  EXPECT_EQ(judged(local, {offered::resource, "file://localhost/data/x"}), kind::allowed);
  const auto all = for_staff(offered::resource, {"file://*", "*"});
  EXPECT_EQ(judged(all, {offered::resource, "file://secret/s.txt"}, staff), kind::hidden);
}

TEST(a_file_on_another_host, is_for_whom_a_rule_that_names_the_host_lets_in) {
  const auto rules = for_staff(offered::resource, {"file://server/share/*", "file://*.corp/*"});
  for (auto uri :
       {"file://server/share/a", "file://SERVER/share/a", "file://s%65rver/share/x/../a", "file://a.corp/b"}) {
    EXPECT_EQ(judged(rules, {offered::resource, uri}), kind::hidden) << uri;
    EXPECT_EQ(judged(rules, {offered::resource, uri}, staff), kind::allowed) << uri;
  }
  EXPECT_EQ(judged(rules, {offered::resource, "file://server/public/a"}), kind::allowed);
  EXPECT_EQ(judged(rules, {offered::resource, "file://other/share/a"}, staff), kind::hidden);
}

TEST(a_pattern, is_refused_for_escapes_of_the_bytes_of_wildcards) {
  for (auto pattern : {"note://x/%FF", "note://x/caf%fes", "note://x/%25FE"})
    EXPECT_TRUE(refuse_uri_pattern(pattern)) << pattern;
  EXPECT_FALSE(refuse_uri_pattern("note://x/%FD"));
}

TEST(a_pattern, is_refused_for_a_host_that_no_uri_is_known_to_have) {
  for (auto pattern : {"https://b\xc3\xbc"
                       "cher.example/*",
                       "http://0x7f.1/*", "http://[::0:1]/*", "http://h%00/*",
                       "http://b\xc3\xbc"
                       "cher.*/x"})
    EXPECT_TRUE(refuse_uri_pattern(pattern)) << pattern;
  for (auto pattern :
       {"https://*.example/*", "http://10.*/x", "http://10.0.0.?/x", "http://127.0.0.1/*", "http://[::1]/*",
        "file:///caf\xc3\xa9/*", "*", "*://h/x", "note:x", "https://xn--bcher-kva.example/*"})
    EXPECT_FALSE(refuse_uri_pattern(pattern)) << pattern;
}

// A short URI may have very many readings, which must not keep a thread busy.
TEST(a_judge, hides_what_comes_when_its_readings_are_too_many) {
  const auto rules = for_staff(offered::resource, {"file:///secret/*"});
  const named_item plain{offered::resource, "file:///a/b"};
  const auto cost = 16 + plain.name.size() + rules.effort_for(plain.kind, {plain.name}) / 8;
  for (auto most : {2 * cost - 1, 2 * cost, 2 * cost + 1}) {
    item_authorizer judge{most};
    EXPECT_EQ(judge.authorize(rules, plain, stranger).is, kind::allowed);
    EXPECT_FALSE(judge.is_exhausted());
    EXPECT_EQ(judge.authorize(rules, plain, stranger).is, most < 2 * cost ? kind::hidden : kind::allowed);
    EXPECT_EQ(judge.is_exhausted(), most < 2 * cost);
    EXPECT_EQ(judge.authorize(rules, plain, stranger).is, kind::hidden);
  }
}

} // namespace troupe::tests::name_pattern_test
