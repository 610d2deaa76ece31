# SPDX-License-Identifier: Apache-2.0
# Adds to the folder of the .deb, which has everything in /opt/rooflinectl, the links by which the command, its manual
# pages and its completions are found. CPack runs this before it packs.
if(NOT CPACK_GENERATOR STREQUAL "DEB")
  return()
endif()
set(root ${CPACK_TEMPORARY_DIRECTORY})

function(link folder file)
  file(MAKE_DIRECTORY ${root}/${folder})
  get_filename_component(name ${file} NAME)
  file(CREATE_LINK /${file} ${root}/${folder}/${name} SYMBOLIC)
endfunction()

link(usr/bin opt/rooflinectl/bin/rooflinectl)
file(GLOB shared RELATIVE ${root} ${root}/opt/rooflinectl/share/man/man1/* ${root}/opt/rooflinectl/share/*/*completions*/*)
foreach(file ${shared})
  get_filename_component(folder ${file} DIRECTORY)
  string(REPLACE opt/rooflinectl/share usr/share folder ${folder})
  link(${folder} ${file})
endforeach()
