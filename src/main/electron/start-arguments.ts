import { parseArgs } from 'node:util'
import type { ConfigSource } from '../config.ts'

/** `--port` and `--data-dir` among what Electron, its switches and its own arguments leave in `process.argv`. */
export function readStartArguments(argv: readonly string[]): NonNullable<ConfigSource['arguments']> {
  const { values } = parseArgs({
    args: argv.slice(1),
    options: { port: { type: 'string' }, 'data-dir': { type: 'string' } },
    strict: false,
  })
  return { port: textOf(values['port']), dataDir: textOf(values['data-dir']) }
}

/** Without a value it is `true`; then the default holds. */
const textOf = (value: unknown) => (typeof value === 'string' ? value : undefined)
