# SPDX-FileCopyrightText: 2026 The avrankmap authors
# SPDX-License-Identifier: BSD-3-Clause

# Finds PMI-2, which has no pkg-config file: avrankmap_pmi2, if it is there. Part of the package, too.
# The library is that of Slurm (libpmi2) or of Cray. Set both variables for one of your own.
find_path(AVRM_PMI2_INCLUDE_DIR NAMES pmi2.h PATH_SUFFIXES slurm DOC "Folder of pmi2.h")
find_library(AVRM_PMI2_LIBRARY NAMES pmi2 DOC "Client library of PMI-2")
mark_as_advanced(AVRM_PMI2_INCLUDE_DIR AVRM_PMI2_LIBRARY)
if(AVRM_PMI2_INCLUDE_DIR AND AVRM_PMI2_LIBRARY AND NOT TARGET avrankmap_pmi2)
  add_library(avrankmap_pmi2 UNKNOWN IMPORTED GLOBAL)
  set_target_properties(
    avrankmap_pmi2 PROPERTIES IMPORTED_LOCATION "${AVRM_PMI2_LIBRARY}"
                              INTERFACE_INCLUDE_DIRECTORIES "${AVRM_PMI2_INCLUDE_DIR}"
  )
endif()
