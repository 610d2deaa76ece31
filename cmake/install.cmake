# SPDX-License-Identifier: Apache-2.0
# `cmake --install` gives one folder that can be moved and copied to another machine. rooflinectl needs nothing of it; the
# collector and what is in lib/ need glibc, the NVIDIA driver and CUPTI.
#
#   bin/rooflinectl  bin/rooflinectl-collector
#   lib/             the module with the CUPTI session, and what `profile` loads into programs
#   share/rooflinectl/experiments.yaml  and the folders examples, experiments and recordings beside it
#   share/doc/rooflinectl/README.md  share/doc/rooflinectl/docs/
#   share/man/ and the completions of bash, zsh and fish, as in /usr/share
install(TARGETS rooflinectl RUNTIME DESTINATION bin)
if(TARGET rooflinectl-collector)
  install(TARGETS rooflinectl-collector RUNTIME DESTINATION bin)
endif()
if(TARGET rooflinectl_cupti)
  install(TARGETS rooflinectl_cupti rooflinectl_injection_entry rooflinectl_injection_cupti LIBRARY DESTINATION lib)
endif()

install(FILES experiments.yaml DESTINATION share/rooflinectl)
install(FILES README.md CONTRIBUTING.md LICENSE DESTINATION share/doc/rooflinectl)
install(DIRECTORY docs DESTINATION share/doc/rooflinectl PATTERN "*.in" EXCLUDE)
install(FILES reports/draw/font/OFL.txt DESTINATION share/doc/rooflinectl RENAME Inter-font-license.txt)
include(cmake/licences.cmake)
install(DIRECTORY examples experiments recordings DESTINATION share/rooflinectl)

install(DIRECTORY ${PROJECT_BINARY_DIR}/manuals/ DESTINATION share)

# `cpack` in the build folder packs the same folder as rooflinectl-<version>-Linux-<processor>.tar.gz, and as a .deb that
# brings it to /opt/rooflinectl. It depends on glibc alone.
set(CPACK_GENERATOR TGZ DEB)
set(CPACK_PACKAGE_NAME rooflinectl)
set(CPACK_SYSTEM_NAME "${CMAKE_SYSTEM_NAME}-${CMAKE_SYSTEM_PROCESSOR}")
set(CPACK_PACKAGE_VENDOR rooflinectl)
set(CPACK_PACKAGE_CONTACT "the maintainers of rooflinectl")
set(CPACK_PACKAGE_DESCRIPTION_SUMMARY "Roofline analysis of CUDA kernels and programs")
set(CPACK_DEBIAN_FILE_NAME DEB-DEFAULT)
set(CPACK_DEBIAN_PACKAGE_SECTION devel)
if(ROOFLINECTL_OLD_GLIBC)
  set(CPACK_DEBIAN_PACKAGE_DEPENDS "libc6 (>= 2.28)")
else()
  set(CPACK_DEBIAN_PACKAGE_DEPENDS "libc6 (>= 2.36)")
endif()
set(CPACK_PROJECT_CONFIG_FILE ${PROJECT_SOURCE_DIR}/cmake/package.cmake)
set(CPACK_PRE_BUILD_SCRIPTS ${PROJECT_SOURCE_DIR}/cmake/deb_links.cmake)
set(CPACK_VERBATIM_VARIABLES ON)
include(CPack)
