import { onTestFinished } from 'vitest'
import { openStore, type OpenStoreOptions, type Store } from '../../src/main/store/index.ts'
import { aClock, aMasterKey } from './fixtures.ts'
import { temporaryFolder } from './temporary-folder.ts'

export { aClock, aMasterKey }

/** An open store in a separate folder; it is closed with the test. */
export async function aStore(options: Partial<OpenStoreOptions> = {}): Promise<Store> {
  const dataDir = options.dataDir ?? temporaryFolder()
  const store = await openStore({
    clock: aClock(),
    appVersion: '0.0.0-test',
    masterKey: aMasterKey(),
    ...options,
    dataDir,
  })
  onTestFinished(() => store.close())
  return store
}
