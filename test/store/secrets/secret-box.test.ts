import { describe, expect, it } from 'vitest'
import { englishOf, say } from '../../../src/shared/contract/base/message.ts'
import {
  createSecretBox,
  newDataKey,
  SecretBoxLockedError,
  SecretUnreadableError,
} from '../../../src/main/store/secrets/secret-box.ts'
import { aMasterKey, aStore } from '../../helpers/store.ts'
import { temporaryFolder } from '../../helpers/temporary-folder.ts'

const aBox = (keys = [newDataKey()]) => createSecretBox({ keys, unreadable: 0, problem: say('none') })

describe('a sealed value', () => {
  it('opens to the same string for its owner', () => {
    const box = aBox()
    const texts = ['', 'pässwörd', 'x'.repeat(100_000)]
    expect(texts.map((text) => box.open('auths:1', box.seal('auths:1', text)))).toEqual(texts)
  })

  it('is different each time and contains nothing of the string', () => {
    const box = aBox()
    const sealed = [box.seal('auths:1', 'correct horse'), box.seal('auths:1', 'correct horse')]
    expect(sealed[0]?.equals(sealed[1] ?? Buffer.alloc(0))).toBe(false)
    expect(sealed.some((value) => value.includes('correct') || value.includes('horse'))).toBe(false)
  })

  it("can't be opened for another record, after any change, truncated, or with another key", () => {
    const box = aBox()
    const sealed = box.seal('auths:1', 'secret')
    const changes = Array.from(sealed, (byte, index) => {
      const changed = Buffer.from(sealed)
      changed[index] = byte ^ 1
      return () => box.open('auths:1', changed)
    })
    const attempts = [
      () => box.open('auths:2', sealed),
      () => aBox().open('auths:1', sealed),
      () => box.open('auths:1', sealed.subarray(0, 20)),
      () => box.open('auths:1', Buffer.alloc(0)),
      ...changes,
    ]
    for (const attempt of attempts) expect(attempt).toThrow(SecretUnreadableError)
  })
})

describe('the data key', () => {
  it('is created at the first start and found again at the next', async () => {
    const dataDir = temporaryFolder()
    const first = await aStore({ dataDir })
    const sealed = first.secretBox.seal('auths:1', 'secret')
    first.close()
    const second = await aStore({ dataDir })
    expect({ opened: second.secretBox.open('auths:1', sealed), locked: second.secretBox.locked }).toEqual({
      opened: 'secret',
      locked: false,
    })
  })

  it('leaves the store usable with another master key: old values unreadable, new ones fine', async () => {
    const dataDir = temporaryFolder()
    const first = await aStore({ dataDir, masterKey: aMasterKey(1) })
    const old = first.secretBox.seal('auths:1', 'old')
    const moved = first.dataKeys.exportKeys()
    first.close()
    const second = await aStore({ dataDir, masterKey: aMasterKey(2) })
    expect({ locked: second.secretBox.locked, hasUnreadable: second.secretBox.hasUnreadable }).toEqual({
      locked: false,
      hasUnreadable: true,
    })
    expect(second.secretBox.holdsKeyOf(old)).toBe(false)
    expect(() => second.secretBox.open('auths:1', old)).toThrow(SecretUnreadableError)
    const fresh = second.secretBox.seal('auths:1', 'new')
    await second.dataKeys.importKeys(moved, Date.now())
    expect({
      old: second.secretBox.open('auths:1', old),
      fresh: second.secretBox.open('auths:1', fresh),
    }).toEqual({ old: 'old', fresh: 'new' })
    expect(second.secretBox.hasUnreadable).toBe(false)
    second.close()
    const third = await aStore({ dataDir, masterKey: aMasterKey(2) })
    expect({
      old: third.secretBox.open('auths:1', old),
      fresh: third.secretBox.open('auths:1', fresh),
    }).toEqual({ old: 'old', fresh: 'new' })
  })

  it('is missing without a master key, and the store still opens', async () => {
    const store = await aStore({ masterKey: null })
    expect(store.secretBox.locked).toBe(true)
    expect(() => store.secretBox.seal('auths:1', 'x')).toThrow(SecretBoxLockedError)
  })

  it('is missing if the master key fails, and the reason is reported', async () => {
    const broken = { ...aMasterKey(), wrap: () => Promise.reject(new Error('the keychain is closed')) }
    const store = await aStore({ masterKey: broken })
    const { locked, lockedBecause } = store.secretBox
    expect({ locked, reason: lockedBecause && englishOf(lockedBecause) }).toEqual({
      locked: true,
      reason: expect.stringContaining('the keychain is closed'),
    })
  })

  it('is nowhere in the files of the folder', async () => {
    const store = await aStore()
    const [key = new Uint8Array()] = store.dataKeys.exportKeys()
    const { snapshot } = await import('../../helpers/temporary-folder.ts')
    const bytes = Object.values(snapshot(store.dataDir)).map((file) => Buffer.from(file.bytes, 'base64'))
    expect(bytes.length).toBeGreaterThan(1)
    expect(bytes.some((file) => file.includes(Buffer.from(key)))).toBe(false)
  })
})
