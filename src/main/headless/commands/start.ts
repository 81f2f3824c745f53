import type { ExitCode } from '../../exit-codes.ts'
import type { CommandContext } from '../support/command-context.ts'
import { findRunningHost } from '../support/with-host.ts'
import { openPage } from './open.ts'
import { serve } from './serve.ts'

/** What somebody who types just `millrace` wants: the page, whether Millrace is already running or not. */
export async function start(
  context: CommandContext,
  options: { readonly open: boolean },
): Promise<ExitCode | void> {
  const isRunning = (await findRunningHost(context.config.dataDir)) !== null
  return isRunning ? openPage(context, options) : serve(context, { ...options, nextPort: true })
}
