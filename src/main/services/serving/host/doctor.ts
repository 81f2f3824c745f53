import { statSync } from 'node:fs'
import { get } from 'node:http'
import { access, constants, statfs } from 'node:fs/promises'
import type { DataFolder } from '../../../../shared/contract/data-folder.ts'
import type {
  DoctorCheck,
  DoctorFinding,
  DoctorReason,
  Examination,
} from '../../../../shared/contract/doctor.ts'
import type { Settings } from '../../../../shared/contract/settings.ts'
import type { Clock } from '../../../engine/ports.ts'
import { isOpenToOthers, type Store } from '../../../store/index.ts'
import type { HostOptions } from './host.ts'

export interface DoctorOptions {
  readonly store: Pick<Store, 'dataDir' | 'backups' | 'maintenance' | 'secretBox'>
  readonly clock: Clock
  readonly host: HostOptions
  readonly settings: () => Settings
}

/** If the log is far larger than one checkpoint's share, something is blocking checkpoints. */
const LONG_LOG_BYTES = 64 * 1024 * 1024
const LITTLE_SPACE_BYTES = 500 * 1024 * 1024
const OLD_BACKUP_MS = 3 * 86_400_000
const LONG_WAIT_MS = 10 * 60_000
const MOVED_CLOCK_MS = 60_000
const ANSWER_WITHIN_MS = 5_000

export function createDoctorService({ store, clock, host, settings }: DoctorOptions) {
  const started = { at: clock.now(), monotonic: clock.monotonic() }

  function checkProgram(): DoctorFinding {
    const about = `Millrace ${host.version}, Node ${process.versions.node}`
    return host.refusesCode ? ok('program', about) : warning('program', about, 'makes_code')
  }

  async function checkFolder(): Promise<DoctorFinding> {
    const isWritable = await access(store.dataDir, constants.R_OK | constants.W_OK | constants.X_OK).then(
      () => true,
      () => false,
    )
    if (!isWritable) return problem('data_folder', store.dataDir, 'not_writable')
    return isOpenToOthers(store.dataDir)
      ? warning('data_folder', store.dataDir, 'open_to_others')
      : ok('data_folder', store.dataDir)
  }

  function checkDatabase(): DoctorFinding {
    const { bytes } = store.maintenance.size()
    const isSound = store.maintenance.isSound()
    if (isSound === null) return { ...ok('database', bytes), reason: 'too_large_to_check' }
    return isSound ? ok('database', bytes) : problem('database', bytes, 'damaged')
  }

  function checkLog(): DoctorFinding {
    const { logBytes } = store.maintenance.size()
    return logBytes > LONG_LOG_BYTES ? warning('log', logBytes, 'log_long') : ok('log', logBytes)
  }

  function checkKey(): DoctorFinding {
    const { keyFile } = host
    if (keyFile === null) return ok('key', null)
    const isThere = statSync(keyFile, { throwIfNoEntry: false }) !== undefined
    if (!isThere) return problem('key', keyFile, 'key_missing')
    return isOpenToOthers(keyFile) ? problem('key', keyFile, 'open_to_others') : ok('key', keyFile)
  }

  function checkSecrets(): DoctorFinding {
    const { locked, hasUnreadable } = store.secretBox
    const state: DataFolder['secrets'] = locked ? 'locked' : hasUnreadable ? 'needs_key' : 'readable'
    return state === 'readable' ? ok('secrets', state) : problem('secrets', state, state)
  }

  async function checkDisk(): Promise<DoctorFinding> {
    const { bavail, bsize } = await statfs(store.dataDir)
    const free = bavail * bsize
    return free < LITTLE_SPACE_BYTES ? warning('disk', free, 'little_space') : ok('disk', free)
  }

  function checkBackup(): DoctorFinding {
    const [own] = store.backups.list()
    const newest = [own?.created_at ?? null, store.backups.lastElsewhere()]
      .filter((at) => at !== null)
      .toSorted()
      .at(-1)
    if (newest === undefined) return warning('backup', null, 'no_backup')
    const isOld = clock.now() - Date.parse(newest) > OLD_BACKUP_MS
    return isOld ? warning('backup', newest, 'backup_old') : ok('backup', newest)
  }

  function checkQueue(): DoctorFinding {
    const { count, oldestAt } = store.maintenance.waiting()
    return oldestAt !== null && clock.now() - oldestAt > LONG_WAIT_MS
      ? warning('queue', count, 'waiting_long')
      : ok('queue', count)
  }

  function checkClock(): DoctorFinding {
    const moved = Math.round(clock.now() - started.at - (clock.monotonic() - started.monotonic))
    return Math.abs(moved) > MOVED_CLOCK_MS ? warning('clock', moved, 'clock_moved') : ok('clock', moved)
  }

  async function checkPort(): Promise<DoctorFinding> {
    const begun = clock.monotonic()
    const answers = await answersTo(`${host.url()}/v1/health`)
    const took = Math.round(clock.monotonic() - begun)
    return answers ? ok('port', took) : problem('port', took, 'no_answer')
  }

  function checkExposure(): DoctorFinding {
    return settings().expose_api ? warning('exposure', host.url(), 'api_exposed') : ok('exposure', host.url())
  }

  return {
    /** Looks for problems that don't show when Millrace starts. Changes nothing. */
    async examine(): Promise<Examination> {
      const findings = [
        checkProgram(),
        await checkFolder(),
        checkDatabase(),
        checkLog(),
        checkKey(),
        checkSecrets(),
        await checkDisk(),
        checkBackup(),
        checkQueue(),
        checkClock(),
        await checkPort(),
        checkExposure(),
      ]
      return { findings, examined_at: new Date(clock.now()).toISOString() }
    },
  }
}

type Value = DoctorFinding['value']

const ok = (check: DoctorCheck, value: Value): DoctorFinding => ({ check, state: 'ok', value, reason: null })
const warning = (check: DoctorCheck, value: Value, reason: DoctorReason): DoctorFinding => ({
  check,
  state: 'warning',
  value,
  reason,
})
const problem = (check: DoctorCheck, value: Value, reason: DoctorReason): DoctorFinding => ({
  check,
  state: 'problem',
  value,
  reason,
})

function answersTo(url: string): Promise<boolean> {
  return new Promise((resolve) => {
    get(url, { timeout: ANSWER_WITHIN_MS }, (response) => {
      response.resume()
      resolve(response.statusCode === 200)
    })
      .once('timeout', () => resolve(false))
      .once('error', () => resolve(false))
  })
}
