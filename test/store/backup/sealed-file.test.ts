import { randomBytes } from 'node:crypto'
import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { isSealedFile, openSealedFile, sealFile } from '../../../src/main/store/backup/sealed-file.ts'
import { restoreBackup } from '../../../src/main/store/open/restore.ts'
import { temporaryFolder } from '../../helpers/temporary-folder.ts'

const PASSPHRASE = 'correct horse battery stäple'
const CHUNK = 1_048_576
const KEYS = [randomBytes(32), randomBytes(32)]
/** The length of the keys, which come before the content. */
const KEY_BYTES = 4 + 2 * 32

let folder = ''
/** It ends with a chunk of one byte. */
let content: Buffer
let sealed: Buffer
beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'millrace-test-'))
  content = randomBytes(2 * CHUNK - KEY_BYTES + 1)
  sealed = await seal(content)
})
afterAll(() => rmSync(folder, { recursive: true }))

async function seal(bytes: Buffer): Promise<Buffer> {
  writeFileSync(join(folder, 'plain'), bytes)
  await sealFile(join(folder, 'plain'), join(folder, 'sealed'), { passphrase: PASSPHRASE, keys: KEYS })
  return readFileSync(join(folder, 'sealed'))
}

/** The offsets at which the header ends and each chunk begins. */
const ends = () => {
  const head = 'millrace sealed backup\n'.length
  const start = head + 4 + sealed.readUInt32BE(head)
  return { start, chunks: start + 32 }
}

async function open(bytes: Buffer, passphrase = PASSPHRASE) {
  const path = join(folder, 'to-open')
  writeFileSync(path, bytes)
  const keys = await openSealedFile(path, passphrase, join(folder, 'opened'))
  return { keys, content: readFileSync(join(folder, 'opened')) }
}

const refusal = (bytes: Buffer, passphrase?: string) =>
  open(bytes, passphrase).then(
    () => 'opened',
    (error: Error & { kind: string }) =>
      `${error.kind}: ${error.message.replaceAll(join(folder, 'to-open'), 'FILE')}`,
  )

const flipped = (at: number) => {
  const bytes = Buffer.from(sealed)
  bytes[at] = (bytes[at] ?? 0) ^ 1
  return bytes
}

/** Gives the file another header, as an attacker could. */
const withHeader = (change: object) => {
  const head = 'millrace sealed backup\n'.length
  const { start } = ends()
  const fields = JSON.parse(sealed.subarray(head + 4, start).toString()) as object
  const text = Buffer.from(JSON.stringify({ ...fields, ...change }))
  const length = Buffer.alloc(4)
  length.writeUInt32BE(text.length)
  return Buffer.concat([sealed.subarray(0, head), length, text, sealed.subarray(start)])
}

test('a sealed file opens with its passphrase, and nothing of its content can be read in it', async () => {
  expect(isSealedFile(join(folder, 'sealed'))).toBe(true)
  const opened = await open(sealed, PASSPHRASE.normalize('NFD'))
  expect({
    content: opened.content.equals(content),
    keys: opened.keys.map((key) => key.toString('hex')),
    readable: [content.subarray(100, 132), ...KEYS].filter((part) => sealed.includes(part)).length,
    others: [isSealedFile(join(folder, 'plain')), isSealedFile(folder), isSealedFile(join(folder, 'gone'))],
  }).toEqual({
    content: true,
    keys: KEYS.map((key) => key.toString('hex')),
    readable: 0,
    others: [false, false, false],
  })
})

test('files that fill their last chunk, and empty ones, open as well', async () => {
  for (const size of [0, CHUNK - KEY_BYTES]) {
    const bytes = randomBytes(size)
    expect((await open(await seal(bytes))).content.equals(bytes)).toBe(true)
  }
})

const DAMAGED = 'damaged: FILE is damaged; nothing was restored. Choose another backup.'
const CUT =
  'damaged: FILE ends too early: it was not copied completely; nothing was restored. Choose another backup.'

test('each kind of error has its sentence', async () => {
  const { chunks } = ends()
  const one = CHUNK + 16
  const swapped = Buffer.concat([
    sealed.subarray(0, chunks),
    sealed.subarray(chunks + one, chunks + 2 * one),
    sealed.subarray(chunks, chunks + one),
    sealed.subarray(chunks + 2 * one),
  ])
  expect({
    passphrase: await refusal(sealed, 'correct horse battery staple'),
    flipped: await refusal(flipped(chunks + one + 7)),
    swapped: await refusal(swapped),
    longer: await refusal(Buffer.concat([sealed, Buffer.of(0)])),
    header: await refusal(flipped(30)),
  }).toEqual({
    passphrase: "passphrase: The passphrase doesn't open FILE; nothing was restored. Try again.",
    flipped: DAMAGED,
    swapped: DAMAGED,
    longer: DAMAGED,
    header: DAMAGED,
  })
  // For these, the passphrase isn't needed.
  const cuts = [10, 40, chunks - 1, chunks, chunks + one, sealed.length - 1]
  expect(await Promise.all(cuts.slice(0, 3).map((at) => refusal(sealed.subarray(0, at))))).toEqual([
    CUT,
    CUT,
    CUT,
  ])
  for (const at of cuts.slice(3)) expect(await refusal(sealed.subarray(0, at))).toBe(CUT)
  expect({
    newer: await refusal(withHeader({ version: 2, more: true })),
    memory: await refusal(withHeader({ N: 2 ** 30 })),
    rounds: await refusal(withHeader({ p: 1_000_000 })),
    power: await refusal(withHeader({ N: 100_000 })),
    weaker: await refusal(withHeader({ N: 1_024 })),
  }).toEqual({
    newer:
      'newer: FILE was written by a newer Millrace (version 2 of the format, this one knows 1); nothing was restored. Update Millrace.',
    memory: expect.stringContaining('needs more memory'),
    rounds: DAMAGED,
    power: expect.stringContaining('needs more memory'),
    weaker: expect.stringContaining("The passphrase doesn't open"),
  })
})

test('a restore that fails leaves the folder as it was', async () => {
  const dataDir = temporaryFolder()
  writeFileSync(join(dataDir, 'mine.txt'), 'mine')
  const file = join(folder, 'to-restore')
  // The content isn't a database, which only shows once everything has been opened.
  for (const bytes of [flipped(sealed.length - 1), sealed]) {
    writeFileSync(file, bytes)
    await expect(restoreBackup({ dataDir, file, passphrase: PASSPHRASE, now: 0 })).rejects.toMatchObject({
      message: expect.stringMatching(new RegExp(`^${file.replaceAll('\\', '\\\\')} .*nothing was restored`)),
    })
    expect(readdirSync(dataDir)).toEqual(['mine.txt'])
  }
  await expect(restoreBackup({ dataDir, file, now: 0 })).rejects.toMatchObject({
    kind: 'passphrase',
    message: `${file} has a passphrase; nothing was restored. Enter the passphrase.`,
  })
  expect(statSync(file).size).toBe(sealed.length)
})
