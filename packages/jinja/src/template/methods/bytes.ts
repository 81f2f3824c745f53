import { say } from '../../data/said.ts'
import { operation } from '../calls/operation.ts'
import type { Operation } from '../base/operation.ts'
import { argumentFault } from '../base/faults.ts'
import { checkTextSize } from '../base/limits.ts'
import type { Bytes } from '../base/value.ts'
import { needText } from './arguments.ts'

/** The methods of `bytes` that return strings. */
export const BYTES_METHODS: readonly Operation<Bytes>[] = [
  operation(
    'decode',
    "encoding='utf-8', errors='strict'",
    'Decodes the bytes into a string.',
    ({ bytes }: Bytes, [encoding, errors]) => {
      const name = needText('decode', encoding).toLowerCase().replaceAll('_', '-')
      checkTextSize(bytes.length)
      return decode(bytes, name, needText('decode', errors) === 'strict')
    },
  ),
  operation('hex', '', 'The bytes as hexadecimal digits.', ({ bytes }: Bytes) => {
    checkTextSize(bytes.length * 2)
    return Buffer.from(bytes).toString('hex')
  }),
]

const LABELS: ReadonlyMap<string, string> = new Map([
  ['utf-8', 'utf-8'],
  ['utf8', 'utf-8'],
  ['ascii', 'utf-8'],
  ['utf-16-le', 'utf-16le'],
])

function decode(bytes: Uint8Array, name: string, strict: boolean): string {
  if (name === 'latin-1' || name === 'iso-8859-1') return Buffer.from(bytes).toString('latin1')
  const label = LABELS.get(name)
  if (label === undefined) throw argumentFault(say`unknown encoding: ${name}`)
  try {
    return new TextDecoder(label, { fatal: strict, ignoreBOM: true }).decode(bytes)
  } catch {
    throw argumentFault(say`'${name}' codec can't decode these bytes`)
  }
}
