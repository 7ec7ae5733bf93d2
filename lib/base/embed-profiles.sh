#!/bin/sh
# SPDX-License-Identifier: LGPL-3.0-or-later
# embed-profiles.sh DIR: print a C file that holds every DIR/NAME.profile as a string.
set -eu
echo '/* Made by lib/base/embed-profiles.sh. */'
echo '#include "lib/base/profile.h"'
echo 'const struct profile_text profile_texts[] = {'
for file in "$1"/*.profile; do
    echo "    {\"built-in $(basename "$file" .profile)\","
    sed 's/[\\"]/\\&/g; s/.*/     "&\\n"/' "$file"
    echo '    },'
done
echo '    {0}};'
