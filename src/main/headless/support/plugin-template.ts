/** The files that `millrace plugin new` writes: a plug-in with one step and its test, as a starting point. */
export function pluginTemplate(name: string): ReadonlyMap<string, string> {
  const manifest = {
    manifest_version: 1,
    name,
    version: '1.0.0',
    title: 'My plug-in',
    description: 'Greets people.',
    permissions: {},
    steps: [
      {
        name: 'greet',
        label: 'Greet',
        description: 'Writes a greeting.',
        icon: 'hand',
        fields: [
          { name: 'name', label: 'Name', kind: 'text', required: true, placeholder: '{{ web1.name }}' },
          { name: 'loud', label: 'Loud', kind: 'switch', default: false },
        ],
        result: { type: 'object', properties: { text: { type: 'string' } } },
        docs: 'Writes a greeting for a name.',
      },
    ],
  }
  const test = { step: 'greet', input: { name: 'Ada', loud: true }, expect: { text: 'HELLO ADA' } }
  return new Map([
    ['manifest.json', `${JSON.stringify(manifest, null, 2)}\n`],
    ['run.js', RUN],
    ['README.md', `# ${name}\n\nWrites a greeting. Test it with \`millrace plugin test\`.\n`],
    ['tests/greet.json', `${JSON.stringify(test, null, 2)}\n`],
  ])
}

const RUN = `/** @type {import('@millrace/plugin').Steps} */
export const steps = {
  async greet({ input }) {
    const text = \`Hello \${input.name}\`
    return { text: input.loud ? text.toUpperCase() : text }
  },
}
`
