#!/bin/sh
# ps -o stat= -o lstart= -p PID
eval "pid=\${$#}"
[ -d "/proc/$pid" ] || exit 1
echo "S+   started $(stat -c %Z "/proc/$pid") in $TZ, ${LC_ALL:-$LANG}"
