# Runs PROGRAM on 1, 2 and 4 ranks: for each number of ranks, 1 and 2 threads must print the same.
#   cmake -DPROGRAM=... -DMPIEXEC=mpirun -P same_for_threads.cmake
include(${CMAKE_CURRENT_LIST_DIR}/ranks.cmake)

foreach(ranks 1 2 4)
  foreach(threads 1 2)
    set(ENV{OMP_NUM_THREADS} ${threads})
    execute_process(COMMAND ${MPIEXEC} -n ${ranks} ${PROGRAM}
                    OUTPUT_VARIABLE output ERROR_VARIABLE errors RESULT_VARIABLE result)
    if(NOT result EQUAL 0 OR output STREQUAL "")
      message(FATAL_ERROR "${ranks} ranks, ${threads} threads: exit ${result}\n${output}${errors}")
    endif()
    message(STATUS "${ranks} ranks, ${threads} threads:\n${output}")
    if(threads GREATER 1 AND NOT output STREQUAL "${expected}")
      message(FATAL_ERROR "${ranks} ranks: ${threads} threads give something else than one")
    endif()
    set(expected "${output}")
  endforeach()
endforeach()
