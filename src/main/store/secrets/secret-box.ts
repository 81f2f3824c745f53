/** Encrypts what must be sent again or goes on after a restart, and must never be read from the disk. */
import {
  type CipherGCM,
  createCipheriv,
  createDecipheriv,
  createHmac,
  createSecretKey,
  hash,
  type KeyObject,
  randomBytes,
} from 'node:crypto'
import { isDeepStrictEqual } from 'node:util'
import { AppError } from '../../../shared/contract/base/errors.ts'

/** How a host keeps the data keys safe: by the system's keychain, a key file or a key in the environment. */
export interface MasterKey {
  /** Tells one master key from another; stored beside what it wrapped. */
  readonly id: string
  wrap(key: Uint8Array): Uint8Array | Promise<Uint8Array>
  /** Throws where this master key did not wrap it. */
  unwrap(wrapped: Uint8Array): Uint8Array | Promise<Uint8Array>
}

/** What one value belongs to, `connector_auths:<id>` for instance: a value moved elsewhere cannot be opened there. */
export type SecretOwner = `${string}:${string}`

export interface SecretBox {
  /** True where no data key could be unwrapped or made: nothing can be sealed or opened. */
  readonly locked: boolean
  /** Why it is locked. */
  readonly lockedBecause: string | null
  /** True where some values were sealed under a key that this host cannot unwrap. */
  readonly hasUnreadable: boolean
  /** Throws `SecretBoxLockedError` while locked. */
  seal(owner: SecretOwner, text: string): Buffer
  /** Throws `SecretUnreadableError` about that one value. */
  open(owner: SecretOwner, sealed: Uint8Array): string
  /** The same for what is no text. */
  sealBytes(owner: SecretOwner, bytes: Uint8Array): Buffer
  openBytes(owner: SecretOwner, sealed: Uint8Array): Buffer
  /**
   * A name for a text that must not be read: the same for the same text, and telling nothing of it. The first is the one
   * to be used; under the others it may have been stored with an older key. Empty while locked.
   */
  pseudonyms(owner: SecretOwner, text: string): readonly string[]
  /** Whether the value's key is at hand; tells nothing of the value itself. */
  holdsKeyOf(sealed: Uint8Array): boolean
}

export interface DataKey {
  /** Derived from the bytes, so that an imported key is recognised. */
  readonly id: string
  readonly bytes: Uint8Array
  /** The same bytes, made ready once: a cipher made from plain bytes takes seven times as long. */
  readonly ready: KeyObject
  /** What a sealed value begins with: format and key. */
  readonly prefix: Buffer
}

/** This one value cannot be opened: its key is missing, it was changed, or it belongs to another record. */
export class SecretUnreadableError extends Error {
  override readonly name = 'SecretUnreadableError'
  readonly owner: SecretOwner

  constructor(owner: SecretOwner, cause?: unknown) {
    super(`The secret of ${owner} can't be decrypted on this machine; enter it again`, { cause })
    this.owner = owner
  }
}

/** Answered as 503: it passes once the master key is there. */
export class SecretBoxLockedError extends AppError {
  constructor(reason: string) {
    super('unavailable', `Can't encrypt: ${reason}; import the key with "millrace key import"`, {
      headers: { 'Retry-After': '60' },
    })
  }
}

const KEY_BYTES = 32
const KEY_ID_BYTES = 8
const NONCE_BYTES = 12
const TAG_BYTES = 16
const FORMAT = 1
/** Where each part of a sealed value begins: format, key id, nonce, tag, ciphertext. */
const NONCE_AT = 1 + KEY_ID_BYTES
const TAG_AT = NONCE_AT + NONCE_BYTES
const TEXT_AT = TAG_AT + TAG_BYTES

export function newDataKey(): DataKey {
  return toDataKey(randomBytes(KEY_BYTES))
}

export function toDataKey(bytes: Uint8Array): DataKey {
  if (bytes.length !== KEY_BYTES) throw new Error(`A data key has ${KEY_BYTES} bytes, not ${bytes.length}`)
  const digest = hash('sha256', Buffer.concat([Buffer.from('millrace data key\0'), bytes]), 'buffer')
  const id = digest.subarray(0, KEY_ID_BYTES)
  const prefix = Buffer.concat([Buffer.of(FORMAT), id])
  return { id: id.toString('hex'), bytes, ready: createSecretKey(bytes), prefix }
}

