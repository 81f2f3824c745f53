import { parseArgs } from 'node:util'
import type { ConfigSource } from '../host/config.ts'

export interface StartArguments extends NonNullable<ConfigSource['arguments']> {
  /** Whether the app was started with the system, without a window. */
  readonly hidden: boolean
}

/** Reads our own arguments from `process.argv`, among the arguments and switches of Electron itself. */
export function readStartArguments(argv: readonly string[]): StartArguments {
  const { values } = parseArgs({
    args: argv.slice(1),
    options: {
      port: { type: 'string' },
      'data-dir': { type: 'string' },
      hidden: { type: 'boolean' },
    },
    strict: false,
  })
  return {
    port: textOf(values['port']),
    dataDir: textOf(values['data-dir']),
    hidden: values['hidden'] === true,
  }
}

/** An argument without a value is `true`, so the default applies. */
const textOf = (value: unknown) => (typeof value === 'string' ? value : undefined)
