// SPDX-License-Identifier: Apache-2.0
#include "core/plan/selection_sections.h"

#include <algorithm>

#include "core/text/names.h"

namespace rooflinectl::yaml {

using Names = std::vector<std::string>;

Names read_ceilings(Reader& reader, const Fields& fields, const Catalogue& catalogue) {
  const Field* const field = find(fields, "ceilings");
  if (field == nullptr || (field->value.IsScalar() && field->value.Scalar() == "all"))
    return catalogue.ceilings;
  Names ids;
  reader.list<std::string>(*field,
                           [&](const std::string& pattern, Position position) -> std::optional<std::string> {
                             bool matched = false;
                             for (const std::string& id : catalogue.ceilings) {
                               if (!matches_glob(pattern, id)) continue;
                               matched = true;
                               if (std::find(ids.begin(), ids.end(), id) == ids.end()) ids.push_back(id);
                             }
                             if (matched) return pattern;
                             reader.fail(position, fmt::format("unknown ceiling {}{}", in_quotes(pattern),
                                                               suggestion(pattern, catalogue.ceilings)));
                             return std::nullopt;
                           });
  return ids;
}

Names read_primitives(Reader& reader, const Fields& fields, const Catalogue& catalogue) {
  const Field* const field = find(fields, "primitives");
  if (field == nullptr) return {};
  Names known;
  for (const PrimitiveInfo& primitive : catalogue.primitives) {
    known.push_back(primitive.id);
    if (std::find(known.begin(), known.end(), primitive.family) == known.end()) {
      known.push_back(primitive.family);
    }
  }
  std::set<std::string> wanted;
  reader.list<std::string>(
      *field, [&](const std::string& pattern, Position position) -> std::optional<std::string> {
        bool matched = false;
        for (const PrimitiveInfo& primitive : catalogue.primitives) {
          if (pattern != "all" && pattern != primitive.family && !matches_glob(pattern, primitive.id))
            continue;
          matched = true;
          wanted.insert(primitive.id);
        }
        if (matched) return pattern;
        reader.fail(position,
                    fmt::format("unknown primitive {}{}", in_quotes(pattern), suggestion(pattern, known)));
        return std::nullopt;
      });
  Names ids;
  for (const PrimitiveInfo& primitive : catalogue.primitives) {
    if (wanted.contains(primitive.id)) ids.push_back(primitive.id);
  }
  return ids;
}

}  // namespace rooflinectl::yaml