/** What the box reads at each call; an imported key appears in it at once. */
export interface KeyRing {
  /** The first one seals, all of them open. */
  keys: readonly DataKey[]
  /** How many stored keys could not be unwrapped. */
  unreadable: number
  /** Why there is no key, where there is none. */
  problem: string
}

export function createSecretBox(ring: KeyRing): SecretBox {
  const keyOf = (sealed: Uint8Array) => {
    const id = Buffer.from(sealed.subarray(1, NONCE_AT)).toString('hex')
    return ring.keys.find((key) => key.id === id)?.ready ?? null
  }

  function sealWith(owner: SecretOwner, encrypt: (cipher: CipherGCM) => Buffer): Buffer {
    const [key] = ring.keys
    if (key === undefined) throw new SecretBoxLockedError(ring.problem)
    const nonce = nextNonce()
    const cipher = createCipheriv('aes-256-gcm', key.ready, nonce)
    cipher.setAAD(Buffer.from(owner))
    const body = encrypt(cipher)
    cipher.final()
    return Buffer.concat([key.prefix, nonce, cipher.getAuthTag(), body])
  }

  function openBytes(owner: SecretOwner, sealed: Uint8Array): Buffer {
    const key = keyOf(sealed)
    if (key === null || sealed[0] !== FORMAT || sealed.length < TEXT_AT)
      throw new SecretUnreadableError(owner)
    try {
      const nonce = sealed.subarray(NONCE_AT, TAG_AT)
      const decipher = createDecipheriv('aes-256-gcm', key, nonce, { authTagLength: TAG_BYTES })
      decipher.setAAD(Buffer.from(owner))
      decipher.setAuthTag(sealed.subarray(TAG_AT, TEXT_AT))
      const bytes = decipher.update(sealed.subarray(TEXT_AT))
      decipher.final()
      return bytes
    } catch (cause) {
      throw new SecretUnreadableError(owner, cause)
    }
  }

  return {
    get locked() {
      return ring.keys.length === 0
    },
    get lockedBecause() {
      return ring.keys.length === 0 ? ring.problem : null
    },
    get hasUnreadable() {
      return ring.unreadable > 0
    },
    seal: (owner, text) => sealWith(owner, (cipher) => cipher.update(text, 'utf8')),
    open: (owner, sealed) => openBytes(owner, sealed).toString('utf8'),
    sealBytes: (owner, bytes) => sealWith(owner, (cipher) => cipher.update(bytes)),
    openBytes,
    pseudonyms: (owner, text) =>
      ring.keys.map(({ ready }) =>
        createHmac('sha256', ready).update(`${owner}\0${text}`).digest('base64url'),
      ),
    holdsKeyOf: (sealed) => keyOf(sealed) !== null,
  }
}

const NONCES_AT_ONCE = 256
let nonces = Buffer.alloc(0)

/** Fresh random bytes, fetched many at a time: one call for each would cost more than the encryption. */
function nextNonce(): Buffer {
  if (nonces.length === 0) nonces = randomBytes(NONCE_BYTES * NONCES_AT_ONCE)
  const nonce = nonces.subarray(0, NONCE_BYTES)
  nonces = nonces.subarray(NONCE_BYTES)
  return nonce
}

/** `{ auth_token: '…', 'user_input.client_secret': '…' }` */
export type Secrets = Readonly<Record<string, string>>

/** Null where there is nothing to hide. */
export function sealSecrets(box: SecretBox, owner: SecretOwner, secrets: Secrets): Buffer | null {
  return Object.keys(secrets).length === 0 ? null : box.seal(owner, JSON.stringify(secrets))
}

/** @throws SecretUnreadableError about this record where they cannot be decrypted on this machine */
export function openSecrets(box: SecretBox, owner: SecretOwner, sealed: Uint8Array | null): Secrets {
  return sealed === null ? {} : (JSON.parse(box.open(owner, sealed)) as Secrets)
}

/** Whether these very secrets are what is stored. */
export function isSealedAlready(
  box: SecretBox,
  owner: SecretOwner,
  sealed: Uint8Array | null,
  secrets: Secrets,
): boolean {
  try {
    return isDeepStrictEqual(openSecrets(box, owner, sealed), { ...secrets })
  } catch {
    return false
  }
}
