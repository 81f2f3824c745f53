import { execFileSync } from 'node:child_process'
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { moveDataFolder, openStore } from '../../../src/main/store/index.ts'
import { onPosix } from '../../helpers/platform.ts'

let root: string
let from: string
let to: string
beforeEach(async () => {
  root = mkdtempSync(join(tmpdir(), 'millrace-move-'))
  from = join(root, 'data')
  to = join(root, 'disk', 'new')
  const store = await openStore({ dataDir: from, clock: { now: () => 1_000 }, appVersion: '1' })
  store.close()
  mkdirSync(join(from, 'files'))
  writeFileSync(join(from, 'files', 'a'), 'upload')
  writeFileSync(join(from, 'port'), '4800\n')
})
afterEach(() => rmSync(root, { recursive: true, force: true }))

const move = (target = to, onCopied = () => {}) => moveDataFolder({ from, to: target, onCopied })

test('everything of Millrace is moved; other files in the folder stay', async () => {
  writeFileSync(join(from, 'letter.txt'), 'mine')
  const before = readFileSync(join(from, 'millrace.db'))
  let isCompleteThen = false
  await move(to, () => {
    isCompleteThen = existsSync(join(to, 'files', 'a')) && existsSync(join(from, 'files', 'a'))
  })
  expect({
    isCompleteThen,
    left: readdirSync(from),
    moved: readdirSync(to).toSorted(),
    isSame: readFileSync(join(to, 'millrace.db')).equals(before),
    upload: readFileSync(join(to, 'files', 'a'), 'utf8'),
    beside: readdirSync(join(root, 'disk')),
  }).toEqual({
    isCompleteThen: true,
    left: ['letter.txt'],
    moved: ['files', 'millrace.db', 'port'],
    isSame: true,
    upload: 'upload',
    beside: ['new'],
  })
})

test('an empty folder can be the target, the old folder is removed if it is empty, and a killed move can be repeated', async () => {
  mkdirSync(to, { recursive: true })
  mkdirSync(`${to}.millrace-moving`)
  writeFileSync(join(`${to}.millrace-moving`, 'millrace.db'), 'half')
  await move()
  expect([existsSync(from), readdirSync(join(root, 'disk'))]).toEqual([false, ['new']])
})

test('nothing is moved while Millrace runs, onto other data, or into the folder itself', async () => {
  const refusal = (target?: string) =>
    move(target).then(
      () => 'moved',
      (error: Error) => error.message.replaceAll(root, '~'),
    )
  const store = await openStore({ dataDir: from, clock: { now: () => 1_000 }, appVersion: '1' })
  const running = await refusal()
  store.close()
  mkdirSync(to, { recursive: true })
  writeFileSync(join(to, 'letter.txt'), 'mine')
  symlinkSync(from, join(root, 'link'))
  expect([
    running.split(' (')[0],
    await refusal(),
    await refusal(join(from, 'deeper')),
    await refusal(join(root, 'link', 'deeper')),
    await refusal(root),
    await refusal(join(to, 'letter.txt')),
    await moveDataFolder({ from: join(root, 'none'), to: join(root, 'other'), onCopied: () => {} }).catch(
      (error: Error) => error.message.replaceAll(root, '~'),
    ),
    readdirSync(from).toSorted(),
  ]).toEqual([
    'The data folder is in use by another Millrace',
    "~/disk/new isn't empty; name an empty folder, or one that doesn't exist yet",
    '~/data/deeper and the data folder ~/data must not contain each other',
    '~/link/deeper and the data folder ~/data must not contain each other',
    '~ and the data folder ~/data must not contain each other',
    "~/disk/new/letter.txt can't be used as a data folder (ENOTDIR)",
    '~/none has no data that could be moved',
    ['files', 'millrace.db', 'port'],
  ])
})

test.runIf(onPosix)('a copy that fails leaves everything where it was', async () => {
  execFileSync('mkfifo', [join(from, 'files', 'no-file')])
  await expect(move()).rejects.toThrow(`it is unchanged in ${from}`)
  expect([readdirSync(from).toSorted(), readdirSync(join(root, 'disk'))]).toEqual([
    ['files', 'millrace.db', 'port'],
    [],
  ])
})
