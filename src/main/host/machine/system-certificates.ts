import { getCACertificates, setDefaultCACertificates } from 'node:tls'

let isDone = false

/**
 * Trusts the authorities that the system trusts, in addition to Node's own list and `NODE_EXTRA_CA_CERTS`, for every
 * connection of this thread that doesn't specify its own.
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
