# LibTorch for the run engine, without torch's own CMake package: that one wants a CUDA toolkit whenever the build has CUDA, and the
# worker includes no CUDA header. Looked for in this order:
#   1. -DLIBTORCH=DIR, a folder with include/ and lib/ (an unpacked LibTorch, or site-packages/torch)
#   2. the Python in the environment variable PT2SCOPE_PYTHON, that of build/venv in the source tree, then python3
# Sets LibTorch_FOUND, LibTorch_ROOT, LibTorch_VERSION ("2.13.0"), LibTorch_NUMBER (213), LibTorch_VARIANT ("cpu", "cu130", empty), LibTorch_CXX11_ABI
# (0 or 1) and the imported target LibTorch::LibTorch. What was looked at and why it did not do is in LibTorch_NOT_FOUND_MESSAGE.

# The folder that `import torch` would take, asked without importing it.
function(_libtorch_of_python python out)
  execute_process(
    COMMAND ${python} -c "import importlib.util as u; s = u.find_spec('torch'); print(s.submodule_search_locations[0] if s else '')"
    OUTPUT_VARIABLE _folder ERROR_QUIET OUTPUT_STRIP_TRAILING_WHITESPACE RESULT_VARIABLE _status)
  if(_status EQUAL 0 AND EXISTS "${_folder}/lib/libtorch_cpu.so")
    set(${out} "${_folder}" PARENT_SCOPE)
  else()
    set(${out} "" PARENT_SCOPE)
  endif()
endfunction()

set(LibTorch_ROOT "")
set(LibTorch_NOT_FOUND_MESSAGE "")
if(LIBTORCH)
  get_filename_component(LibTorch_ROOT "${LIBTORCH}" ABSOLUTE BASE_DIR "${CMAKE_SOURCE_DIR}")
  if(NOT EXISTS "${LibTorch_ROOT}/lib/libtorch_cpu.so")
    message(FATAL_ERROR "LIBTORCH=${LIBTORCH} has no lib/libtorch_cpu.so. It must name the folder of LibTorch that holds include/ and lib/.")
  endif()
else()
  set(_candidates "")
  if(NOT "$ENV{PT2SCOPE_PYTHON}" STREQUAL "")
    list(APPEND _candidates "$ENV{PT2SCOPE_PYTHON}")
  endif()
  list(APPEND _candidates "${CMAKE_SOURCE_DIR}/build/venv/bin/python" python3)
  foreach(_python IN LISTS _candidates)
    _libtorch_of_python("${_python}" LibTorch_ROOT)
    # A build that configures itself anew may run without the environment variable it was configured with.
    if(NOT LibTorch_ROOT AND EXISTS "${PT2SCOPE_LIBTORCH_FOUND_BEFORE}/lib/libtorch_cpu.so")
      set(LibTorch_ROOT "${PT2SCOPE_LIBTORCH_FOUND_BEFORE}")
    endif()
    if(LibTorch_ROOT)
      set(PT2SCOPE_LIBTORCH_FOUND_BEFORE "${LibTorch_ROOT}" CACHE INTERNAL "LibTorch of the last configuration")
      break()
    endif()
  endforeach()
  if(NOT LibTorch_ROOT)
    list(JOIN _candidates ", " _names)
    set(LibTorch_NOT_FOUND_MESSAGE "none of these Pythons has torch: ${_names}; -DLIBTORCH=DIR names one directly")
  endif()
endif()

