# How a folder becomes a library, a binary or a test. Flags, sanitizers and warnings are set here and
# nowhere else.

option(WERROR "Treat warnings as errors" OFF)
set(SANITIZE "" CACHE STRING "Sanitizers to build with, e.g. address,undefined or thread")

add_library(schedlab_flags INTERFACE)
target_compile_features(schedlab_flags INTERFACE cxx_std_20)
# -ffp-contract=off: a fused multiply-add rounds once instead of twice, so digests would differ
# between machines.
target_compile_options(schedlab_flags INTERFACE
  -Wall -Wextra -Wpedantic -Wshadow -Wconversion -Wnon-virtual-dtor -Wold-style-cast
  -ffp-contract=off
  $<$<CXX_COMPILER_ID:Clang>:-Wthread-safety>
  # g++ 12 sees overlapping copies in std::string where there are none (GCC bug 105651).
  $<$<CXX_COMPILER_ID:GNU>:-Wno-restrict>
  $<$<BOOL:${WERROR}>:-Werror>)
target_include_directories(schedlab_flags INTERFACE ${PROJECT_SOURCE_DIR})
if(SANITIZE)
  target_compile_options(schedlab_flags INTERFACE
    -fsanitize=${SANITIZE} -fno-sanitize-recover=all -fno-omit-frame-pointer)
  target_link_options(schedlab_flags INTERFACE -fsanitize=${SANITIZE})
  # Instrumented code hides from g++ 12 that a variant was set; the sanitizers see it themselves.
  target_compile_options(schedlab_flags INTERFACE
    $<$<CXX_COMPILER_ID:GNU>:-Wno-maybe-uninitialized>)
endif()

# schedlab_library(<name> SOURCES <file>... [DEPENDS <target>...] [PRIVATE_DEPENDS <target>...])
function(schedlab_library name)
  cmake_parse_arguments(ARG "" "" "SOURCES;DEPENDS;PRIVATE_DEPENDS" ${ARGN})
  add_library(schedlab_${name} STATIC ${ARG_SOURCES})
  target_link_libraries(schedlab_${name}
    PUBLIC ${ARG_DEPENDS} PRIVATE ${ARG_PRIVATE_DEPENDS} schedlab_flags)
endfunction()

# schedlab_binary(<name> SOURCES <file>... [DEPENDS <target>...]): goes to <build>/bin/<name>.
function(schedlab_binary name)
  cmake_parse_arguments(ARG "" "" "SOURCES;DEPENDS" ${ARGN})
  add_executable(${name} ${ARG_SOURCES})
  target_link_libraries(${name} PRIVATE ${ARG_DEPENDS} schedlab_flags)
  set_target_properties(${name} PROPERTIES RUNTIME_OUTPUT_DIRECTORY ${PROJECT_BINARY_DIR}/bin)
endfunction()
