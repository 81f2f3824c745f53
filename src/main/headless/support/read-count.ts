import { EXIT, HostError } from '../../host/machine/exit-codes.ts'

const MOST = 200

/** @throws HostError naming the option */
export function readCount(text: string, option = '--count'): number {
  const count = /^\d{1,6}$/.test(text) ? Number(text) : 0
  if (count >= 1 && (option !== '--count' || count <= MOST)) return count
  const range = option === '--count' ? `from 1 to ${MOST}` : 'from 1'
  throw new HostError(EXIT.usage, `${option} is "${text}", but must be a whole number ${range}`)
}
