import { importConnectorRoute, planImportRoute } from '../../../shared/contract/connector-imports.ts'
import { listConnectorsRoute } from '../../../shared/contract/connectors.ts'
import type { CommandContext } from '../support/command-context.ts'
import { formatTable } from '../support/output.ts'
import { named, withSentSource } from '../support/sent-source.ts'
import { readText } from '../support/text-file.ts'
import { withHost } from '../support/with-host.ts'

export async function listConnectors({ config, output }: CommandContext): Promise<void> {
  const connectors = await withHost(config, (host) => host.call(listConnectorsRoute))
  output.answer(
    connectors,
    formatTable(
      ['ID', 'STATUS', 'FROM', 'NAME'],
      connectors.map((one) => [one.id, one.status, one.built_in ? 'built in' : 'yours', one.name]),
    ),
  )
}

/** Creates a connector from an OpenAPI document, a Postman collection, a curl command or an exported file. */
export async function importConnector(
  { config, output }: CommandContext,
  _options: unknown,
  path: string,
): Promise<void> {
  const source = readText(path)
  const { connector, plan } = await withHost(config, (host) =>
    withSentSource(host, source, async (sent) => {
      output.progress({ text: 'Reading the source …' })
      const read = await host.call(planImportRoute, { body: sent }).catch((error: unknown) => {
        throw named(error, path)
      })
      const body = sent.file_id === undefined ? read.file : { file_id: sent.file_id }
      return { connector: await host.call(importConnectorRoute, { body }), plan: read }
    }),
  )
  const { source_format: format, file, left_out: leftOut, notes } = plan
  const lines = [
    `Imported "${connector.name}" with ${file.actions.length} actions: ${connector.id}`,
    ...notes.map(({ item, note }) => `${item}: ${note}`),
    ...leftOut.map(({ item, reason }) => `Skipped: ${item}: ${reason}`),
  ]
  output.answer(
    { connector, source_format: format, actions: file.actions.length, left_out: leftOut, notes },
    lines.join('\n'),
  )
}
