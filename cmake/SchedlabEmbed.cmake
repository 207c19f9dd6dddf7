# schedlab_embed(<output.cc> ROOT <folder> GLOBS <glob>... HEADER <header> STATEMENT <code>)
#
# Writes a source file that holds the text of files, so that a binary needs nothing beside itself.
# STATEMENT is the function that returns them: @FILES@ in it becomes the initialisers
# {"path below ROOT", "text"}.
function(schedlab_embed output)
  # PARSE_ARGV keeps the semicolons of STATEMENT.
  cmake_parse_arguments(PARSE_ARGV 1 ARG "" "ROOT;HEADER;STATEMENT" "GLOBS")
  set(files)
  foreach(glob ${ARG_GLOBS})
    file(GLOB_RECURSE found CONFIGURE_DEPENDS RELATIVE ${ARG_ROOT} ${ARG_ROOT}/${glob})
    list(APPEND files ${found})
  endforeach()
  list(SORT files)
  set(initialisers)
  foreach(file ${files})
    set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${ARG_ROOT}/${file})
    file(READ ${ARG_ROOT}/${file} text)
    string(APPEND initialisers "{\"${file}\", R\"schedlab~(${text})schedlab~\"},\n")
  endforeach()
  string(REPLACE "@FILES@" "${initialisers}" statement "${ARG_STATEMENT}")
  file(CONFIGURE OUTPUT ${output} CONTENT "#include \"${ARG_HEADER}\"\n\n@statement@\n" @ONLY)
endfunction()
