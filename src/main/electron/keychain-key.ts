/** The desktop app's master key: the system's keychain wraps the data keys itself. */
import { safeStorage } from 'electron'
import type { Config } from '../host/config.ts'
import { createMasterKey, readKeyFile, SealedKey } from '../host/key/master-key.ts'
import type { MasterKey } from '../store/index.ts'

/**
 * Null if the system has no keychain, or the environment has a key. In that case, the application uses the same key
 * as a headless host. Keys that a headless host wrapped with its key file can be unwrapped here too, so that
 * switching to the desktop app loses nothing.
 */
export async function createKeychainKey({ masterKey, keyFile }: Config): Promise<MasterKey | null> {
  if (masterKey !== null || !(await hasKeychain())) return null
  return {
    id: 'keychain',
    wrap: (key) => safeStorage.encryptStringAsync(Buffer.from(key).toString('base64')),
    async unwrap(wrapped) {
      try {
        const { result } = await safeStorage.decryptStringAsync(Buffer.from(wrapped))
        return Buffer.from(result, 'base64')
      } catch (error) {
        const ofFile = readKeyFile(keyFile)
        if (ofFile === null || ofFile instanceof SealedKey) throw error
        return createMasterKey(ofFile).unwrap(wrapped)
      }
    },
  }
}

/** On Linux, Electron reports encryption even if the key is a constant in its own source code. */
const NO_KEYCHAINS: ReadonlySet<string> = new Set(['basic_text', 'unknown'])

export async function hasKeychain(): Promise<boolean> {
  if (!(await safeStorage.isAsyncEncryptionAvailable())) return false
  return process.platform !== 'linux' || !NO_KEYCHAINS.has(safeStorage.getSelectedStorageBackend())
}
