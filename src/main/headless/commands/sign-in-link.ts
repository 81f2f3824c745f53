import { createSignInLinkRoute } from '../../../shared/contract/page-sessions.ts'
import type { CommandContext } from '../support/command-context.ts'
import { requireRunningHost } from '../support/with-host.ts'

/**
 * Prints a link that signs in one browser through the proxy. The running Millrace stores it, so Millrace must be
 * running.
 */
export async function printSignInLink({ config, output }: CommandContext): Promise<void> {
  const link = await (await requireRunningHost(config)).call(createSignInLinkRoute)
  output.answer(link, link.url)
  output.note('It works once, for 15 minutes. Whoever opens it first is signed in with all scopes.')
}
