// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <gtest/gtest.h>

#include <variant>
#include <vector>

#include "reports/draw/scene.h"

namespace rooflinectl {

/// All texts are within the picture, and none lies on another.
inline void expect_readable(const Scene& scene) {
  std::vector<Box> boxes;
  for (const Group& group : scene.groups) {
    for (const Shape& shape : group.shapes) {
      const Text* text = std::get_if<Text>(&shape);
      if (text == nullptr) continue;
      const Box box = bounds(*text);
      EXPECT_TRUE((Box{0, 0, scene.width, scene.height}.contains(box))) << text->content;
      for (const Box& other : boxes) EXPECT_FALSE(box.intersects(other)) << text->content;
      boxes.push_back(box);
    }
  }
}

}  // namespace rooflinectl
