#include "protocol/access/uri_readings.hpp"

#include "protocol/text/lenient_uri.hpp"
#include "protocol/text/words.hpp"

#include <algorithm>
#include <iterator>
#include <numeric>
#include <utility>

namespace troupe::protocol {

namespace {

using texts = std::vector<std::string>;

void leave_each_once(texts& all) {
  std::ranges::sort(all);
  all.erase(std::unique(all.begin(), all.end()), all.end());
}

std::size_t bytes_in(const texts& all) {
  return std::accumulate(all.begin(), all.end(), std::size_t{0}, [](auto sum, auto& one) { return sum + one.size(); });
}

template <class Texts>
void add_all(Texts more, texts& to) {
  std::ranges::move(more, std::back_inserter(to));
}

/// Python separates the text after the last segment's semicolon from the path.
std::string without_params(const std::string& path) {
  const auto segment = path.rfind('/');
  return path.substr(0, path.find(';', segment == path.npos ? 0 : segment));
}

/// Resolves dot segments. A path without a root cannot be resolved.
std::string without_dots(const std::string& path) { return path.starts_with('/') ? resolved_path(path) : path; }

std::string without_slash_at_end(std::string path) {
  if (path.size() > 1 && path.ends_with('/'))
    path.pop_back();
  return path;
}

/// Path that Node reads when dots lead to the root: empty.
const std::string no_root;

/// Returns the path as it stands, and as servers process it. In C it ends at a null.
texts paths_of(const lenient_uri& uri) {
  texts result{uri.path, without_params(uri.path)};
  if (uri.path.find_first_of(std::string_view{"%\0", 2}) != uri.path.npos)
    for (std::size_t i = 0; i < 2; ++i) {
      result.push_back(leniently_decoded(result[i]));
      result.push_back(result.back().substr(0, result.back().find('\0')));
    }
  leave_each_once(result);
  for (std::size_t i = 0, all = result.size(); i < all; ++i) {
    result.push_back(without_dots(result[i]));
    result.push_back(without_slash_at_end(result.back()));
    if (result.back() == "/")
      result.push_back(no_root);
  }
  leave_each_once(result);
  return result;
}

std::string without_user(std::string_view authority) { return std::string{authority.substr(authority.rfind('@') + 1)}; }

/// Returns the end of an authority's host: before its port, if there is one.
std::size_t end_of_host(const std::string& authority) {
  const auto host = std::max(authority.rfind('@') + 1, authority.rfind(']') + 1); // 0 without either
  return std::min(authority.find(':', host), authority.size());
}

/// Removes the dot of the DNS root after the last label of a host (RFC 1034, 3.1).
std::string without_root(const std::string& authority) {
  const auto end = end_of_host(authority);
  return end > 0 && authority[end - 1] == '.' ? std::string{authority}.erase(end - 1, 1) : authority;
}

/// Returns the equivalent spellings of an authority.
texts writings_of_authority(const std::string& authority) {
  texts result;
  for (auto& one : {authority, without_user(authority)})
    for (auto& host : {one, without_root(one)}) {
      result.push_back(host);
      result.push_back(lower(host));
    }
  leave_each_once(result);
  return result;
}

bool is_this_machine(std::string_view host) { return host.empty() || same_word(host, "localhost"); }

/// Returns the host of a file, unless it is this machine.
std::optional<std::string> far_host_of(const lenient_uri& uri) {
  const auto host = lower(leniently_decoded(uri.authority.value_or("")));
  return uri.scheme == "file" && !is_this_machine(host) ? std::optional{host} : std::nullopt;
}

/// Returns the texts that may precede the path of a URI with a host.
texts starts_with_host(const lenient_uri& uri) {
  const auto scheme = uri.scheme + ":", host = uri.authority.value_or("");
  texts result;
  if (!host.empty())
    for (auto& one : writings_of_authority(host))
      result.push_back(scheme + "//" + one);
  return result;
}

/// Returns the texts that may precede the path. Some libraries ignore the host of a file, and read no host as an empty
/// one.
texts starts_of(const lenient_uri& uri) {
  const auto scheme = uri.scheme + ":";
  auto result = starts_with_host(uri);
  if (uri.authority && !is_special_scheme(uri.scheme)) { // the scheme has no ports of its own
    auto portless = uri;
    portless.authority->resize(end_of_host(*uri.authority));
    add_all(starts_with_host(portless), result);
  }
  if (uri.scheme != "file" && result.empty())
    result.push_back(scheme);
  if (uri.scheme == "file" || uri.authority || uri.path.starts_with('/'))
    result.push_back(scheme + "//");
  leave_each_once(result);
  return result;
}

/// Adds `/.` before a path with two slashes at its beginning, which would begin a host (WHATWG URL, 4.5).
void add_parted(const lenient_uri& uri, texts& to) {
  if (!uri.authority && uri.path.starts_with("//"))
    to.push_back(uri.scheme + ":/." + uri.path + uri.query + uri.fragment);
}

/// Returns the readings of a path before a query.
texts whole_paths_of(const lenient_uri& uri) {
  texts result{uri.path, without_params(uri.path)};
  for (std::size_t i = 0; i < 2; ++i)
    result.push_back(without_dots(result[i]));
  if (std::ranges::find(result, "/") != result.end())
    result.push_back(no_root);
  leave_each_once(result);
  return result;
}

/// Appends the query, without and with the fragment, to each of these paths.
texts ends_of(const lenient_uri& uri, const texts& paths) {
  texts result;
  for (auto& path : paths) {
    result.push_back(path + uri.query);
    result.push_back(path + uri.query + uri.fragment);
  }
  return result;
}

/// True if dots lead out of the first segment of a path without a root.
bool leads_out(std::string_view path) {
  int depth = 0;
  for (auto segment : words_in(path, "/")) {
    if (segment == ".." && --depth <= 0)
      return true;
    if (segment != ".." && segment != "." && !segment.empty())
      ++depth;
  }
  return false;
}

/// Adds the readings of servers that cut off the scheme and `//`, and resolve escapes up to twice. They take the rest
/// for a path, with its query and line breaks. False for the path of a file that depends on the server's folder.
bool add_cut_off(std::string_view text, uri_readings& to) {
  const auto colon = text.find(':');
  const auto scheme = lower(text.substr(0, colon));
  auto rest = std::string{text.substr(colon + 1)};
  if (rest.starts_with("//"))
    rest.erase(0, 2);
  for (auto decoded = 0; decoded < 3; ++decoded) {
    if (scheme == "file" && !rest.starts_with('/') && leads_out(rest))
      return false;
    if (scheme != "file")
      to.texts.push_back(scheme + "://" + resolved_path("/" + rest).substr(1));
    else if (rest.starts_with('/'))
      to.texts.push_back(scheme + "://" + resolved_path(rest));
    rest = leniently_decoded(rest);
  }
  return true;
}

/// True if all readers agree on the thing that the URI names, except for the host of a file.
bool is_clear(const lenient_uri& uri) {
  return uri.scheme == "file" ? uri.path.empty() || uri.path.starts_with('/') : !uri.has_doubtful_host;
}

/// Most bytes in all readings of one text, since all rules are applied to each. A URI with more is unclear.
constexpr std::size_t most_bytes_read = std::size_t{64} << 10;

/// Adds all combinations of the parts that readers find. False when there are too many.
bool add_readings(const std::vector<lenient_uri>& uris, std::size_t size, uri_readings& to) {
  texts starts, paths, ends;
  for (auto& uri : uris) {
    add_all(starts_of(uri), starts);
    add_all(whole_paths_of(uri), paths);
    add_all(paths_of(uri), ends);
    add_parted(uri, to.texts);
    if (auto host = far_host_of(uri))
      to.file_hosts.push_back(std::move(*host));
  }
  leave_each_once(paths);
  for (auto& uri : uris)
    add_all(ends_of(uri, paths), ends);
  leave_each_once(starts);
  leave_each_once(ends);
  if (starts.size() * ends.size() * size > most_bytes_read)
    return false;
  for (auto& start : starts)
    for (auto& end : ends)
      to.texts.push_back(start + end);
  return true;
}

/// Adds the readings of a text. False when they cannot be determined.
bool add_readings(std::string_view text, uri_readings& to) {
  auto as_browser = read_as_browser(text, drives::of_whatwg), as_python = read_as_python(text);
  if (!as_browser || !as_python || !is_clear(*as_browser) || !is_clear(*as_python))
    return false;
  std::vector<lenient_uri> all{std::move(*as_browser), std::move(*as_python)};
  if (all.front().scheme == "file")
    all.push_back(*read_as_browser(text, drives::of_node));
  return add_cut_off(text, to) && add_readings(all, text.size(), to);
}

bool is_plain_in_path(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '/' || c == '.' ||
         c == '-' || c == '_' || c == '~';
}

/// Adds the changed form of each text, unless it is equal to the text.
template <class Change>
void add_changed(texts& to, Change change) {
  for (std::size_t i = 0, all = to.size(); i < all; ++i)
    if (std::string text = change(to[i]); text != to[i])
      to.push_back(std::move(text));
}

std::string with_slashes(std::string text) {
  std::ranges::replace(text, '\\', '/');
  return text;
}

/// Decodes the `+` of a query, which forms write for a blank (WHATWG URL, 5.1).
std::string with_blanks_in_query(std::string text) {
  if (const auto mark = text.find('?'); mark != text.npos)
    std::replace(text.begin() + static_cast<std::ptrdiff_t>(mark), text.end(), '+', ' ');
  return text;
}

/// Returns the text, and the forms read by other servers. Some resolve escapes first, or end a text at a null; others
/// take backslashes for slashes, or `+` for a blank.
texts writings_of(std::string_view uri) {
  texts result{std::string{uri}};
  add_changed(result, [](auto& text) { return with_blanks_in_query(text); });
  add_changed(result, [](auto& text) { return leniently_decoded(text); });
  add_changed(result, [](auto& text) { return std::string{until_null(text)}; });
  add_changed(result, [](auto& text) { return with_slashes(text); });
  return result;
}

/// True if all readers take the URI as it stands. Most URIs are of this kind, and lists have many.
bool is_read_alike(std::string_view uri) {
  constexpr std::string_view small = "abcdefghijklmnopqrstuvwxyz";
  const auto colon = uri.find_first_not_of(small);
  if (colon == 0 || colon == uri.npos || !uri.substr(colon).starts_with("://"))
    return false;
  const auto rest = uri.substr(colon + 3);
  const auto root = rest.find_first_not_of(small);
  if (root == rest.npos || rest[root] != '/' || (root == 0) != uri.starts_with("file:"))
    return false;
  auto last = '\0';
  for (auto c : rest.substr(root)) {
    if ((last == '/' && (c == '/' || c == '.')) || !is_plain_in_path(c))
      return false;
    last = c;
  }
  return last != '/';
}

/// Adds the texts equivalent to the URI, as one library reads it.
void add_spellings(const lenient_uri& uri, uri_readings& to) {
  auto starts = starts_with_host(uri);
  if (is_this_machine(uri.authority.value_or("")))
    add_all(starts_of(uri), starts);
  texts paths{uri.path, leniently_decoded(uri.path)};
  for (std::size_t i = 0; i < 2; ++i)
    paths.push_back(without_dots(paths[i]));
  if (std::ranges::find(paths, "/") != paths.end())
    paths.push_back(no_root);
  leave_each_once(paths);
  for (auto& start : starts)
    for (auto& path : paths)
      to.texts.push_back(start + path + uri.query + uri.fragment);
  if (auto host = far_host_of(uri))
    to.file_hosts.push_back(std::move(*host));
}

} // namespace

std::optional<uri_readings> readings_of_uri(std::string_view uri, std::size_t* effort) {
  uri_readings result{{std::string{uri}}};
  if (is_read_alike(uri))
    return result;
  for (auto& text : writings_of(uri))
    if (!add_readings(text, result)) {
      if (effort)
        *effort += bytes_in(result.texts);
      return std::nullopt;
    }
  leave_each_once(result.texts);
  leave_each_once(result.file_hosts);
  return result;
}

uri_readings spellings_of_uri(std::string_view uri) {
  uri_readings result{{std::string{uri}}};
  for (auto& text : writings_of(uri))
    for (auto& read :
         {read_as_browser(text, drives::of_whatwg), read_as_browser(text, drives::of_node), read_as_python(text)})
      if (read)
        add_spellings(*read, result);
  leave_each_once(result.texts);
  leave_each_once(result.file_hosts);
  return result;
}

} // namespace troupe::protocol
