import { trimEnd } from '../../../shared/trim.ts'
import { trustSystemCertificates } from '../../host/machine/system-certificates.ts'
import { EXIT, HostError } from '../../host/machine/exit-codes.ts'
import { createHostClient, type HostClient } from './host-client.ts'

const LOOPBACK = /^(?:localhost|127(?:\.\d+){3}|\[::1\])$/

/**
 * A Millrace at a URL, called with the token in `MILLRACE_TOKEN`.
 *
 * @throws HostError
 */
export function remoteHost(given: string): HostClient {
  const token = process.env.MILLRACE_TOKEN
  if (!token)
    throw new HostError(
      EXIT.usage,
      'The environment variable MILLRACE_TOKEN is missing; set it to an access token of the Millrace at --url',
    )
  const url = URL.parse(given)
  if (url === null || !/^https?:$/.test(url.protocol))
    throw new HostError(EXIT.usage, `--url must begin with https:// or http://, got "${given}"`)
  if (url.protocol === 'http:' && !LOOPBACK.test(url.hostname))
    throw new HostError(
      EXIT.usage,
      `--url must begin with https://, since the token is sent along: "${given}"`,
    )
  trustSystemCertificates()
  return createHostClient(trimEnd(url.href, '/'), token)
}
