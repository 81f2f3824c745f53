/** Finds and checks servers for protocols other than HTTP before anything connects to them. */
import { say } from '../../../../shared/contract/base/message.ts'
import { lookup } from 'node:dns/promises'
import { AppError } from '../../../../shared/contract/base/errors.ts'
import { classifyAddress } from '../../../engine/request/addresses.ts'

export interface FoundHost {
  readonly address: string
  /** Whether the server is on this machine. */
  readonly isLocal: boolean
}

/**
 * Returns the IP address that was checked. Connect to this address, so that a DNS change a moment later has no effect.
 */
export async function resolveHost(name: string, kind: 'mail' | 'database'): Promise<FoundHost> {
  const host =
    kind === 'mail'
      ? say('The mail server {{name}}', { name })
      : say('The database server {{name}}', { name })
  const { address } = await lookup(name).catch((cause: unknown) => {
    throw new AppError('unavailable', say("{{host}} wasn't found; check its name", { host }), { cause })
  })
  const found = classifyAddress(address)
  if (found !== 'forbidden') return { address, isLocal: found === 'loopback' }
  throw new AppError(
    'forbidden',
    say('{{host}} has the IP address {{ip}}, which Millrace never connects to', { host, ip: address }),
  )
}
