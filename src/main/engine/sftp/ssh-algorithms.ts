import { getCiphers } from 'node:crypto'
import type { Algorithms } from 'ssh2'

/**
 * The algorithms that Millrace offers to SSH servers, which OpenSSL in Node and BoringSSL in the desktop app both
 * have. The defaults of ssh2 include ChaCha20, for which BoringSSL has a different name, and may come to include old
 * groups (modp2), which BoringSSL lacks. A connection would then fail in only one of the two.
 */
export const SSH_ALGORITHMS: Algorithms = {
  kex: [
    'curve25519-sha256',
    'curve25519-sha256@libssh.org',
    'ecdh-sha2-nistp256',
    'ecdh-sha2-nistp384',
    'ecdh-sha2-nistp521',
    'diffie-hellman-group-exchange-sha256',
    'diffie-hellman-group14-sha256',
    'diffie-hellman-group16-sha512',
  ],
  cipher: (
    [
      ['aes128-gcm@openssh.com', 'aes-128-gcm'],
      ['aes256-gcm@openssh.com', 'aes-256-gcm'],
      ['aes128-ctr', 'aes-128-ctr'],
      ['aes192-ctr', 'aes-192-ctr'],
      ['aes256-ctr', 'aes-256-ctr'],
    ] as const
  ).flatMap(([name, here]) => (getCiphers().includes(here) ? [name] : [])),
  hmac: [
    'hmac-sha2-256-etm@openssh.com',
    'hmac-sha2-512-etm@openssh.com',
    'hmac-sha2-256',
    'hmac-sha2-512',
    'hmac-sha1',
  ],
}
