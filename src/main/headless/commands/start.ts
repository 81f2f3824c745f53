import type { ExitCode } from '../../host/machine/exit-codes.ts'
import type { CommandContext } from '../support/command-context.ts'
import { findRunningHost } from '../support/with-host.ts'
import { openPage } from './open.ts'
import { serve } from './serve.ts'

/** Runs for plain `millrace`: opens the app, and starts Millrace first if necessary. */
export async function start(
  context: CommandContext,
  options: { readonly open: boolean },
): Promise<ExitCode | void> {
  const isRunning = (await findRunningHost(context.config.dataDir)) !== null
  return isRunning ? openPage(context, options) : serve(context, { ...options, nextPort: true })
}