if(LibTorch_ROOT)
  set(LibTorch_VERSION "")
  set(LibTorch_VARIANT "")
  # 2.9 moved the version header; torch/version.py exists only in wheels and carries the variant ("2.13.0+cpu"), build-version only in archives.
  foreach(_header torch/headeronly/version.h torch/csrc/api/include/torch/version.h)
    if(NOT LibTorch_VERSION AND EXISTS "${LibTorch_ROOT}/include/${_header}")
      file(STRINGS "${LibTorch_ROOT}/include/${_header}" _numbers REGEX "define TORCH_VERSION_(MAJOR|MINOR|PATCH) ")
      string(REGEX MATCHALL "[0-9]+" _numbers "${_numbers}")
      list(JOIN _numbers "." LibTorch_VERSION)
    endif()
  endforeach()
  set(_full "")
  if(EXISTS "${LibTorch_ROOT}/version.py")
    file(STRINGS "${LibTorch_ROOT}/version.py" _full REGEX "^__version__")
  elseif(EXISTS "${LibTorch_ROOT}/build-version")
    file(STRINGS "${LibTorch_ROOT}/build-version" _full LIMIT_COUNT 1)
  endif()
  if(_full MATCHES "\\+([A-Za-z0-9.]+)")
    set(LibTorch_VARIANT "${CMAKE_MATCH_1}")
  endif()
  if(NOT LibTorch_VERSION AND _full MATCHES "([0-9]+\\.[0-9]+\\.[0-9]+)")
    set(LibTorch_VERSION "${CMAKE_MATCH_1}")
  endif()

  # A constructor that takes std::string tells which of libstdc++'s two string types the libraries were built with.
  file(STRINGS "${LibTorch_ROOT}/lib/libc10.so" _constructor REGEX "_ZN3c105ErrorC1ENS_14SourceLocationE" LIMIT_COUNT 1)
  if(_constructor MATCHES "__cxx11")
    set(LibTorch_CXX11_ABI 1)
  else()
    set(LibTorch_CXX11_ABI 0)
  endif()

  if(NOT EXISTS "${LibTorch_ROOT}/include/torch/csrc/inductor/aoti_runner/model_container_runner.h")
    set(LibTorch_NOT_FOUND_MESSAGE "${LibTorch_ROOT} has no headers of the AOTInductor runner")
    set(LibTorch_ROOT "")
  elseif(LibTorch_VERSION VERSION_LESS 2.8)
    set(LibTorch_NOT_FOUND_MESSAGE "${LibTorch_ROOT} is LibTorch ${LibTorch_VERSION}, and 2.8 or later is needed")
    set(LibTorch_ROOT "")
  elseif(NOT LibTorch_CXX11_ABI)
    set(LibTorch_NOT_FOUND_MESSAGE "${LibTorch_ROOT} was built with _GLIBCXX_USE_CXX11_ABI=0, which this build does not use; take the cxx11-abi one")
    set(LibTorch_ROOT "")
  endif()
endif()

include(FindPackageHandleStandardArgs)
if(LibTorch_ROOT)
  find_package_handle_standard_args(LibTorch REQUIRED_VARS LibTorch_ROOT VERSION_VAR LibTorch_VERSION)
else()
  set(LibTorch_FOUND FALSE)
endif()

if(LibTorch_FOUND AND LibTorch_VERSION MATCHES "^([0-9]+)\\.([0-9]+)")
  math(EXPR LibTorch_NUMBER "${CMAKE_MATCH_1} * 100 + ${CMAKE_MATCH_2}")
endif()

if(LibTorch_FOUND AND NOT TARGET LibTorch::LibTorch)
  add_library(LibTorch::LibTorch INTERFACE IMPORTED GLOBAL)
  set(_libraries "")
  foreach(_name torch torch_cpu c10 torch_cuda c10_cuda torch_hip c10_hip torch_xpu c10_xpu)
    if(EXISTS "${LibTorch_ROOT}/lib/lib${_name}.so")
      list(APPEND _libraries "${LibTorch_ROOT}/lib/lib${_name}.so")
    endif()
  endforeach()
  set_target_properties(LibTorch::LibTorch PROPERTIES
    INTERFACE_INCLUDE_DIRECTORIES "${LibTorch_ROOT}/include;${LibTorch_ROOT}/include/torch/csrc/api/include"
    PT2SCOPE_LIBRARY_FOLDER "${LibTorch_ROOT}/lib"
    INTERFACE_COMPILE_DEFINITIONS "_GLIBCXX_USE_CXX11_ABI=${LibTorch_CXX11_ABI}")
  # Devices register themselves by static objects, so a library that no symbol asks for must stay linked. Lazy binding lets a worker that
  # meets another LibTorch reach its version check and refuse in words.
  target_link_libraries(LibTorch::LibTorch INTERFACE -Wl,--push-state,--no-as-needed ${_libraries} -Wl,--pop-state)
  target_link_options(LibTorch::LibTorch INTERFACE -Wl,-z,lazy)
endif()
