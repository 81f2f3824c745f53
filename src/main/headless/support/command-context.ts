import type { Config } from '../../host/config.ts'
import type { Output } from './output.ts'

export interface CommandContext {
  readonly config: Config
  readonly output: Output
  /** Aborted once nobody reads stdout any more, so that commands with endless output stop. */
  readonly readerGone: AbortSignal
}
