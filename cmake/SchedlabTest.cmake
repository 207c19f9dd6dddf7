# schedlab_test(<name> LABEL <label> SOURCES <file>... DEPENDS <target>... [LAUNCHER <word>...])
#
# The test runs as an argument of LAUNCHER where there is one, e.g. with a database of its own.
# The target <label>_tests builds every test of a label.
# One GoogleTest binary. Unit tests link the one library that they test, so that a layering error is
# a link error.
function(schedlab_test name)
  cmake_parse_arguments(ARG "" "LABEL;TIMEOUT" "SOURCES;DEPENDS;LAUNCHER" ${ARGN})
  if(NOT ARG_TIMEOUT)
    set(ARG_TIMEOUT 300)
  endif()
  add_executable(${name} ${ARG_SOURCES})
  target_link_libraries(${name} PRIVATE ${ARG_DEPENDS} GTest::gtest GTest::gtest_main schedlab_flags)
  target_compile_definitions(${name} PRIVATE SCHEDLAB_SOURCE_DIR="${PROJECT_SOURCE_DIR}")
  # One process a binary rather than one a test: starting a thousand of them costs more than they do.
  add_test(NAME ${name} COMMAND ${ARG_LAUNCHER} $<TARGET_FILE:${name}>)
  set_tests_properties(${name} PROPERTIES LABELS ${ARG_LABEL} TIMEOUT ${ARG_TIMEOUT})
  schedlab_label_target(${ARG_LABEL} ${name})
endfunction()

# schedlab_python_test(<name> LABEL <label> MODULE|SCRIPT <what> [ARGS <word>...] [USES <target>...]
#                      [TIMEOUT <s>] [PROCESSORS <n>] [LAUNCHER <word>...])
#
# One unittest module, or a script, of the folder that calls this. It is told where the programs are
# (SCHEDLAB_BIN_DIR) only where it says which it uses, so that <label>_tests builds them.
function(schedlab_python_test name)
  cmake_parse_arguments(ARG "" "LABEL;MODULE;SCRIPT;TIMEOUT;PROCESSORS" "ARGS;USES;LAUNCHER" ${ARGN})
  set(environment PYTHONDONTWRITEBYTECODE=1)
  if(ARG_USES)
    list(APPEND environment "SCHEDLAB_BIN_DIR=${PROJECT_BINARY_DIR}/bin")
    schedlab_label_target(${ARG_LABEL} "${ARG_USES}")
  endif()
  if(ARG_MODULE)
    set(what -m unittest -v ${ARG_MODULE})
  else()
    set(what ${CMAKE_CURRENT_SOURCE_DIR}/${ARG_SCRIPT} ${ARG_ARGS})
  endif()
  if(NOT ARG_TIMEOUT)
    set(ARG_TIMEOUT 300)
  endif()
  if(NOT ARG_PROCESSORS)
    set(ARG_PROCESSORS 1)
  endif()
  add_test(NAME ${name}
    COMMAND ${ARG_LAUNCHER} ${SCHEDLAB_PYTHON} ${what}
    WORKING_DIRECTORY ${CMAKE_CURRENT_SOURCE_DIR})
  set_tests_properties(${name} PROPERTIES LABELS ${ARG_LABEL} TIMEOUT ${ARG_TIMEOUT}
    PROCESSORS ${ARG_PROCESSORS} ENVIRONMENT "${environment}")
endfunction()

# Makes <label>_tests build the targets too.
function(schedlab_label_target label targets)
  if(NOT TARGET ${label}_tests)
    add_custom_target(${label}_tests)
  endif()
  add_dependencies(${label}_tests ${targets})
endfunction()
