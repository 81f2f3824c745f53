import {
  listConnectorAuthsRoute,
  signInByCodeRoute,
  testConnectorAuthRoute,
} from '../../../shared/contract/connector-auths.ts'
import { listConnectorsRoute } from '../../../shared/contract/connectors.ts'
import { EXIT, type ExitCode } from '../../host/machine/exit-codes.ts'
import type { CommandContext } from '../support/command-context.ts'
import { findAuth } from '../support/find-record.ts'
import { formatTable } from '../support/output.ts'
import { withHost } from '../support/with-host.ts'

export async function listAuths({ config, output }: CommandContext): Promise<void> {
  const { auths, names } = await withHost(config, async (host) => ({
    auths: await host.call(listConnectorAuthsRoute),
    names: new Map((await host.call(listConnectorsRoute)).map(({ id, name }) => [id, name])),
  }))
  const connectorOf = (id: string) => names.get(id) ?? id
  const table = formatTable(
    ['ID', 'STATE', 'TYPE', 'CONNECTOR', 'NAME'],
    auths.map((auth) => [auth.id, auth.state, auth.auth_type, connectorOf(auth.connector_id), auth.name]),
  )
  output.answer(auths, auths.length === 0 ? 'There are no connector auths.' : table)
}

/** Calls the API once with the credentials. Exits with 1 if it rejects them. */
export async function testAuth(
  { config, output }: CommandContext,
  { action, url }: { readonly action?: string; readonly url?: string },
  wanted: string,
): Promise<ExitCode> {
  const { auth, test } = await withHost(config, async (host) => {
    const found = await findAuth(host, wanted)
    output.progress({ text: `Testing "${found.name}" …` })
    const body = { ...(action === undefined ? {} : { action }), ...(url === undefined ? {} : { url }) }
    return { auth: found, test: await host.call(testConnectorAuthRoute, { params: { id: found.id }, body }) }
  })
  const took = `${Math.round(test.duration_ms)} ms`
  output.answer(
    { id: auth.id, name: auth.name, ...test },
    `${test.ok ? 'ok' : 'failed'}: ${auth.name}: ${test.message} (${test.status === null ? '' : `HTTP ${test.status}, `}${took})`,
  )
  return test.ok ? EXIT.ok : EXIT.failed
}

/** Signs in with a code that the user enters in a browser. Exits with 1 if that fails; Ctrl+C cancels the sign-in. */
export async function signInByCode(
  { config, output, readerGone }: CommandContext,
  _options: object,
  wanted: string,
): Promise<ExitCode> {
  return withHost(config, async (host) => {
    const { id, name } = await findAuth(host, wanted)
    for await (const event of host.stream(signInByCodeRoute, readerGone, { params: { id } })) {
      switch (event.type) {
        case 'code':
          output.line(
            event,
            `Open ${event.complete_url ?? event.url} in a browser and enter the code ${event.user_code}`,
          )
          break
        case 'failed':
          output.failure('sign_in_failed', event.message)
          return EXIT.failed
        default:
          output.line({ type: 'done', id, name }, `Signed in: ${name}`)
      }
    }
    return EXIT.ok
  })
}
