/** Asks for the passphrase of a protected key file before anything starts. */
import type { Config } from './config.ts'
import { EXIT, HostError } from './machine/exit-codes.ts'
import { readKeyFile, SealedKey } from './key/master-key.ts'

/** @returns null if the user cancels */
export type AskPassphrase = (wasWrong: boolean) => Promise<string | null>

/**
 * Adds the key to the configuration if the key file is protected by a passphrase, which the environment can
 * contain.
 *
 * @throws HostError if there is no passphrase, or it is wrong in the environment
 */
export async function unlockKey(config: Config, ask: AskPassphrase): Promise<Config> {
  const sealed = config.masterKey === null ? sealedIn(config.keyFile) : null
  if (sealed === null) return config
  const { MILLRACE_PASSPHRASE: given } = process.env
  // Removed after reading, so that programs started from here don't inherit it.
  delete process.env.MILLRACE_PASSPHRASE
  let passphrase = given || (await ask(false))
  for (;;) {
    if (passphrase === null)
      throw new HostError(EXIT.failed, `${config.keyFile} stays locked without its passphrase`)
    const unlockedKey = await sealed.open(passphrase)
    if (unlockedKey !== null) return { ...config, unlockedKey }
    if (given)
      throw new HostError(EXIT.usage, `MILLRACE_PASSPHRASE isn't the passphrase of ${config.keyFile}`)
    passphrase = await ask(true)
  }
}

/** A file that can't be read is reported by the start itself. */
function sealedIn(path: string): SealedKey | null {
  try {
    const found = readKeyFile(path)
    return found instanceof SealedKey ? found : null
  } catch {
    return null
  }
}
