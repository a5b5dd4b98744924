#pragma once

#include "deploy/config/client_words.hpp"

#include <boost/json.hpp>

#include <set>
#include <string>
#include <string_view>
#include <vector>

namespace troupe::deploy {

/// Makes texts of a client's file mean the same in a file elsewhere.
class import_texts {
public:
  import_texts(std::string folder, client_habits habits) : folder_(std::move(folder)), habits_(habits) {}

  /// `${workspaceFolder}` and its like replaced, and `${input:…}` by a variable.
  std::string text(std::string_view written);
  /// A path from the folder.
  std::string place(std::string_view written);
  /// The same for a program, which is looked up by its name when it has no slash.
  std::string program(std::string_view written);
  /// All texts in a value.
  boost::json::value all_of(boost::json::value value);

  /// The variables that stand for what the user was asked for.
  const std::set<std::string>& asked() const { return asked_; }

private:
  std::string replaced(std::string_view inside);

  std::string folder_;
  client_habits habits_;
  std::set<std::string> asked_;
};

/// Names of the variables of a text that must be set.
std::vector<std::string> variables_of(std::string_view text);

} // namespace troupe::deploy
