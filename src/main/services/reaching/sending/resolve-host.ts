/** Servers that are reached by other protocols than HTTP: found and checked before anything connects to them. */
import { say } from '../../../../shared/contract/base/message.ts'
import { lookup } from 'node:dns/promises'
import { AppError } from '../../../../shared/contract/base/errors.ts'
import { classifyAddress } from '../../../engine/request/addresses.ts'

export interface FoundHost {
  readonly address: string
  /** On this machine. */
  readonly isLocal: boolean
}

/** The IP address that was checked is the one to use: a DNS change a moment later has no effect. */
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
