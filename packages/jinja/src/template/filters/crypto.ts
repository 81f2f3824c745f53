import { say } from '../../data/said.ts'
import { createHash, createHmac } from 'node:crypto'
import { argumentFault } from '../base/faults.ts'
import { checkTextSize, randomUuid, spend, spendText } from '../base/limits.ts'
import { needText } from '../methods/arguments.ts'
import { textOf } from '../values/repr.ts'
import { isTrue } from '../values/truth.ts'
import { Undefined } from '../base/undefined.ts'
import { Bytes, type Value } from '../base/value.ts'
import { type Filter, filter } from '../calls/operation.ts'

/** Filters for encoding, signing and hashing. */
export const CRYPTO_FILTERS: readonly Filter[] = [
  filter('base64_decode', '', 'Decodes Base64, URL-safe too.', (value) => decodeBase64(textOf(value))),
  filter('base64_encode', 'urlsafe=false', 'Encodes the string (UTF-8) as Base64.', (value, [urlSafe]) => {
    const bytes = bytesOf(value)
    checkTextSize(bytes.length * 2)
    return bytes.toString(isTrue(urlSafe) ? 'base64url' : 'base64')
  }),
  filter(
    'hash',
    "algorithm='sha256', encoding='hex'",
    'Fingerprint: sha256, sha512, sha1 or md5.',
    (value, [algorithm, encoding]) =>
      createHash(algorithmOf(algorithm)).update(bytesOf(value)).digest(encodingOf(encoding)),
  ),
  filter(
    'hmac',
    "key, algorithm='sha256', encoding='hex'",
    'Signature with a key.',
    (value, [key, algorithm, encoding]) =>
      createHmac(algorithmOf(algorithm), bytesOf(key)).update(bytesOf(value)).digest(encodingOf(encoding)),
  ),
  filter(
    'uuid',
    '',
    'A UUID that is always the same for the same string, or a random one without a string.',
    (value) => {
      const text = textOf(value)
      return text === '' ? randomUuid() : uuidOf(text)
    },
  ),
]

const ALGORITHMS: ReadonlySet<string> = new Set(['sha256', 'sha1', 'md5', 'sha512', 'sha384', 'sha224'])

function algorithmOf(value: Value): string {
  const name = needText('algorithm', value).toLowerCase().replace('-', '')
  if (!ALGORITHMS.has(name)) {
    throw argumentFault(
      say`Unknown algorithm "${name.slice(0, 40)}"`,
      say`Known: ${[...ALGORITHMS].join(', ')}`,
    )
  }
  return name
}

function encodingOf(value: Value): 'hex' | 'base64' | 'base64url' {
  const name = needText('encoding', value)
  if (name === 'hex' || name === 'base64' || name === 'base64url') return name
  throw argumentFault(say`Unknown encoding "${name.slice(0, 40)}"`, say`Known: hex, base64, base64url`)
}

function bytesOf(value: Value): Buffer {
  if (value instanceof Undefined) throw value.fault()
  const bytes = value instanceof Bytes ? Buffer.from(value.bytes) : Buffer.from(textOf(value), 'utf8')
  spend(bytes.length / 64)
  return bytes
}

function decodeBase64(text: string): Value {
  checkTextSize(text.length)
  spendText(text.length * 24)
  const compact = text
    .replace(/\s+/g, '')
    .replaceAll('-', '+')
    .replaceAll('_', '/')
    .replace(/={1,2}$/, '')
  if (!/^[A-Za-z0-9+/]*$/.test(compact) || compact.length % 4 === 1)
    throw argumentFault(say`The string isn't Base64`)
  const bytes = Buffer.from(compact, 'base64')
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes)
  } catch {
    return new Bytes(bytes)
  }
}

/** The namespace for arbitrary names: a UUID version 5 within the namespace of URLs. */
const NAMESPACE = Buffer.from('6ba7b8119dad11d180b400c04fd430c8', 'hex')

function uuidOf(text: string): string {
  const digest = createHash('sha1').update(NAMESPACE).update(bytesOf(text)).digest()
  digest[6] = ((digest[6] ?? 0) & 0x0f) | 0x50
  digest[8] = ((digest[8] ?? 0) & 0x3f) | 0x80
  const hex = digest.toString('hex')
  return [hex.slice(0, 8), hex.slice(8, 12), hex.slice(12, 16), hex.slice(16, 20), hex.slice(20, 32)].join(
    '-',
  )
}
