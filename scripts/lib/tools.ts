/**
 * Packages that only some scripts and tests need: each folder has its own lockfile and is installed when it is first
 * used. `npm ci` installs what is needed to build, run and test the program itself.
 */
import { spawnSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import { cpSync, existsSync, mkdtempSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { ROOT } from './build.ts'

export type Tool =
  | 'packaging'
  | 'tools/api-clients'
  | 'tools/checks'
  | 'tools/chromium'
  | 'tools/conformance'
  | 'tools/duckdb'
  | 'tools/postgres'
  | 'tools/site'
  | 'tools/webhook-senders'

/**
 * Installs the tool unless the installed packages match its lockfile.
 *
 * @returns its folder
 * @throws Error with npm's output
 */
export function installTool(tool: Tool): string {
  const folder = join(ROOT, tool)
  const lock = createHash('sha256')
    .update(readFileSync(join(folder, 'package-lock.json')))
    .digest('hex')
  if (lockInstalledIn(folder) === lock) return folder
  process.stderr.write(`Installing the packages of ${tool} …\n`)
  // Installed in a separate folder and then moved, because several processes may need it at once.
  const draft = mkdtempSync(join(folder, '.install-'))
  try {
    for (const file of ['package.json', 'package-lock.json']) cpSync(join(folder, file), join(draft, file))
    // No package's install script runs.
    runNpm(['ci', '--ignore-scripts', '--no-audit', '--no-fund'], draft)
    writeFileSync(join(draft, STAMP), lock)
    const installed = join(folder, 'node_modules')
    if (existsSync(installed)) renameSync(installed, join(draft, 'old'))
    renameSync(join(draft, 'node_modules'), installed)
  } catch (error) {
    // Another process was faster.
    if (lockInstalledIn(folder) !== lock) throw error
  } finally {
    rmSync(draft, { recursive: true, force: true })
  }
  return folder
}

/** A package of a tool, which is installed first. */
export async function importTool(tool: Tool, name: string): Promise<unknown> {
  const { resolve } = createRequire(join(installTool(tool), 'package.json'))
  return import(pathToFileURL(resolve(name)).href)
}

/** The file in which a tool's folder records the lockfile its packages were installed from. */
const STAMP = 'node_modules/.millrace-lock'

function lockInstalledIn(folder: string): string | null {
  const stamp = join(folder, STAMP)
  return existsSync(stamp) ? readFileSync(stamp, 'utf8') : null
}

/**
 * Runs npm, and returns what it prints.
 *
 * @throws Error with its output unless its exit code is 0
 */
export function runNpm(args: readonly string[], cwd: string): string {
  // npm passes on the path of its own script; without that, Windows can start npm only through a shell.
  const { npm_execpath: script } = process.env
  const options = { cwd, encoding: 'utf8', maxBuffer: 64 * 2 ** 20 } as const
  const { status, stdout, stderr } = script?.endsWith('npm-cli.js')
    ? spawnSync(process.execPath, [script, ...args], options)
    : spawnSync('npm', args, { ...options, shell: process.platform === 'win32' })
  if (status !== 0)
    throw new Error(`npm ${args.join(' ')} in ${cwd} ended with ${status}\n${stdout}${stderr}`)
  return stdout
}
