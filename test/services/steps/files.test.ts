import {
  existsSync,
  linkSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { basename, join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { type FlowApp, startFlowApp } from '../../helpers/flow-app.ts'
import { temporaryFolder } from '../../helpers/temporary-folder.ts'
import { onLinux } from '../../helpers/platform.ts'

async function run(app: FlowApp, type: string, config: Record<string, unknown>) {
  const { flow } = await app.addFlow([{ ref_id: 'it', type, config }])
  await app.call('POST', `/v1/flows/${flow.id}/run?wait=true`)
  const [last] = app.runs()
  return last?.error ? last.error : app.stepsOf(last!)[0]?.output
}

async function withFolder() {
  const folder = temporaryFolder()
  const allowed = join(folder, 'allowed')
  mkdirSync(allowed)
  writeFileSync(join(folder, 'secret.txt'), 'outside')
  return { folder, allowed, app: await startFlowApp({ settings: { file_folders: [allowed] } }) }
}

describe('files on the machine', () => {
  it('are written, appended to and read, in folders that are created as needed', async () => {
    const { allowed, app } = await withFolder()
    const path = join(allowed, 'a/b.txt')
    expect([
      await run(app, 'file_write', { path: 'a/b.txt', content: 'Zoë\n' }),
      await run(app, 'file_write', { path, content: { n: '{{ 1 + 1 }}' }, append: true }),
      await run(app, 'file_read', { path: 'a/b.txt' }),
      await run(app, 'file_write', { path: 'bytes', content: '/w==', encoding: 'base64' }),
      await run(app, 'file_read', { path: 'bytes', encoding: 'hex' }),
    ]).toEqual([
      { path, size: 5 },
      { path, size: 12 },
      'Zoë\n{"n":2}',
      { path: join(allowed, 'bytes'), size: 1 },
      'ff',
    ])
    expect(readFileSync(path, 'utf8')).toBe('Zoë\n{"n":2}')
  })

  it('report a path that the system rejects', async () => {
    const { app } = await withFolder()
    const message = expect.stringContaining('too long for this disk') as string
    const refusal = { code: 'validation', message }
    expect([
      await run(app, 'file_read', { path: 'a'.repeat(300) }),
      await run(app, 'file_write', { path: `${'a'.repeat(300)}/b.txt`, content: '' }),
      await run(app, 'file_read', { path: 'abc/'.repeat(1_200) }),
    ]).toMatchObject([refusal, refusal, refusal])
  })

  it('have names that mean the same on every system', async () => {
    const { allowed, app } = await withFolder()
    const names = {
      NUL: 'is the name of a device on Windows',
      'con.txt': 'is the name of a device on Windows',
      'Lpt1 .log': 'is the name of a device on Windows',
      'COM².csv': 'is the name of a device on Windows',
      'orders.csv.': 'ends with a dot',
      'out /orders.csv': 'ends with a space',
      'orders.csv:hidden': 'contains :',
      'orders.csv::$DATA': 'contains :',
      'out\\orders.csv': 'contains \\',
      'what?.txt': 'contains ?',
      'tab\t.txt': 'contains the control character 9',
      'aux/orders.csv': 'the name "aux"',
      'ORDERS.CSV': 'is the same file as "orders.csv" on Windows and macOS',
      'CAFE\u0301.txt': 'is the same file as "café.txt" on Windows and macOS',
      'ONE/two.txt': 'is the same file as "one" on Windows and macOS',
    }
    mkdirSync(join(allowed, 'one'))
    for (const name of ['orders.csv', 'café.txt', 'one/two.txt']) writeFileSync(join(allowed, name), 'there')
    const before = readdirSync(allowed, { recursive: true })
    for (const [path, reason] of Object.entries(names)) {
      for (const [type, config] of [
        ['file_read', { path }],
        ['file_write', { path, content: 'x' }],
      ] as const) {
        const result = await run(app, type, config)
        expect({ type, path, result }).toMatchObject({
          result: {
            code: 'validation',
            field: 'config.path',
            message: expect.stringContaining(reason) as string,
          },
        })
      }
    }
    expect({
      files: readdirSync(allowed, { recursive: true }),
      similar: await run(app, 'file_write', { path: 'console/null.com1', content: 'fine' }),
      spelled: await run(app, 'file_read', { path: 'one/../orders.csv' }),
    }).toEqual({
      files: before,
      similar: { path: join(allowed, 'console/null.com1'), size: 4 },
      spelled: 'there',
    })
  })

  it('in UTF-16, as Windows writes them, are read without naming the encoding', async () => {
    const { allowed, app } = await withFolder()
    const bytes = Buffer.from('\ufeffid;Größe\r\n1;5', 'utf16le')
    writeFileSync(join(allowed, 'little.csv'), bytes)
    writeFileSync(join(allowed, 'big.csv'), Buffer.from(bytes).swap16())
    expect([
      await run(app, 'file_read', { path: 'little.csv' }),
      await run(app, 'file_read', { path: 'big.csv' }),
      await run(app, 'file_read', { path: 'little.csv', encoding: 'utf-16le' }),
    ]).toEqual(Array.from({ length: 3 }, () => 'id;Größe\r\n1;5'))
  })

  it('are out of reach if no folder is allowed', async () => {
    const app = await startFlowApp()
    expect(await run(app, 'file_read', { path: '/etc/hosts' })).toMatchObject({
      code: 'forbidden',
      field: 'config.path',
      message: expect.stringContaining('no folders are allowed yet. Add one under Settings') as string,
    })
  })

  it('are out of reach outside the folders, however the path leads there', async () => {
    const { folder, allowed, app } = await withFolder()
    symlinkSync(join(folder, 'secret.txt'), join(allowed, 'link.txt'))
    symlinkSync(folder, join(allowed, 'up'))
    const paths = [
      '../secret.txt',
      join(folder, 'secret.txt'),
      'link.txt',
      'up/secret.txt',
      '/there-is-no-such-folder/secret.txt',
      'a/../../secret.txt',
    ]
    const results = []
    for (const path of paths) {
      results.push(await run(app, 'file_read', { path }))
      results.push(await run(app, 'file_write', { path: path.replace('secret', 'planted'), content: 'x' }))
    }
    expect(results.filter((result) => (result as { code?: string }).code !== 'forbidden')).toEqual([])
    expect({
      isPlanted: existsSync(join(folder, 'planted.txt')),
      secret: readFileSync(join(folder, 'secret.txt'), 'utf8'),
    }).toEqual({ isPlanted: false, secret: 'outside' })
  })

  it.runIf(onLinux)("never are Millrace's own", async () => {
    const folder = temporaryFolder()
    const keyFile = join(folder, 'master.key')
    writeFileSync(keyFile, 'the key')
    linkSync(keyFile, join(folder, 'hard-link'))
    symlinkSync(keyFile, join(folder, 'soft-link'))
    symlinkSync(folder, join(folder, 'again'))
    symlinkSync('/proc/self', join(folder, 'own-process'))
    const app = await startFlowApp({ settings: { file_folders: ['/'] }, keyFiles: [keyFile] })
    const { dataDir } = app.store
    symlinkSync(dataDir, join(folder, 'data'))
    const paths = [
      join(dataDir, 'millrace.db'),
      join(folder, 'data', 'millrace.db'),
      `${dataDir}/../${basename(dataDir)}/backups/new/x.db`,
      keyFile,
      join(folder, 'hard-link'),
      join(folder, 'again', 'again', 'master.key'),
      `${folder}/missing/../master.key`,
      ...(process.platform === 'linux'
        ? [
            '/proc/self/environ',
            join(folder, 'own-process', 'environ'),
            '/sys/kernel/x',
            '/dev/shm/x',
            '/dev/null',
          ]
        : []),
    ]
    const refused = {
      code: 'forbidden',
      message: expect.stringContaining(", which flows can't use") as string,
    }
    for (const path of paths) {
      expect({ path, read: await run(app, 'file_read', { path }) }).toMatchObject({ path, read: refused })
      expect({ path, write: await run(app, 'file_write', { path, content: 'x' }) }).toMatchObject({
        path,
        write: refused,
      })
    }
    // A link in place of the file itself is never followed.
    expect(await run(app, 'file_read', { path: join(folder, 'soft-link') })).toMatchObject({
      code: 'forbidden',
    })
    expect(readFileSync(keyFile, 'utf8')).toBe('the key')
  })

  it('report problems with them', async () => {
    const { allowed, app } = await withFolder()
    writeFileSync(join(allowed, 'latin'), Buffer.from([0xe9]))
    writeFileSync(join(allowed, 'large'), Buffer.alloc(10_000_001))
    expect([
      await run(app, 'file_read', { path: 'nowhere' }),
      await run(app, 'file_read', { path: 'latin' }),
      await run(app, 'file_read', { path: 'large' }),
      await run(app, 'file_write', { path: 'latin/x', content: '' }),
      await run(app, 'file_write', { path: 'x', content: 'é!', encoding: 'hex' }),
      await run(app, 'file_read', { path: ' ' }),
    ]).toMatchObject([
      { code: 'not_found', message: expect.stringContaining("the file doesn't exist") as string },
      { field: 'config.encoding', message: expect.stringContaining("isn't valid utf-8 text") as string },
      { code: 'too_large', message: expect.stringContaining('10000001 bytes') as string },
      { code: 'validation', message: expect.stringContaining('a part of the path is a file') as string },
      { field: 'config.content', message: expect.stringContaining("can't be encoded as hex") as string },
      { field: 'config.path', message: expect.stringContaining('"path" is empty') as string },
    ])
  })
})
