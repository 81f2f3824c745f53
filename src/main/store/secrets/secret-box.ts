/** Encrypts values that must survive a restart but must never be readable on the disk. */
import { say, type Said } from '../../../shared/contract/base/message.ts'
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

/** The host's protection for the data keys: the system's keychain, a key file or a key in the environment. */
export interface MasterKey {
  /** Identifies the master key; stored with the keys it wrapped. */
  readonly id: string
  wrap(key: Uint8Array): Uint8Array | Promise<Uint8Array>
  /** Throws if this master key didn't wrap it. */
  unwrap(wrapped: Uint8Array): Uint8Array | Promise<Uint8Array>
}

/** The owner of a value, such as `connector_auths:<id>`. A value that is moved to another owner can't be opened. */
export type SecretOwner = `${string}:${string}`

export interface SecretBox {
  /** True if no data key could be unwrapped or created, so that nothing can be sealed or opened. */
  readonly locked: boolean
  /** The reason why it is locked. */
  readonly lockedBecause: Said | null
  /** True if some values were sealed with a key that this host can't unwrap. */
  readonly hasUnreadable: boolean
  /** Throws `SecretBoxLockedError` while locked. */
  seal(owner: SecretOwner, text: string): Buffer
  /** Throws `SecretUnreadableError` if this value can't be opened. */
  open(owner: SecretOwner, sealed: Uint8Array): string
  /** The same for binary data. */
  sealBytes(owner: SecretOwner, bytes: Uint8Array): Buffer
  openBytes(owner: SecretOwner, sealed: Uint8Array): Buffer
  /**
   * Pseudonyms of a string that must not be readable: always the same for the same string, and revealing nothing of it.
   * Use the first; the others are those it could have been stored under with an older key. Empty while locked.
   */
  pseudonyms(owner: SecretOwner, text: string): readonly string[]
  /** Whether the value's key is available; doesn't check the value itself. */
  holdsKeyOf(sealed: Uint8Array): boolean
}

export interface DataKey {
  /** Derived from the bytes, so that an imported key is recognized. */
  readonly id: string
  readonly bytes: Uint8Array
  /** The same bytes as a prepared key object, because creating a cipher from raw bytes takes seven times as long. */
  readonly ready: KeyObject
  /** The start of a sealed value: format and key. */
  readonly prefix: Buffer
}

/** Thrown if a value can't be opened: its key is missing, it was changed, or it belongs to another record. */
export class SecretUnreadableError extends Error {
  override readonly name = 'SecretUnreadableError'
  readonly owner: SecretOwner

  constructor(owner: SecretOwner, cause?: unknown) {
    super(`The secret of ${owner} can't be decrypted on this machine; enter it again`, { cause })
    this.owner = owner
  }
}

/** Returned as 503, because a retry succeeds once the master key is available. */
export class SecretBoxLockedError extends AppError {
  constructor(reason: Said) {
    super(
      'unavailable',
      say('Can\'t encrypt: {{reason}}; import the key with "millrace key import"', { reason }),
      {
        headers: { 'Retry-After': '60' },
      },
    )
  }
}

const KEY_BYTES = 32
const KEY_ID_BYTES = 8
const NONCE_BYTES = 12
const TAG_BYTES = 16
const FORMAT = 1
/** Offsets in a sealed value: format, key id, nonce, tag, ciphertext. */
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

/** Keys that the box reads at each call, so that an imported key takes effect at once. */
export interface KeyRing {
  /** The first one seals; all of them open. */
  keys: readonly DataKey[]
  /** Number of stored keys that couldn't be unwrapped. */
  unreadable: number
  /** The reason why there is no key, if there is none. */
  problem: Said
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

/** Random bytes are fetched in bulk, because a call for each nonce would cost more than the encryption. */
function nextNonce(): Buffer {
  if (nonces.length === 0) nonces = randomBytes(NONCE_BYTES * NONCES_AT_ONCE)
  const nonce = nonces.subarray(0, NONCE_BYTES)
  nonces = nonces.subarray(NONCE_BYTES)
  return nonce
}

/** Secrets by name, such as `{ auth_token: '…', 'user_input.client_secret': '…' }`. */
export type Secrets = Readonly<Record<string, string>>

/** Null if there are no secrets. */
export function sealSecrets(box: SecretBox, owner: SecretOwner, secrets: Secrets): Buffer | null {
  return Object.keys(secrets).length === 0 ? null : box.seal(owner, JSON.stringify(secrets))
}

/** @throws SecretUnreadableError naming this record if they can't be decrypted on this machine */
export function openSecrets(box: SecretBox, owner: SecretOwner, sealed: Uint8Array | null): Secrets {
  return sealed === null ? {} : (JSON.parse(box.open(owner, sealed)) as Secrets)
}

/** Whether exactly these secrets are stored. */
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
