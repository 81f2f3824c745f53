import type { CompletionEntry } from '../../src/template/index.ts'

/** An operation as listed in the reference: its call, then its help. */
export function referenceLine({ kind, name, aliases, signature, help, types }: CompletionEntry): string {
  const call = signature === '' ? name : kind === 'tag' ? `${name} ${signature}` : `${name}(${signature})`
  const others = aliases.length === 0 ? '' : ` (also ${aliases.map((alias) => `\`${alias}\``).join(', ')})`
  const owners = types.length === 0 ? '' : ` · ${types.join(', ')}`
  return `- \`${call}\`${others}${owners}: ${help}`
}
