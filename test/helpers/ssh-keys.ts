import ssh2 from 'ssh2'

/**
 * A pair of keys in OpenSSH's format. They are ECDSA keys because ssh2, when it generates an Ed25519 key whose first
 * byte is zero, drops that byte and can't read the key.
 */
export const sshKeys = () => ssh2.utils.generateKeyPairSync('ecdsa', { bits: 256 })
