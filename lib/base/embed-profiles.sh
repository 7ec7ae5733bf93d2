#!/bin/sh
# SPDX-License-Identifier: LGPL-3.0-or-later
# embed-profiles.sh DIR PROFILE_DEF: prints a C file that holds every DIR/NAME.profile as a string.
# For each threshold, the C file also has the least value in all profiles. So the first call of a
# process need not parse the profiles.
set -eu
LC_ALL=C # the order of files is the same in all locales
export LC_ALL
echo '/* Made by lib/base/embed-profiles.sh. */'
echo '#include "lib/base/conf.h"'
echo '#include "lib/base/profile.h"'
echo 'const struct profile_text profile_texts[] = {'
for file in "$1"/*.profile; do
    echo "    {\"built-in $(basename "$file" .profile)\","
    sed 's/[\\"]/\\&/g; s/.*/     "&\\n"/' "$file"
    echo '    },'
done
echo '    {0}};'

# Prints the least value of each threshold. Values of kind TIMES are in tenths, as profile_parse
# stores them.
echo 'const size_t profile_texts_least[2][PROFILE_THRESHOLDS] = {'
for cpus in 0 1; do
    awk -v cpus=$cpus '
        function keep(name, value) {
            if (!(name in least) || value < least[name])
                least[name] = value
        }
        function close_profile() {
            for (name in here)
                if (!(cpus && no_cpu))
                    keep(name, here[name])
            split("", here)
            no_cpu = 0
        }
        BEGIN { FS = "[(, ]+"; never = 2 ^ 64 }
        FNR == 1 { close_profile() }
        /^THRESHOLD/ { order[++count] = $2; tenths[$2] = $3 == "TIMES"; next }
        { sub(/#.*/, ""); gsub(/[ \t]/, ""); colon = index($0, ":") }
        colon {
            key = substr($0, 1, colon - 1)
            value = substr($0, colon + 1)
            if (key == "cpu")
                no_cpu = value == "no"
            else if (key in tenths && value != "auto")
                here[key] = value == "never" ? never : int(value * (tenths[key] ? 10 : 1) + 0.5)
        }
        END {
            close_profile()
            printf "    {"
            for (i = 1; i <= count; i++) {
                value = order[i] in least ? least[order[i]] : -1
                if (value < 0 || value == never)
                    printf "%s, ", value < 0 ? "MPGPU_UNSET" : "MPGPU_NEVER"
                else
                    printf "%.0f, ", value
            }
            print "},"
        }' "$2" "$1"/*.profile
done
echo '};'
