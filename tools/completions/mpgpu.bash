# SPDX-License-Identifier: LGPL-3.0-or-later
# shellcheck shell=bash
# Completes the options of mpgpu-gmp's programs, as their --help lists them, in bash.

# _mpgpu_program HELP: the index of the word behind mpgpu-run's options; COMP_CWORD or more without.
_mpgpu_program() {
    local at=1
    while [[ $at -lt $COMP_CWORD && ${COMP_WORDS[at]} == -* ]]; do
        [[ ${COMP_WORDS[at]} == -- ]] && echo $((at + 1)) && return
        # --stats=text, --backend B: a value follows.
        if [[ ${COMP_WORDS[at + 1]-} == = ]]; then
            at=$((at + 2))
        elif [[ $1 == *" ${COMP_WORDS[at]} "[A-Z]* ]]; then
            at=$((at + 1))
        fi
        at=$((at + 1))
    done
    echo $at
}

_mpgpu() {
    local help options at word=${COMP_WORDS[COMP_CWORD]}
    help=$("$1" --help 2>/dev/null)
    COMPREPLY=()
    if [[ ${1##*/} == mpgpu-run ]]; then
        at=$(_mpgpu_program "$help")
        if [[ $at -lt $COMP_CWORD ]]; then
            ! declare -F _command_offset >/dev/null || _command_offset "$at"
            return 0
        fi
        if [[ $at -eq $COMP_CWORD && $word != -* ]]; then
            mapfile -t COMPREPLY < <(compgen -c -- "$word" | sort -u)
            return 0
        fi
    fi
    [[ $word == -* ]] || return 0
    options=$(grep -oE -- '--[a-z][a-z-]*' <<<"$help")
    mapfile -t COMPREPLY < <(compgen -W "$options" -- "$word" | sort -u)
}
complete -o bashdefault -o default -F _mpgpu mpgpu-run mpgpu-info mpgpu-serve mpgpu-tune mpgpu-bench mpgpu-bench-report
