import { parseArgs } from 'node:util'
import type { ConfigSource } from '../config.ts'

/** Reads `--port` and `--data-dir` from `process.argv`, among the arguments and switches of Electron itself. */
export function readStartArguments(argv: readonly string[]): NonNullable<ConfigSource['arguments']> {
  const { values } = parseArgs({
    args: argv.slice(1),
    options: { port: { type: 'string' }, 'data-dir': { type: 'string' } },
    strict: false,
  })
  return { port: textOf(values['port']), dataDir: textOf(values['data-dir']) }
}

/** Without a value it is `true`, which leaves the default. */
const textOf = (value: unknown) => (typeof value === 'string' ? value : undefined)
