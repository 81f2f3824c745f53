import { existsSync } from 'node:fs'
import { resolve } from 'node:path'

const PROJECT = resolve(import.meta.dirname, '../..')

/** A folder of checks that are kept next to the project, not in it; undefined if they are absent. */
export function sharedChecks(name: string): string | undefined {
  return ['../shared', '../../shared']
    .map((path) => resolve(PROJECT, path, 'checks', name))
    .find((path) => existsSync(path))
}
