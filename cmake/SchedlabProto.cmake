# schedlab_proto(<target> FILES <proto>...): C++ and gRPC code of protos, as a library. Generated code
# is not ours to lint, so its headers are system headers.
find_package(Protobuf REQUIRED)  # before gRPC: its package needs the targets
find_package(gRPC CONFIG REQUIRED)

function(schedlab_proto target)
  cmake_parse_arguments(ARG "" "" "FILES" ${ARGN})
  set(out ${PROJECT_BINARY_DIR}/generated)
  file(MAKE_DIRECTORY ${out})
  set(generated)
  foreach(file ${ARG_FILES})
    string(REGEX REPLACE "\\.proto$" "" stem ${file})
    set(outputs ${out}/${stem}.pb.cc ${out}/${stem}.pb.h ${out}/${stem}.grpc.pb.cc
        ${out}/${stem}.grpc.pb.h)
    add_custom_command(
      OUTPUT ${outputs}
      COMMAND protobuf::protoc -I ${PROJECT_SOURCE_DIR}/proto --cpp_out ${out} --grpc_out ${out}
              --plugin=protoc-gen-grpc=$<TARGET_FILE:gRPC::grpc_cpp_plugin> ${file}
      DEPENDS ${PROJECT_SOURCE_DIR}/proto/${file}
      WORKING_DIRECTORY ${PROJECT_SOURCE_DIR}/proto
      COMMENT "protoc ${file}"
      VERBATIM)
    list(APPEND generated ${outputs})
  endforeach()
  add_library(${target} STATIC ${generated})
  target_compile_features(${target} PUBLIC cxx_std_20)
  target_include_directories(${target} SYSTEM PUBLIC ${out})
  target_link_libraries(${target} PUBLIC protobuf::libprotobuf gRPC::grpc++)
endfunction()
