#!/bin/sh
# usage: certify.sh NAME SUBJECT [ALTERNATIVE]
# Certificates of an authority of your own, for Kafka and PostgreSQL: docs/deploy.md says which are needed. Writes to the current folder
# NAME.crt, NAME.key and both in NAME.pem, and first, if there is none yet, the authority: ca.crt, and ca.key, which stays here.
# A server needs an ALTERNATIVE, the names that it is reached by: DNS:kafka1.example or IP:10.0.0.1, with commas between several.
set -eu
umask 077

if [ $# -lt 2 ] || [ $# -gt 3 ]; then
    sed -n '2s/^# //p' "$0" >&2
    exit 2
fi

# A key without a password, and what "$@" makes of it.
request() { openssl req -newkey ec -pkeyopt ec_paramgen_curve:P-256 -nodes "$@"; }

[ -e ca.key ] || request -x509 -days 3650 -subj /CN=berth-authority -keyout ca.key -out ca.crt

printf '%s\n' basicConstraints=critical,CA:FALSE keyUsage=critical,digitalSignature extendedKeyUsage=serverAuth,clientAuth \
    ${3:+"subjectAltName=$3"} >"$1.ext"
request -subj "$2" -keyout "$1.key" -out "$1.csr"
openssl x509 -req -in "$1.csr" -extfile "$1.ext" -CA ca.crt -CAkey ca.key -CAcreateserial -days 365 -out "$1.crt"
cat "$1.key" "$1.crt" >"$1.pem"
rm "$1.csr" "$1.ext"
