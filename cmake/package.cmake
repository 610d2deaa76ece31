# SPDX-License-Identifier: Apache-2.0
# What differs between the packages that CPack makes.
if(CPACK_GENERATOR STREQUAL "DEB")
  set(CPACK_PACKAGING_INSTALL_PREFIX /opt/rooflinectl)
endif()
