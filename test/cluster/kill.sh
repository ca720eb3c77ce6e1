#!/usr/bin/env bash
# Ends a pod's containers immediately, as a crash would: SIGKILL, without preStop or SIGTERM.
#   ./kill.sh NAMESPACE POD
. "$(dirname "$0")/lib.sh"
need_root
ids=$(k -n "$1" get pod "$2" -o 'jsonpath={.status.containerStatuses[*].containerID}')
for id in $ids; do c task kill --signal SIGKILL "${id#containerd://}"; done
