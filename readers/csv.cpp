// SPDX-License-Identifier: Apache-2.0
#include "readers/csv.h"

#include <algorithm>

namespace rooflinectl {

namespace {

/// Takes a field that begins with a quote off the front of `text`.
std::string take_quoted(std::string_view& text) {
  std::string field;
  text.remove_prefix(1);
  while (!text.empty()) {
    const std::size_t quote = std::min(text.find('"'), text.size());
    field += text.substr(0, quote);
    text.remove_prefix(std::min(quote + 1, text.size()));
    if (!text.starts_with('"')) break;
    field += '"';
    text.remove_prefix(1);
  }
  return field;
}

std::string take_plain(std::string_view& text) {
  const std::size_t end = std::min(text.find_first_of(",\n"), text.size());
  std::string field(text.substr(0, end));
  text.remove_prefix(end);
  if (field.ends_with('\r')) field.pop_back();
  return field;
}

}  // namespace

std::vector<std::string> take_csv_record(std::string_view& text) {
  std::vector<std::string> fields;
  while (true) {
    std::string field;
    if (text.starts_with('"')) field = take_quoted(text);
    field += take_plain(text);  // of a quoted field, what stands between its quote and the comma: nothing
    fields.push_back(std::move(field));
    if (!text.starts_with(',')) break;
    text.remove_prefix(1);
  }
  if (text.starts_with('\n')) text.remove_prefix(1);
  return fields;
}

}  // namespace rooflinectl
