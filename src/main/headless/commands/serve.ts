import { EXIT, type ExitCode } from '../../host/machine/exit-codes.ts'
import { startRestorable } from '../../host/restorable.ts'
import { startOnFreePort } from '../../host/machine/tcp-port.ts'
import { createLogger } from '../../host/machine/system.ts'
import { unlockKey } from '../../host/unlock-key.ts'
import { askPassphrase } from '../support/ask-passphrase.ts'
import type { CommandContext } from '../support/command-context.ts'
import { openBrowser } from '../support/open-browser.ts'

/** A shutdown gives running work up to 10 s, and takes a little longer for the rest. */
const STOP_WITHIN_MS = 14_000

/**
 * Runs until the first signal or `millrace stop`, then shuts down properly; a second signal ends the process at once.
 */
export async function serve(
  { config: given, output }: CommandContext,
  options: { readonly open: boolean; readonly nextPort?: boolean; readonly link?: boolean },
): Promise<ExitCode> {
  const config = await unlockKey(given, askPassphrase)
  const log = createLogger('warn')
  // Writes the error to the log files too; the command line then prints it and ends the process.
  process.prependListener('uncaughtException', (error) =>
    log.error({ err: error }, 'Millrace stops because of an unexpected error'),
  )
  const { promise: end, resolve: onStop } = Promise.withResolvers<void>()
  atFirstSignal(onStop)

  const start = (port: number) =>
    startRestorable({ config: { ...config, port }, log, keepLog: log.keep, onStop })
  const application = await (options.nextPort === true
    ? startOnFreePort(config.port, start, (why) => output.note(`${why}, so another one is used this time.`))
    : start(config.port))
  const { url, sessionUrl, webhookUrl } = application
  const showsLink = options.link ?? true
  output.answer(
    {
      url,
      ...(showsLink && { session_url: sessionUrl }),
      ...(webhookUrl !== null && { webhook_url: webhookUrl }),
    },
    `Millrace is listening on ${url}${showsLink ? `\n${sessionUrl}` : ''}`,
  )
  if (webhookUrl !== null) output.note(aboutListener(webhookUrl, config))
  if (options.open) openBrowser(application.signInUrl())

  await end
  setTimeout(() => process.exit(EXIT.ok), STOP_WITHIN_MS).unref()
  await application.stop()
  return EXIT.ok
}

function aboutListener(webhookUrl: string, { webhookListen }: CommandContext['config']): string {
  const where = `Webhooks, and nothing else, can also be reached at ${webhookUrl}`
  if (/^http:\/\/(127\.|\[::1\]|localhost)/.test(webhookUrl)) return `${where}.`
  if (webhookListen?.onlyProxies === true) return `${where}, for the trusted proxies only.`
  return `${where}, without TLS: tokens and data can be read on the way. Put a proxy with TLS in front.`
}

function atFirstSignal(end: () => void): void {
  let signals = 0
  const count = () => {
    if (++signals > 1) process.exit(EXIT.failed)
    end()
  }
  // Windows sends SIGBREAK for Ctrl-Break; no other system does.
  for (const signal of ['SIGTERM', 'SIGINT', 'SIGHUP', 'SIGBREAK'] as const) process.on(signal, count)
}
