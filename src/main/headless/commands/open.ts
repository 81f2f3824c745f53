import {
  createSignInCodeRoute,
  createSignInLinkRoute,
  SIGN_IN_FRAGMENT,
} from '../../../shared/contract/page-sessions.ts'
import { EXIT, HostError } from '../../host/machine/exit-codes.ts'
import type { CommandContext } from '../support/command-context.ts'
import { openBrowser } from '../support/open-browser.ts'
import { findRunningHost, requireRunningHost } from '../support/with-host.ts'

/** Prints the URL of the running Millrace's page with a session, and opens it in the browser. */
export async function openPage(
  { config, output }: CommandContext,
  options: { readonly open: boolean },
): Promise<void> {
  const host = await findRunningHost(config.dataDir)
  if (host === null) {
    throw new HostError(
      EXIT.failed,
      `Millrace isn't running with the data folder ${config.dataDir}; start it with "millrace start"`,
    )
  }
  output.answer({ url: host.url, session_url: host.sessionUrl }, host.sessionUrl)
  if (!options.open || output.json) return
  const { code } = await host.call(createSignInCodeRoute)
  openBrowser(`${host.url}/${SIGN_IN_FRAGMENT}${code}`)
}

/**
 * Prints a link that signs in one browser through the proxy. The running Millrace stores it, so Millrace must be
 * running.
 */
export async function printSignInLink({ config, output }: CommandContext): Promise<void> {
  const link = await (await requireRunningHost(config)).call(createSignInLinkRoute)
  output.answer(link, link.url)
  output.note('It works once, for 15 minutes. Whoever opens it first is signed in with all scopes.')
}
