/**
 * The bearer secrets that Millrace issues: a prefix for the kind, 48 random base62 characters (285 bits) and a checksum
 * of 6 characters, so that mistyped or invented secrets are detected without the database.
 */
import { hash } from 'node:crypto'
import { crc32 } from 'node:zlib'
import type { SecureRandom } from '../../kit/ports.ts'

export const TOKEN_PREFIX = 'mr_pat_'
export const WEBHOOK_TOKEN_PREFIX = 'mr_whk_'
/** The prefix in links to questions. */
export const QUESTION_TOKEN_PREFIX = 'mr_ask_'
export type SecretPrefix = typeof TOKEN_PREFIX | typeof WEBHOOK_TOKEN_PREFIX | typeof QUESTION_TOKEN_PREFIX

const RANDOM_LENGTH = 48
const CHECKSUM_LENGTH = 6

export function createSecret(prefix: SecretPrefix, random: SecureRandom): string {
  const chance = randomBase62(RANDOM_LENGTH, random)
  return `${prefix}${chance}${checksum(chance)}`
}

/** The secret for a base64url code, which must be as hard to guess as the secret. */
export function secretOf(prefix: SecretPrefix, code: string): string {
  const chance = code
    .replaceAll('-', 'x')
    .replaceAll('_', 'y')
    .slice(0, RANDOM_LENGTH)
    .padEnd(RANDOM_LENGTH, '0')
  return `${prefix}${chance}${checksum(chance)}`
}

/** Whether Millrace could have issued this value; says nothing about whether it did. */
export function isWellFormedSecret(prefix: SecretPrefix, text: string): boolean {
  if (text.length !== prefix.length + RANDOM_LENGTH + CHECKSUM_LENGTH || !text.startsWith(prefix))
    return false
  const chance = text.slice(prefix.length, -CHECKSUM_LENGTH)
  return /^[0-9A-Za-z]+$/.test(chance) && text.endsWith(checksum(chance))
}

/**
 * SHA-256 in hexadecimal, which is stored and looked up. A slow hash would add nothing, because 285 random bits can't
 * be guessed; and because the lookup is by hash, its timing reveals nothing about the secret.
 */
export function hashSecret(secret: string): string {
  return hash('sha256', secret, 'hex')
}

/** Whether a personal access token has expired; `now` is Unix time in milliseconds. */
export function isExpired({ expiration }: { readonly expiration: string | null }, now: number): boolean {
  return expiration !== null && Date.parse(expiration) <= now
}

const BASE62 = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz'

function randomBase62(length: number, random: SecureRandom): string {
  let text = ''
  while (text.length < length) {
    for (const byte of random.bytes(length)) {
      // 248 is the largest multiple of 62 in a byte: accepting larger values would make some characters more likely.
      if (byte < 248 && text.length < length) text += BASE62[byte % 62]
    }
  }
  return text
}

function checksum(text: string): string {
  let rest = crc32(text)
  let digits = ''
  for (let place = 0; place < CHECKSUM_LENGTH; place++) {
    digits = BASE62[rest % 62] + digits
    rest = Math.floor(rest / 62)
  }
  return digits
}
