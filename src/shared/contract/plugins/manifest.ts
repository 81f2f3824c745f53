/**
 * The `manifest.json` of a plug-in, which declares its parts and permissions. `packages/plugin` contains its JSON
 * Schema.
 */
import { withValue } from '../base/message.ts'
import { doc } from '../base/doc.ts'
import { z } from 'zod'
import { json, jsonObject, origin, text } from '../base/common.ts'

const NAME = /^[a-z][a-z0-9_]{0,39}$/
const name = z
  .string()
  .regex(NAME, withValue('must begin with a lower-case letter, then letters, digits and _'))
export const pluginName = name
const sentence = text(500)
const icon = z
  .string()
  .regex(/^[a-z][a-z0-9-]{0,39}$/, withValue('must be the name of a Lucide icon, such as scan-text'))
  .default('puzzle')
  .describe('Name of a Lucide icon.')

export const PLUGIN_FIELD_KINDS = [
  'template',
  'text',
  'lines',
  'number',
  'choice',
  'switch',
  'json',
  'dictionary',
  'auth',
] as const

const field = z.strictObject({
  name: name.describe('`run.js` reads the value by this name: `input.name`.'),
  label: sentence.describe('Label in the form.'),
  kind: z
    .enum(PLUGIN_FIELD_KINDS)
    .default('template')
    .describe(
      'The control: `template` (any value), `text` and `lines` (rendered as text), `number`, `choice` (one of `options`), `switch`, `json`, `dictionary` or `auth` (a connector auth of `connector`). Strings in all of them are templates, except in `choice`.',
    ),
  hint: sentence.optional().describe('Help below the field.'),
  placeholder: text(200).optional().describe('Example in the empty field.'),
  required: z.boolean().default(false).describe('Whether the step needs a value.'),
  default: json.optional().describe('Value that `run.js` gets if the field is empty.'),
  options: z
    .record(z.string(), sentence)
    .optional()
    .describe('For `choice`: the values with their labels, in order.'),
  connector: text(100)
    .optional()
    .describe(
      'For `auth`: whose auths can be chosen. A name in `connectors`, or the ID of any other connector. `run.js` gets the ID of the auth and passes it on, `request({ url, auth })`; it never sees the secrets.',
    ),
})
export type PluginField = z.output<typeof field>

const fields = z
  .array(field)
  .max(50)
  .default([])
  .superRefine((all, context) => {
    for (const [at, one] of all.entries()) {
      if (all.findIndex((other) => other.name === one.name) < at)
        context.addIssue({ code: 'custom', path: [at, 'name'], message: 'appears twice' })
      if (one.kind === 'choice' && Object.keys(one.options ?? {}).length === 0)
        context.addIssue({ code: 'custom', path: [at, 'options'], message: 'needs at least one choice' })
      if (one.kind !== 'auth') continue
      if (one.connector === undefined)
        context.addIssue({ code: 'custom', path: [at, 'connector'], message: 'is required' })
      if (authField({ fields: all }) !== one)
        context.addIssue({ code: 'custom', path: [at, 'kind'], message: 'can be auth in only one field' })
    }
  })

const part = z.strictObject({
  name: name.describe('Name of the function in `run.js`.'),
  label: sentence.describe('What it is called in the app.'),
  description: sentence.describe('What it does, in one line.'),
  words: text(500).default('').describe('More words to search for it by.'),
  icon,
  fields: fields.describe('Fields of the form, in order.'),
  result: jsonObject.default({}).describe('JSON Schema of what it returns; `{}` is any value.'),
  docs: text(20_000).default('').describe('Its help page, in Markdown.'),
})
export type PluginPart = z.output<typeof part>

const parts = z.array(part).max(50).default([]).refine(hasDistinctNames, 'has two items with the same name')

const filter = z.strictObject({
  name: name.describe(
    'Name of the function in `run.js`. Templates put the name of the plug-in before it: `{{ number | bank_accounts_iban }}`.',
  ),
  description: sentence.describe('What it does, in one line. Completion shows it.'),
  arguments: z
    .array(name)
    .max(6)
    .default([])
    .describe('Names of its arguments after the value. One that is left out is null.'),
})
export type PluginFilter = z.output<typeof filter>

