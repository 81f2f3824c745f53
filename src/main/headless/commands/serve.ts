import { EXIT, type ExitCode } from '../../exit-codes.ts'
import { startRestorable } from '../../restorable.ts'
import { createLogger } from '../../system.ts'
import type { CommandContext } from '../command-line.ts'
import { openBrowser } from '../open-browser.ts'

/** An orderly stop takes 10 s at most for what is running, and a moment for the rest. */
const STOP_WITHIN_MS = 14_000

/** Runs until the first signal, then stops in order; a second signal ends the process at once. */
export async function serve(
  { config, output }: CommandContext,
  options: { readonly open: boolean },
): Promise<ExitCode> {
  const log = createLogger('warn')
  const signal = firstSignal()

  const application = await startRestorable({ config, log })
  const { url, sessionUrl } = application
  output.answer({ url, session_url: sessionUrl }, `Millrace is listening on ${url}\n${sessionUrl}`)
  if (options.open) openBrowser(sessionUrl)

  await signal
  setTimeout(() => process.exit(EXIT.ok), STOP_WITHIN_MS).unref()
  await application.stop()
  return EXIT.ok
}

function firstSignal(): Promise<void> {
  return new Promise((resolve) => {
    let signals = 0
    const count = () => {
      if (++signals > 1) process.exit(EXIT.failed)
      resolve()
    }
    for (const signal of ['SIGTERM', 'SIGINT', 'SIGHUP'] as const) process.on(signal, count)
  })
}
