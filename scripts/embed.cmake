# SPDX-License-Identifier: GPL-2.0-or-later
# Writes OUT, a C header with one string per file of FILES, named PREFIX and
# the file's name without its extension.
set(text "/* Generated from files of the source tree. */\n")
foreach(file ${FILES})
  get_filename_component(name ${file} NAME_WE)
  file(READ ${file} content)
  string(REPLACE "\\" "\\\\" content "${content}")
  string(REPLACE "\"" "\\\"" content "${content}")
  string(REPLACE "\n" "\\n\"\n\t\"" content "${content}")
  string(APPEND text
    "static const char ${PREFIX}${name}[] =\n\t\"${content}\";\n")
endforeach()
file(WRITE ${OUT} "${text}")
