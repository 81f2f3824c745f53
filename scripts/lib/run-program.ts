import { join } from 'node:path'
import { becomeNode } from '../../src/main/host/machine/process-flags.ts'
import { ROOT } from './build.ts'

/** Runs the `millrace` command of the newest build. Does not return. */
export function runProgram(args: readonly string[]): void {
  becomeNode(join(ROOT, 'out/main/headless.js'), args)
}
