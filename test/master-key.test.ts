import { randomBytes } from 'node:crypto'
import { chmodSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { openKeyFile } from '../src/main/host/key/master-key.ts'
import { onPosix } from './helpers/platform.ts'

describe('the key file', () => {
  let folder: string
  let path: string
  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'millrace-key-'))
    path = join(folder, 'config', 'master.key')
  })
  afterEach(() => rmSync(folder, { recursive: true, force: true }))

  test.runIf(onPosix)('is created at the first start, only for its owner, and stays the same', () => {
    const key = openKeyFile(path, randomBytes)
    const modes = [statSync(path).mode & 0o777, statSync(join(folder, 'config')).mode & 0o777]
    expect({ size: key.length, modes, files: readdirSync(join(folder, 'config')) }).toEqual({
      size: 32,
      modes: [0o600, 0o700],
      files: ['master.key'],
    })
    expect(openKeyFile(path, randomBytes)).toEqual(key)
  })

  test.runIf(onPosix)('is made private if others can read it', () => {
    openKeyFile(path, randomBytes)
    chmodSync(path, 0o644)
    openKeyFile(path, randomBytes)
    expect(statSync(path).mode & 0o777).toBe(0o600)
  })

  test('is rejected and left unchanged if it contains something else', () => {
    openKeyFile(path, randomBytes)
    writeFileSync(path, 'not a key')
    expect(() => openKeyFile(path, randomBytes)).toThrow("doesn't contain a key")
    expect(readFileSync(path, 'utf8')).toBe('not a key')
  })
})
