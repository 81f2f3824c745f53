/** The master key in a file, which is read once, and by Millrace only. */
import { chmodSync, mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { beforeEach, expect, test } from 'vitest'
import { readConfig } from '../src/main/host/config.ts'
import { runCommand } from './helpers/run-command.ts'
import { temporaryFolder } from './helpers/temporary-folder.ts'
import { onPosix } from './helpers/platform.ts'

const HEX = '0123456789abcdef'.repeat(4)
const OTHER = 'f'.repeat(64)
let folder: string
beforeEach(() => {
  folder = temporaryFolder()
})

function keyFile(name: string, text: string | Buffer, mode = 0o600): string {
  const path = join(folder, name)
  writeFileSync(path, text)
  chmodSync(path, mode)
  return path
}

const read = (environment: NodeJS.ProcessEnv, dataDir = '/home/ada/data') =>
  readConfig({ environment, platform: 'linux', home: '/home/ada', arguments: { dataDir } })

function refusal(...given: Parameters<typeof read>): string {
  try {
    read(...given)
    return 'accepted'
  } catch (error) {
    return `${(error as { exitCode: number }).exitCode}: ${(error as Error).message}`
  }
}

test.runIf(onPosix)('the file has the key as hexadecimal digits or base64; its group can read it', () => {
  const bytes = Buffer.from(HEX, 'hex')
  const found = [
    keyFile('hex', `${HEX}\n`),
    keyFile('base64', bytes.toString('base64')),
    keyFile('of the group', HEX, 0o640),
    keyFile('of PowerShell', Buffer.from(`\ufeff${HEX}\r\n`, 'utf16le')),
  ].map((path) => read({ MILLRACE_MASTER_KEY_FILE: path }).masterKey)
  expect(found).toEqual([bytes, bytes, bytes, bytes])
})

test.runIf(onPosix)('each problem with the file has its sentence, and none repeats the key', async () => {
  const pipe = join(folder, 'pipe')
  await runCommand('mkfifo', [pipe])
  mkdirSync(join(folder, 'a folder'))
  const faults = {
    missing: join(folder, 'missing'),
    folder: join(folder, 'a folder'),
    pipe,
    long: keyFile('long', HEX.repeat(100)),
    empty: keyFile('empty', '\n'),
    wrong: keyFile('wrong', HEX.slice(1)),
    open: keyFile('open', HEX, 0o644),
    writable: keyFile('writable', HEX, 0o620),
  }
  const said = Object.entries(faults).map(([name, path]) => [
    name,
    refusal({ MILLRACE_MASTER_KEY_FILE: path }).replaceAll(path, 'PATH'),
  ])
  expect(Object.fromEntries(said)).toEqual({
    missing: "2: MILLRACE_MASTER_KEY_FILE is PATH, which doesn't exist",
    folder: "2: MILLRACE_MASTER_KEY_FILE is PATH, which isn't a file",
    pipe: "2: MILLRACE_MASTER_KEY_FILE is PATH, which isn't a file",
    long: '2: MILLRACE_MASTER_KEY_FILE (PATH) must be 32 bytes as 64 hexadecimal digits or as base64; "openssl rand -hex 32" makes one',
    empty:
      '2: MILLRACE_MASTER_KEY_FILE is PATH, which is empty; "openssl rand -hex 32 > PATH" puts a new key there',
    wrong:
      '2: MILLRACE_MASTER_KEY_FILE (PATH) must be 32 bytes as 64 hexadecimal digits or as base64; "openssl rand -hex 32" makes one',
    open: '2: MILLRACE_MASTER_KEY_FILE is PATH, which other users can read or change (mode 644); run "chmod 600 PATH", and make another key if they may have read it',
    writable:
      '2: MILLRACE_MASTER_KEY_FILE is PATH, which other users can read or change (mode 620); run "chmod 600 PATH", and make another key if they may have read it',
  })
})

test.runIf(onPosix)(
  "only one source is used: setting both variables is an error, and either overrides systemd's credential",
  () => {
    const credentials = join(folder, 'credentials')
    mkdirSync(credentials)
    writeFileSync(join(credentials, 'another'), 'not ours')
    const without = read({ CREDENTIALS_DIRECTORY: credentials }).masterKey
    // systemd protects the folder, and the service's own access appears as that of a group.
    writeFileSync(join(credentials, 'master-key'), HEX)
    chmodSync(join(credentials, 'master-key'), 0o440)
    const given = read({ CREDENTIALS_DIRECTORY: credentials })
    const file = keyFile('other', OTHER)
    expect({
      without,
      given: [given.masterKey?.toString('hex'), given.masterKeyFile],
      overridden: [
        read({ CREDENTIALS_DIRECTORY: credentials, MILLRACE_MASTER_KEY_FILE: file }).masterKey?.toString(
          'hex',
        ),
        read({ CREDENTIALS_DIRECTORY: credentials, MILLRACE_MASTER_KEY: OTHER }).masterKey?.toString('hex'),
      ],
      both: refusal({ MILLRACE_MASTER_KEY: HEX, MILLRACE_MASTER_KEY_FILE: file }),
      inside: refusal({ MILLRACE_MASTER_KEY_FILE: file }, folder).replaceAll(file, 'PATH'),
    }).toEqual({
      without: null,
      given: [HEX, join(credentials, 'master-key')],
      overridden: [OTHER, OTHER],
      both: '2: Both MILLRACE_MASTER_KEY and MILLRACE_MASTER_KEY_FILE are set; remove one of them',
      inside:
        '2: The master key is in the data folder (PATH), so a copy of the data would include it; move it elsewhere',
    })
  },
)
