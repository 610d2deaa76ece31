// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <dlfcn.h>

namespace rooflinectl {

/// Looks a function of a library up that `dlopen` has loaded; false, and null, if the library lacks it.
template <typename Function>
bool find_function(void* library, const char* name, Function& function) {
  function = reinterpret_cast<Function>(dlsym(library, name));
  return function != nullptr;
}

}  // namespace rooflinectl
