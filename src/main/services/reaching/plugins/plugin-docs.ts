import {
  authField,
  filterName,
  type PluginManifest,
  type PluginPart,
} from '../../../../shared/contract/plugins/manifest.ts'
import type { InstalledPlugin } from '../../../engine/flow/model/ports.ts'

/** One document per plug-in, by name, about what it adds and how to use that in a flow. */
export function pluginDocs(plugins: readonly InstalledPlugin[]): ReadonlyMap<string, string> {
  return new Map(
    plugins.flatMap(({ manifest }) =>
      manifest === null ? [] : [[`plugin-${manifest.name}`, documentOf(manifest)] as const],
    ),
  )
}

function documentOf(manifest: PluginManifest): string {
  const { name, title, description, steps, triggers, filters } = manifest
  return [
    `# ${title}`,
    `${description} A plug-in, \`${name}\`.`,
    ...steps.map((step) => sectionOf(step, 'step', name)),
    ...triggers.map((trigger) => sectionOf(trigger, 'trigger', name)),
    ...filters.map((filter) => {
      const written = filterName(name, filter)
      const given = filter.arguments.length === 0 ? '' : `(${filter.arguments.join(', ')})`
      return `## Filter ${written}\n\n${filter.description}\n\n\`{{ value | ${written}${given} }}\``
    }),
  ].join('\n\n')
}

function sectionOf(part: PluginPart, kind: 'step' | 'trigger', plugin: string): string {
  const input = Object.fromEntries(
    part.fields.flatMap((field) => (field.kind === 'auth' ? [] : [[field.name, field.placeholder ?? '']])),
  )
  const auth = authField(part) === undefined ? {} : { auth_id: '' }
  const type = kind === 'step' ? 'plugin' : 'plugin_trigger'
  const step = { ref_id: part.name, type, config: { plugin, [kind]: part.name, input, ...auth } }
  const fields = part.fields.map(({ name, label, hint, required, kind: control, options }) => {
    const choices = options === undefined ? '' : `, one of ${Object.keys(options).join(', ')}`
    return `- \`${control === 'auth' ? 'auth_id' : name}\` (${control}${choices}${required ? ', required' : ''}): ${[label, hint].filter(Boolean).join('. ')}`
  })
  return [
    `## ${part.label}`,
    `${part.description} ${part.docs}`.trim(),
    `\`\`\`json\n${JSON.stringify(step, null, 2)}\n\`\`\``,
    fields.join('\n'),
    part.words,
  ]
    .filter((text) => text !== '')
    .join('\n\n')
}
