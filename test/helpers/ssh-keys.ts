import ssh2 from 'ssh2'

/**
 * A pair of keys in OpenSSH's format. ECDSA, because where ssh2 generates an Ed25519 key whose first byte is zero, it drops
 * that byte, and can't read the key.
 */
export const sshKeys = () => ssh2.utils.generateKeyPairSync('ecdsa', { bits: 256 })
