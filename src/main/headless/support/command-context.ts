import type { Config } from '../../config.ts'
import type { Output } from './output.ts'

export interface CommandContext {
  readonly config: Config
  readonly output: Output
}
