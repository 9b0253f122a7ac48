# SPDX-FileCopyrightText: 2026 The avrankmap authors
# SPDX-License-Identifier: BSD-3-Clause

# The tests of the device for the thread sanitizer, which sees nothing where processes have one
# thread each: the files that start threads, under the names that device.cmake gives their programs.

set(device_suites device/atomics.cc device/cancels.cc device/completion.cc device/fastpath/fastpath_messages.cc
                  device/fastpath/fastpath_windows.cc device/messages.cc device/probes.cc device/request_sets.cc
                  device/traffic.cc device/windows.cc
)
avrm_add_device_test(boot_tests SOURCES boot/cards_test.cc)
avrm_add_device_test(
  device_tests SOURCES device/atomics_threads_test.cc device/fastpath/fastpath_threads_test.cc
                       device/deaths/fault_test.cc device/probe_threads_test.cc ${device_suites}
)
avrm_add_device_test(sleep_tests SOURCES device/event_loop_test.cc device/sleep_test.cc ${device_suites})
avrm_add_device_test(fastpath_tests SOURCES device/fastpath/fastpath_test.cc)
avrm_add_device_test(comm_tests SOURCES comm/crowds_test.cc LIBRARIES avrm_synthetic)
avrm_add_device_test(dynamic_tests SOURCES dynamic/dynamic_test.cc)
if(AVRM_HAVE_POSIX)
  avrm_add_device_test(posix_tests SOURCES shmmod/doorbell_test.cc shmmod/ring_test.cc shmmod/share_test.cc)
endif()
