import { chmodSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { DOCTOR_CHECKS } from '../../../src/shared/contract/doctor.ts'
import type { DoctorFinding, Examination } from '../../../src/shared/contract/doctor.ts'
import { createDoctorService } from '../../../src/main/services/serving/host/doctor.ts'
import { DEFAULT_SETTINGS } from '../../../src/shared/contract/settings.ts'
import { startTestApp } from '../../helpers/test-app.ts'
import type { TestApp } from '../../helpers/test-app.ts'
import { onPosix } from '../../helpers/platform.ts'

const examined = async (app: TestApp) => (await app.call('GET', '/v1/doctor')).json as Examination
const notGood = ({ findings }: Examination) =>
  findings.filter(({ state }) => state !== 'ok').map(({ check, state, reason }) => [check, state, reason])

test('the program checks itself: each check with its value, and only a first backup is missing', async () => {
  const app = await startTestApp({ knowsItself: true })
  const examination = await examined(app)
  expect(examination.findings.map(({ check }) => check)).toEqual(DOCTOR_CHECKS)
  expect(notGood(examination)).toEqual([['backup', 'warning', 'no_backup']])
  const value = (check: DoctorFinding['check']) =>
    examination.findings.find((finding) => finding.check === check)?.value
  expect({
    folder: value('data_folder'),
    secrets: value('secrets'),
    queue: value('queue'),
    clock: value('clock'),
  }).toEqual({ folder: app.store.dataDir, secrets: 'readable', queue: 0, clock: 0 })
  expect(value('database')).toBeGreaterThan(10_000)
  expect(value('disk')).toBeGreaterThan(0)
})

test('a backup that was written elsewhere lately counts, and an old one does not', async () => {
  const app = await startTestApp({ knowsItself: true })
  const folder = mkdtempSync(join(tmpdir(), 'millrace-doctor-'))
  onTestFinished(() => rmSync(folder, { recursive: true }))
  const path = join(folder, 'copy.db')
  expect((await app.call('POST', '/v1/database/backup', { path })).status).toBe(200)
  const examination = await examined(app)
  expect(notGood(examination)).toEqual([])
  const { value } = examination.findings.find(({ check }) => check === 'backup') ?? {}
  expect(Math.abs(Date.parse(String(value)) - Date.parse(examination.examined_at))).toBeLessThan(60_000)
  writeFileSync(join(app.store.dataDir, 'backups', 'last-backup-elsewhere'), '2020-01-01T00:00:00.000Z')
  expect(notGood(await examined(app))).toEqual([['backup', 'warning', 'backup_old']])
})

test('problems are named: no key, the API exposed, an unresponsive port', async () => {
  const app = await startTestApp({ store: { masterKey: null }, url: 'http://127.0.0.1:1' })
  await app.call('PUT', '/v1/settings', { expose_api: true })
  expect(notGood(await examined(app))).toEqual([
    ['secrets', 'problem', 'locked'],
    ['backup', 'warning', 'no_backup'],
    ['port', 'problem', 'no_answer'],
    ['exposure', 'warning', 'api_exposed'],
  ])
})

test.runIf(onPosix)(
  'a key file that is readable by others or missing, a changed clock and a waiting run are reported',
  async () => {
    const folder = mkdtempSync(join(tmpdir(), 'millrace-doctor-'))
    onTestFinished(() => rmSync(folder, { recursive: true }))
    const keyFile = join(folder, 'key')
    writeFileSync(keyFile, 'key')
    chmodSync(keyFile, 0o644)
    const app = await startTestApp()
    let now = Date.parse('2027-01-01T12:00:00Z')
    const doctor = createDoctorService({
      store: {
        dataDir: folder,
        backups: { ...app.store.backups, list: () => [], lastElsewhere: () => null },
        secretBox: app.store.secretBox,
        maintenance: {
          ...app.store.maintenance,
          isSound: () => false,
          waiting: () => ({ count: 3, oldestAt: now - 3_600_000 }),
        },
      },
      clock: { now: () => now, monotonic: () => 0 },
      host: {
        version: '0',
        startedAt: new Date(now),
        refusesCode: false,
        url: () => 'http://127.0.0.1:1',
        keyFile,
        playgroundUrl: () => null,
      },
      settings: () => DEFAULT_SETTINGS,
    })
    now += 300_000
    const first = notGood(await doctor.examine())
    rmSync(keyFile)
    const second = notGood(await doctor.examine())
    expect(first).toEqual([
      ['program', 'warning', 'makes_code'],
      ['database', 'problem', 'damaged'],
      ['key', 'problem', 'open_to_others'],
      ['backup', 'warning', 'no_backup'],
      ['queue', 'warning', 'waiting_long'],
      ['clock', 'warning', 'clock_moved'],
      ['port', 'problem', 'no_answer'],
    ])
    expect(second).toContainEqual(['key', 'problem', 'key_missing'])
  },
)
