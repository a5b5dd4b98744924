#define CAF_SUITE cluster_keys

#include "actors/gateway/cluster_keys.hpp"
#include "tests/support/caf_test.hpp"
#include "tests/support/scratch.hpp"

#include <filesystem>
#include <fstream>

namespace troupe::tests::cluster_keys_suite {

using troupe::cluster_options;
using troupe::actors::cluster_keys;

namespace {

const std::string old_key = "the key of last year";
const std::string new_key = "the key of this year";

cluster_options with_key(std::string key) {
  cluster_options result;
  result.key = std::move(key);
  return result;
}

/// A key file that is replaced atomically, so each version is a new inode.
class key_file {
public:
  void write(const std::string& text) const {
    std::ofstream(path() + ".next", std::ios::binary) << text;
    std::filesystem::rename(path() + ".next", path());
  }
  std::string path() const { return directory_.path("keys"); }
  cluster_options options() const {
    cluster_options result;
    result.key_file = path();
    return result;
  }

private:
  troupe::tests::scratch directory_;
};

std::string why_not(const cluster_options& options) {
  try {
    cluster_keys{options};
    return "";
  } catch (const std::runtime_error& error) {
    return error.what();
  }
}

/// Returned by value because the check macros keep what they compare.
std::string first(const std::vector<std::string>& all) { return all.front(); }
std::string last(const std::vector<std::string>& all) { return all.back(); }

std::vector<std::string> links_by(const std::string& key) { return cluster_keys{with_key(key)}.for_links(); }

std::string first_seal(const std::string& key) {
  return std::string(reinterpret_cast<const char*>(cluster_keys{with_key(key)}.session_seals("id").front().data()), 16);
}

std::vector<std::string> seals(const cluster_keys& keys) {
  std::vector<std::string> result;
  for (const auto& one : keys.session_seals("id"))
    result.emplace_back(reinterpret_cast<const char*>(one.data()), one.size());
  return result;
}

} // namespace

CAF_TEST(a file of one line has the same key as the option) {
  key_file file;
  for (const auto* end : {"", "\n", "\r\n"}) {
    file.write(old_key + end);
    CAF_CHECK(cluster_keys{file.options()}.for_links() == links_by(old_key));
  }
}

CAF_TEST(keys for each purpose are in the order of the file and differ) {
  cluster_keys both{with_key(new_key + '\n' + old_key)};
  CAF_REQUIRE_EQUAL(both.for_links().size(), 2u);
  CAF_CHECK_EQUAL(first(both.for_links()), first(links_by(new_key)));
  CAF_CHECK_EQUAL(last(both.for_links()), first(links_by(old_key)));
  CAF_CHECK_EQUAL(both.for_cursors().size(), 2u);
  CAF_CHECK_NOT_EQUAL(first(both.for_cursors()), first(both.for_links()));
  CAF_CHECK(seals(both) == (std::vector{first_seal(new_key), first_seal(old_key)}));
}

CAF_TEST(keys that cannot be used are refused in one line that has none of them) {
  key_file file;
  const std::string begin = "the key of the cluster: ";
  CAF_CHECK_EQUAL(why_not(file.options()), begin + "cannot read '" + file.path() + "': No such file or directory");
  file.write("");
  CAF_CHECK(why_not(file.options()).starts_with(begin + '\'' + file.path() + "' is missing: "));
  file.write(old_key + "\nshort");
  CAF_CHECK_EQUAL(why_not(file.options()), begin + '\'' + file.path() +
                                               "' has a key a line, and line 2 must have at least 16 bytes, such as "
                                               "those of `openssl rand -hex 32`");
  file.write(std::string(20'000, 'k'));
  CAF_CHECK_EQUAL(why_not(file.options()), begin + '\'' + file.path() + "' has more than 16392 bytes");
}

CAF_TEST(a file that has changed is read again) {
  key_file file;
  file.write(old_key);
  cluster_keys keys{file.options()};
  CAF_CHECK(!keys.look());
  CAF_CHECK(!keys.look());
  file.write(old_key + '\n' + new_key + '\n');
  CAF_CHECK_EQUAL(keys.look().value_or("nothing"), "");
  CAF_CHECK_EQUAL(keys.for_links().size(), 2u);
  CAF_CHECK_EQUAL(first(keys.for_links()), first(links_by(old_key)));
  file.write(old_key + '\n' + new_key);
  CAF_CHECK(!keys.look());
  file.write("short");
  CAF_CHECK(keys.look().value_or("").starts_with('\'' + file.path() + "' must have at least 16 bytes"));
  CAF_CHECK(!keys.look());
  CAF_CHECK_EQUAL(keys.for_links().size(), 2u);
  std::filesystem::remove(file.path());
  CAF_CHECK(keys.look().value_or("").starts_with("cannot read '"));
  CAF_CHECK_EQUAL(keys.for_links().size(), 2u);
  file.write(new_key);
  CAF_CHECK_EQUAL(keys.look().value_or("nothing"), "");
  CAF_CHECK(keys.for_links() == links_by(new_key));
}

CAF_TEST(what was written after the options were read is not missed) {
  key_file file;
  file.write(new_key);
  auto options = file.options();
  options.key = old_key;
  cluster_keys keys{options};
  CAF_CHECK(keys.for_links() == links_by(old_key));
  CAF_CHECK_EQUAL(keys.look().value_or("nothing"), "");
  CAF_CHECK(keys.for_links() == links_by(new_key));
}

CAF_TEST(a pipe is read once) {
  auto options = with_key(old_key);
  options.key_file = "/dev/null";
  cluster_keys keys{options};
  CAF_CHECK(!keys.look());
  CAF_CHECK(keys.for_links() == links_by(old_key));
}

CAF_TEST(ids under a removed key are known as long as the node lives and nothing else is) {
  key_file file;
  file.write(old_key);
  cluster_keys keys{file.options()};
  for (const auto& text : {old_key + '\n' + new_key, new_key + '\n' + old_key, new_key}) {
    file.write(text);
    keys.look();
  }
  CAF_CHECK_EQUAL(keys.for_links().size(), 1u);
  CAF_CHECK_EQUAL(keys.for_cursors().size(), 1u);
  CAF_CHECK(seals(keys) == (std::vector{first_seal(new_key), first_seal(old_key)}));
  file.write(old_key + '\n' + new_key);
  keys.look();
  CAF_CHECK(seals(keys) == (std::vector{first_seal(old_key), first_seal(new_key)}));
}

CAF_TEST(ids under the last four removed keys are known) {
  key_file file;
  file.write(old_key);
  cluster_keys keys{file.options()};
  auto next = [&](const std::string& key) {
    file.write(key);
    keys.look();
    return seals(keys);
  };
  std::size_t known = 1;
  for (const auto* key : {"a second key, long", "a third key, longer", "a fourth key, long", "a fifth key, longer"})
    CAF_CHECK_EQUAL(next(key).size(), ++known);
  CAF_CHECK_EQUAL(last(seals(keys)), first_seal(old_key));
  CAF_CHECK_EQUAL(next("a sixth key, longest").size(), 5u);
  CAF_CHECK_EQUAL(last(seals(keys)), first_seal("a second key, long"));
}

} // namespace troupe::tests::cluster_keys_suite
