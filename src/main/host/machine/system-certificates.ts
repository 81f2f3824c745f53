import { getCACertificates, setDefaultCACertificates } from 'node:tls'

let isDone = false

/**
 * Trusts the system's certificate authorities, in addition to Node's own list and `NODE_EXTRA_CA_CERTS`, for all
 * connections of this thread that don't specify their own.
 */
export function trustSystemCertificates(): void {
  if (isDone) return
  isDone = true
  try {
    const known = getCACertificates('default')
    setDefaultCACertificates([...new Set([...known, ...getCACertificates('system')])])
  } catch {
    // A store that can't be read adds nothing. Connections that need it fail with their own message.
  }
}
