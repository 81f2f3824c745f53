/** Plug-ins: steps and triggers from folders in the data folder. */
import { doc } from '../base/doc.ts'
import { z } from 'zod'
import { text, timestamp } from '../base/common.ts'
import { can, defineRoute } from '../base/route.ts'
import { pluginManifest, pluginName } from './manifest.ts'

const example = { examples: ['invoice_numbers'] }
const params = z.object({ name: pluginName.meta(example).describe('Name of the plug-in.') })
const sha256 = z
  .string()
  .regex(/^[0-9a-f]{64}$/, 'must be 64 hexadecimal digits')
  .meta({ examples: ['ab'.repeat(32)] })

export const plugin = z.object({
  name: z.string().meta(example).describe('Name of the plug-in, and of its folder.'),
  status: z
    .enum(['ready', 'unconfirmed', 'changed', 'broken'])
    .describe(
      '`ready`; `unconfirmed`: nobody has agreed to what it can reach yet; `changed`: its files differ from those that were confirmed; `broken`: see `problem`. Only a `ready` one runs.',
    ),
  problem: z
    .string()
    .nullable()
    .meta({ examples: [null] })
    .describe('Why it is broken. Null if it is not.'),
  hash: sha256.describe('SHA-256 of its files as they are now, which confirming names.'),
  confirmed_hash: sha256.nullable().describe('Hash of the files that were confirmed. Null if none were.'),
  confirmed_by: z
    .string()
    .nullable()
    .meta({ examples: ['93a1c7c0-4a49-4a79-8a53-2f1a2b6a5f11'] })
    .describe('ID of the user who confirmed it. Null if nobody has.'),
  confirmed_at: timestamp
    .nullable()
    .meta({ examples: ['2026-03-01T08:00:00.000Z'] })
    .describe('When it was confirmed, in UTC. Null if it was not.'),
  manifest: pluginManifest
    .nullable()
    .describe('Its `manifest.json` with all defaults. Null if that is broken.'),
  connectors: z
    .array(
      z.object({
        id: z
          .string()
          .meta({ examples: ['plugin.bank_accounts.bank'] })
          .describe('ID that it has once the plug-in is confirmed.'),
        name: z.string().meta(doc('Name of the connector.', 'Bank')),
        base_domain: z
          .string()
          .meta({ examples: ['https://api.bank.example'] })
          .describe('Base URL of its requests.'),
        actions: z
          .array(z.string())
          .meta({ examples: [['list_accounts']] })
          .describe('Names of its actions.'),
      }),
    )
    .describe('The connectors it brings.'),
  confirmed_manifest: pluginManifest
    .nullable()
    .describe('The manifest that was confirmed, if the files have changed since. Null otherwise.'),
  readme: z
    .string()
    .meta({ examples: ['# Invoice numbers\n'] })
    .describe('Its `README.md`. Empty if it has none.'),
  files: z
    .array(
      z.object({
        path: z.string().meta(doc('Path below its folder.', 'run.js')),
        size: z.int().meta(doc('Size in bytes.', 420)),
      }),
    )
    .describe('Its files, by path.'),
})
export type Plugin = z.output<typeof plugin>

export const listPluginsRoute = defineRoute({
  method: 'GET',
  path: '/v1/plugins',
  summary: 'List the plug-ins, after reading their folders again',
  access: can('flows', 'read'),
  status: 200,
  result: z.array(plugin),
})

export const readPluginRoute = defineRoute({
  method: 'GET',
  path: '/v1/plugins/:name',
  summary: 'Read a plug-in: its manifest, what it can reach, and whether it was confirmed',
  access: can('flows', 'read'),
  status: 200,
  item: true,
  params,
  result: plugin,
})

export const addPluginRoute = defineRoute({
  method: 'POST',
  path: '/v1/plugins',
  name: 'add_plugin',
  summary: 'Copy a plug-in into the data folder; it runs once it is confirmed',
  access: 'session',
  status: 201,
  body: z
    .strictObject({
      path: text(4_000)
        .optional()
        .meta({ examples: ['/home/ada/invoice_numbers'] })
        .describe(
          'Full path of a folder, or of a `.tar` or `.tar.gz` file, on this computer. Either this or `file_id`.',
        ),
      file_id: text(200).optional().describe('ID of an uploaded `.tar` or `.tar.gz` file.'),
    })
    .refine(
      ({ path, file_id: file }) => (path === undefined) !== (file === undefined),
      'needs either "path" or "file_id"',
    )
    .meta({ examples: [{ path: '/home/ada/invoice_numbers' }] }),
  result: plugin,
})

export const confirmPluginRoute = defineRoute({
  method: 'POST',
  path: '/v1/plugins/:name/confirm',
  summary: 'Agree to what a plug-in can reach; it runs as long as its files stay the same',
  access: 'session',
  status: 200,
  params,
  body: z.strictObject({
    hash: sha256.describe(
      'Hash of the files that were shown. If they have changed since, this is a conflict (409).',
    ),
  }),
  result: plugin,
})

export const removePluginRoute = defineRoute({
  method: 'DELETE',
  path: '/v1/plugins/:name',
  summary: 'Remove a plug-in; steps that use it fail from then on',
  access: 'session',
  status: 204,
  params,
})

export const pluginRoutes = {
  listPluginsRoute,
  addPluginRoute,
  readPluginRoute,
  confirmPluginRoute,
  removePluginRoute,
}
