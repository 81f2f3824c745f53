/** Wraps the store's data keys under 32 bytes that the user or a file of ours holds. */
import { createCipheriv, createDecipheriv, createHash, randomBytes } from 'node:crypto'
import type { MasterKey } from './store/secrets/secret-box.ts'

const NONCE_BYTES = 12
const TAG_BYTES = 16

/** AES-256-GCM, a fresh nonce each: nonce, tag, ciphertext. */
export function createMasterKey(bytes: Uint8Array): MasterKey {
  const digest = createHash('sha256').update('millrace master key\0').update(bytes).digest('hex')
  return {
    id: digest.slice(0, 16),
    wrap(key) {
      const nonce = randomBytes(NONCE_BYTES)
      const cipher = createCipheriv('aes-256-gcm', bytes, nonce)
      const body = Buffer.concat([cipher.update(key), cipher.final()])
      return Buffer.concat([nonce, cipher.getAuthTag(), body])
    },
    unwrap(wrapped) {
      const sealed = Buffer.from(wrapped)
      const nonce = sealed.subarray(0, NONCE_BYTES)
      const decipher = createDecipheriv('aes-256-gcm', bytes, nonce, { authTagLength: TAG_BYTES })
      decipher.setAuthTag(sealed.subarray(NONCE_BYTES, NONCE_BYTES + TAG_BYTES))
      return Buffer.concat([decipher.update(sealed.subarray(NONCE_BYTES + TAG_BYTES)), decipher.final()])
    },
  }
}