/** The name of a filter in templates. */
export const filterName = (plugin: string, { name: own }: Pick<PluginFilter, 'name'>): string =>
  `${plugin}_${own}`

/** The field that says which connector auth a part uses; steps have its value as `auth_id`. */
export const authField = ({ fields }: { readonly fields: readonly PluginField[] }): PluginField | undefined =>
  fields.find(({ kind }) => kind === 'auth')

export const usesAuths = ({ steps, triggers }: Pick<PluginManifest, 'steps' | 'triggers'>): boolean =>
  [...steps, ...triggers].some((part) => authField(part) !== undefined)

/** The ID of the connector whose auths a field offers. */
export const connectorOfField = (
  { name: plugin, connectors }: Named,
  { connector = '' }: PluginField,
): string => (connectors.includes(connector) ? connectorIdOf(plugin, connector) : connector)

/** The ID of a connector that a plug-in includes. */
export const connectorIdOf = (plugin: string, connector: string): string => `plugin.${plugin}.${connector}`

/** The plug-in that a connector comes from; null if it isn't from a plug-in. */
export const pluginOfConnector = (id: string): string | null => /^plugin\.([^.]+)\./.exec(id)?.[1] ?? null

const permissions = z
  .strictObject({
    origins: z
      .array(origin)
      .max(20)
      .default([])
      .describe(
        'Origins that it can send requests to, such as `https://api.example.com`. Redirects to others fail.',
      ),
    private_network: z
      .boolean()
      .default(false)
      .describe('Whether these origins can be on this computer or in its network.'),
    files: z
      .enum(['none', 'read', 'write'])
      .default('none')
      .describe('Whether it can only `read` files of the allowed folders, or `write` them as well.'),
    key_values: z
      .boolean()
      .default(false)
      .describe('Whether it can keep values between runs. It sees only its own.'),
  })
  .prefault({})

export const pluginManifest = z
  .strictObject({
    $schema: z.string().optional().describe('Path or URL of this schema, for editors.'),
    manifest_version: z.literal(1).describe('Version of this format.'),
    name: name.describe('Name of the plug-in and of its folder.'),
    version: z
      .string()
      .regex(/^\d{1,6}\.\d{1,6}\.\d{1,6}$/, withValue('must be a version such as 1.0.0'))
      .meta(doc('Version of the plug-in.', '1.0.0')),
    title: sentence.meta(doc('What it is called in the app.', 'Invoice numbers')),
    description: sentence.meta(doc('What it is for, in one line.', 'Checks and formats invoice numbers.')),
    icon,
    permissions: permissions.describe(
      'What it can reach. Somebody has to confirm this before flows can use it.',
    ),
    steps: parts.describe('Step types. Each is a function of `steps` in `run.js`.'),
    triggers: parts.describe(
      'Triggers that look for new items. Each is a function of `triggers` in `run.js`.',
    ),
    filters: z
      .array(filter)
      .max(50)
      .default([])
      .refine(hasDistinctNames, 'has two items with the same name')
      .describe('Filters for templates. Each is a function of `filters` in `run.js` and can only compute.'),
    connectors: z
      .array(name)
      .max(20)
      .default([])
      .refine((all) => new Set(all).size === all.length, 'contains the same item twice')
      .describe(
        'Connectors it brings. `bank` is the file `connectors/bank.json`, in the form that **Export** writes.',
      ),
    german: z
      .record(z.string(), text(1_000))
      .default({})
      .describe('German translations of its sentences, by the English ones.'),
  })
  .meta({ title: 'Manifest of a Millrace plug-in' })
export type PluginManifest = z.output<typeof pluginManifest>
type Named = Pick<PluginManifest, 'name' | 'connectors'>

function hasDistinctNames(all: readonly { readonly name: string }[]): boolean {
  return new Set(all.map((one) => one.name)).size === all.length
}
