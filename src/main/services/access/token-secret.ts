/**
 * The bearer secrets Millrace gives out: a prefix that says what it is, 48 characters base62 of chance (285 bits) and
 * 6 of a checksum, so that a mistyped or made-up one is known for such without asking the database.
 */
import { hash } from 'node:crypto'
import { crc32 } from 'node:zlib'
import type { SecureRandom } from '../kit/ports.ts'

export const TOKEN_PREFIX = 'mr_pat_'
export const WEBHOOK_TOKEN_PREFIX = 'mr_whk_'
export type SecretPrefix = typeof TOKEN_PREFIX | typeof WEBHOOK_TOKEN_PREFIX

const RANDOM_LENGTH = 48
const CHECKSUM_LENGTH = 6

export function createSecret(prefix: SecretPrefix, random: SecureRandom): string {
  const chance = randomBase62(RANDOM_LENGTH, random)
  return `${prefix}${chance}${checksum(chance)}`
}

/** Could Millrace have given this out? Says nothing about whether it did. */
export function isWellFormedSecret(prefix: SecretPrefix, text: string): boolean {
  if (text.length !== prefix.length + RANDOM_LENGTH + CHECKSUM_LENGTH || !text.startsWith(prefix))
    return false
  const chance = text.slice(prefix.length, -CHECKSUM_LENGTH)
  return /^[0-9A-Za-z]+$/.test(chance) && text.endsWith(checksum(chance))
}

/**
 * SHA-256 in hexadecimal, which is what is stored and looked up. There is nothing to guess in 285 random bits, so a
 * slow hash would protect nothing; and as the look-up is by hash, its time tells nothing of the secret.
 */
export function hashSecret(secret: string): string {
  return hash('sha256', secret, 'hex')
}

/** Of a personal access token; `now` in milliseconds of the Unix epoch. */
export function isExpired({ expiration }: { readonly expiration: string | null }, now: number): boolean {
  return expiration !== null && Date.parse(expiration) <= now
}

const BASE62 = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz'

function randomBase62(length: number, random: SecureRandom): string {
  let text = ''
  while (text.length < length) {
    for (const byte of random.bytes(length)) {
      // 248 is the largest multiple of 62 in a byte: taking more would make some characters likelier.
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
