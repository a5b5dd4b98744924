#pragma once

#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace troupe::protocol {

/// Removes the secrets of a server's environment from text that the server wrote. Secrets are the values of variables
/// that are named for it (`PASSWORD`, `API_KEY`), passwords and tokens in URLs, and values like tokens of well-known
/// services. Paths, words such as `true`, and other URLs stay readable.
class secret_mask {
public:
  secret_mask() = default;
  /// `environment`: names and values of the variables.
  explicit secret_mask(const std::vector<std::pair<std::string, std::string>>& environment);

  /// Replaces each secret by `***`. With `is_cut`, also the beginning of a secret at the end of the text.
  std::string masked(std::string text, bool is_cut = false) const;

private:
  void add_of(std::string_view name, std::string_view value);
  void add_parts(std::string_view text);
  void add(std::string_view secret);
  static void mask_cut_end(std::string& text, std::string_view secret);

  /// Longest first: one secret may contain another.
  std::vector<std::string> secrets_;
};

} // namespace troupe::protocol
