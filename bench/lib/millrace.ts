/** The built program, headless, on its own port and folder. */
import { join } from 'node:path'
import { ROOT } from '../../scripts/lib/build.ts'
import { FLAGS, withMemory } from '../../src/main/host/machine/process-flags.ts'
import { startProgram, type Program } from './program.ts'

const ENTRY = join(ROOT, 'out/main/headless.js')
const WATCH_LOOP = ['--import', join(import.meta.dirname, 'watch-loop.mjs')]
const WATCH_MEMORY = ['--expose-gc', '--import', join(import.meta.dirname, 'watch-memory.mjs')]

export interface StartedMillrace {
  readonly program: Program
  readonly port: number
  /** The session's bearer, which has all permissions. */
  readonly bearer: string
}

/** @param folder its `data` subfolder is the data folder */
export async function startMillrace(
  folder: string,
  {
    watchesLoop = false,
    watchesMemory = false,
    env = {},
  }: {
    readonly watchesLoop?: boolean
    readonly watchesMemory?: boolean
    readonly env?: NodeJS.ProcessEnv
  } = {},
): Promise<StartedMillrace> {
  const node = [...FLAGS, ...(watchesLoop ? WATCH_LOOP : []), ...(watchesMemory ? WATCH_MEMORY : [])]
  const args = [...node, ENTRY, 'serve', '--port', '0', '--no-open', '--data-dir', join(folder, 'data')]
  const program = await startProgram(
    args,
    /#session=\S+\n/,
    withMemory({ ...env, MILLRACE_WEBHOOK_RATE_LIMIT: 'off', MILLRACE_MASTER_KEY: '0'.repeat(64) }),
  )
  const [, port, bearer = ''] = /:(\d+)\/#session=(\S+)/.exec(program.firstLines) ?? []
  return { program, port: Number(port), bearer }
}
