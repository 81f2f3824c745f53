import type { DoctorFinding } from '../../../shared/contract/doctor.ts'
import { accessSync, constants, existsSync, mkdirSync, rmdirSync, statfsSync, statSync } from 'node:fs'
import { createServer } from 'node:net'
import { dirname, join } from 'node:path'
import { examineRoute } from '../../../shared/contract/doctor.ts'
import { metaRoute } from '../../../shared/contract/host.ts'
import type { Config } from '../../host/config.ts'
import { EXIT, type ExitCode } from '../../host/machine/exit-codes.ts'
import { whyNoPort } from '../../host/machine/tcp-port.ts'
import { readKeyFile, SealedKey } from '../../host/key/master-key.ts'
import { RENDERER_DIR } from '../../host/machine/paths.ts'
import { listBackups } from '../../store/backup/backup.ts'
import { isOpenToOthers } from '../../store/folder/access.ts'
import { dataFolder } from '../../store/folder/folder.ts'
import { inspectFile } from '../../store/folder/inspect-file.ts'
import { newestVersion } from '../../store/migrations/migrate.ts'
import { MIGRATIONS } from '../../store/migrations/index.ts'
import { VERSION } from '../../host/machine/version.ts'
import type { CommandContext } from '../support/command-context.ts'
import type { HostClient } from '../support/host-client.ts'
import { findRunningHost } from '../support/with-host.ts'

interface Finding {
  readonly check: string
  readonly status: DoctorFinding['state']
  readonly message: string
}

const ok = (check: string, message: string): Finding => ({ check, status: 'ok', message })
const warning = (check: string, message: string): Finding => ({ check, status: 'warning', message })
const problem = (check: string, message: string): Finding => ({ check, status: 'problem', message })

/**
 * Checks everything a start needs, without changing anything. Exits with 1 if something would keep Millrace from
 * working; if it is the data folder, with the exit code that starting would have.
 */
export async function runDoctor({ config, output }: CommandContext): Promise<ExitCode> {
  const folder = checkFolder(config.dataDir)
  const hasFolder = folder.status !== 'problem'
  const host = hasFolder ? await findRunningHost(config.dataDir) : null
  const findings = [
    checkProgram(),
    folder,
    ...(hasFolder ? [host ? await checkHost(host) : checkDatabase(config.dataDir)] : []),
    ...(hasFolder ? [checkBackups(config.dataDir)] : []),
    host ? await checkKeyOf(host, config) : checkKey(config),
    checkSpace(config.dataDir),
    ...(host ? [] : [await checkPort(config.port)]),
  ]
  const text = findings.map(({ check, status, message }) => `${status.padEnd(8)} ${check}: ${message}`)
  output.answer(findings, text.join('\n'))
  const problems = findings.filter(({ status }) => status === 'problem')
  if (problems.some(({ check }) => check === DATA_FOLDER)) return EXIT.notWritable
  return problems.length > 0 ? EXIT.failed : EXIT.ok
}

const DATA_FOLDER = 'data folder'

function checkProgram(): Finding {
  const about = `Millrace ${VERSION} on Node ${process.versions.node}`
  if (!existsSync(join(RENDERER_DIR, 'index.html')))
    return problem('program', `${about}; the app isn't built`)
  return ok('program', about)
}

function checkFolder(dataDir: string): Finding {
  const stats = statSync(dataDir, { throwIfNoEntry: false })
  if (stats === undefined) return checkMaking(dataDir)
  if (!stats.isDirectory())
    return problem(DATA_FOLDER, `${dataDir} is a file; choose another with --data-dir`)
  try {
    accessSync(dataDir, constants.R_OK | constants.W_OK | constants.X_OK)
  } catch {
    return problem(DATA_FOLDER, `${dataDir} isn't writable by this user; correct its permissions`)
  }
  return isOpenToOthers(dataDir)
    ? warning(DATA_FOLDER, `${dataDir} is open to other users`)
    : ok(DATA_FOLDER, dataDir)
}

