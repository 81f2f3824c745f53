/** The secrets of one record, sealed together: names are shown, values never. */
import type { SecretBox, SecretOwner } from './secrets/secret-box.ts'

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