/** Creates the folder and removes it again, which is the only way to tell whether it can be created. */
function checkMaking(dataDir: string): Finding {
  const made: string[] = []
  try {
    for (const folder of missingFolders(dataDir)) {
      mkdirSync(folder, 0o700)
      made.unshift(folder)
    }
    return ok(DATA_FOLDER, `${dataDir} is created at the first start`)
  } catch (error) {
    const { code = String(error) } = error as NodeJS.ErrnoException
    return problem(DATA_FOLDER, `${dataDir} can't be created (${code}); choose another with --data-dir`)
  } finally {
    for (const folder of made) rmdirSync(folder)
  }
}

/** Outermost first. */
function missingFolders(path: string): string[] {
  return existsSync(path) ? [] : [...missingFolders(dirname(path)), path]
}

/** Asks the running host, because only it can open its database. */
async function checkHost(host: HostClient): Promise<Finding> {
  const { version, started_at: startedAt } = await host.call(metaRoute)
  return ok(
    'database',
    `in use by Millrace ${version}, which has been running at ${host.url} since ${startedAt}`,
  )
}

function checkDatabase(dataDir: string): Finding {
  const { database } = dataFolder(dataDir)
  const verdict = inspectFile(database, { newestVersion: newestVersion(MIGRATIONS), check: 'full' })
  if (verdict.kind === 'absent') return ok('database', `${database} is created at the first start`)
  if (verdict.kind === 'good') return ok('database', `${database} is intact`)
  return problem('database', `${database} ${String(verdict.why)}`)
}

function checkBackups(dataDir: string): Finding {
  const { database, backups } = dataFolder(dataDir)
  const [newest] = listBackups(backups)
  if (newest) return ok('backups', `the newest is ${newest.path}`)
  return existsSync(database)
    ? warning('backups', 'none yet; Millrace makes one each day that it runs')
    : ok('backups', 'nothing to back up yet')
}

/**
 * Asks the running Millrace, which knows whether its key is the right one, and can have it from another source, as a
 * service does.
 */
async function checkKeyOf(host: HostClient, config: Config): Promise<Finding> {
  const { findings } = await host.call(examineRoute)
  const secrets = findings.find(({ check }) => check === 'secrets')
  if (secrets?.state === 'problem') return checkKey(config)
  const key = findings.find(({ check }) => check === 'key')
  return ok('master key', `in use by the running Millrace${key?.value ? `: ${key.value}` : ''}`)
}

function checkKey({ masterKey, masterKeyFile, keyFile, dataDir }: Config): Finding {
  if (masterKey !== null) return ok('master key', masterKeyFile ?? 'given by MILLRACE_MASTER_KEY')
  try {
    const found = readKeyFile(keyFile)
    if (found !== null)
      return ok('master key', found instanceof SealedKey ? `${keyFile}, protected by a passphrase` : keyFile)
  } catch (error) {
    return problem('master key', (error as Error).message)
  }
  return existsSync(dataFolder(dataDir).database)
    ? warning(
        'master key',
        `${keyFile} is missing. If a service gets the key from another file, start the service, or name the file with MILLRACE_MASTER_KEY_FILE; otherwise Millrace creates a new key when it starts, and credentials encrypted with another one must be entered again`,
      )
    : ok('master key', `${keyFile} is created at the first start`)
}

const LITTLE_SPACE_BYTES = 500 * 1024 * 1024

function checkSpace(dataDir: string): Finding {
  const { bavail, bsize } = statfsSync(nearestFolder(dataDir))
  const free = `${Math.floor((bavail * bsize) / 1024 / 1024).toLocaleString('en')} MB free`
  return bavail * bsize < LITTLE_SPACE_BYTES ? warning('disk', `only ${free}`) : ok('disk', free)
}

const nearestFolder = (path: string): string => (existsSync(path) ? path : nearestFolder(dirname(path)))

function checkPort(port: number): Promise<Finding> {
  return new Promise((resolve) => {
    const server = createServer()
    server.once('error', (error: NodeJS.ErrnoException) => {
      const why = whyNoPort(port, error.code) ?? `Port ${port} can't be opened (${error.code})`
      resolve(problem('port', `${why}; choose another with --port`))
    })
    server.listen(port, '127.0.0.1', () => server.close(() => resolve(ok('port', `${port} is free`))))
  })
}
