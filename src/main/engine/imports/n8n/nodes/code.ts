/** Code nodes: their JavaScript goes on in the sandbox of the code step, with n8n's names made of what is there. */
import { textOf } from '../../plain.ts'
import { asStep, type NodeContext, type NodeType } from './node-context.ts'
import { nameLines } from '../source/script-names.ts'
import { manyItems, oneItem } from '../source/values.ts'

export const codeNode: NodeType = {
  runs: 'all',
  convert: (context) =>
    convertCode(
      context,
      textOf(context.node.parameters['jsCode'] ?? context.node.parameters['functionCode']),
      false,
    ),
}

/** In the mode "once for each item", and the older "Function item". */
export const codeItemNode: NodeType = {
  runs: 'each',
  convert: (context) =>
    convertCode(
      context,
      textOf(context.node.parameters['jsCode'] ?? context.node.parameters['functionCode']),
      true,
    ),
}

const OTHER_LANGUAGE = /^python/i

function convertCode(context: NodeContext, code: string, forEach: boolean) {
  const { node, ref, note } = context
  const language = textOf(node.parameters['language']) || 'javaScript'
  if (OTHER_LANGUAGE.test(language)) {
    note('config.source', 'is written in Python; write it again in JavaScript')
    const python = textOf(node.parameters['pythonCode']).replaceAll('*/', '* /')
    const source = `/* Python, which does not run here:\n${python}\n*/\nthrow new Error('This code is written in Python; write it again in JavaScript')`
    return asStep({ ref_id: ref, type: 'code', config: { source: source.slice(0, 65_000) } }, oneItem(ref))
  }
  sayMissing(code, note)
  const givesOne = forEach || /^\s*return\s*(?:\[\s*)?\{[^]*\}\s*(?:\]\s*)?;?\s*$/.test(lastReturn(code))
  const source = shimOf(context, code, forEach || givesOne, forEach)
  if (source.length > 65_536) note('config.source', 'is too long for a code step; divide it')
  if (!givesOne)
    note(
      'config.source',
      'may give several items, so what follows it stands in a loop; where it gives one, take it out of the loop',
    )
  return asStep({ ref_id: ref, type: 'code', config: { source } }, givesOne ? oneItem(ref) : manyItems(ref))
}

/** From the last `return` at the beginning of a line. */
function lastReturn(code: string): string {
  const at = code.lastIndexOf('\nreturn')
  const found = at === -1 && code.startsWith('return') ? code : code.slice(at + 1)
  // Something that is called or calculated gives who knows how many items.
  return /\}\s*\)|\.map|\.filter|\.\.\./.test(found) ? '' : found
}

const MISSING: readonly (readonly [pattern: RegExp, what: string])[] = [
  [/\brequire\s*\(|\bimport\b/, 'loads packages'],
  [/this\.helpers|\$helpers|\bfetch\s*\(/, 'sends requests'],
  [/\$getWorkflowStaticData|getWorkflowStaticData/, 'keeps data between runs (the step key_value does)'],
  [/\bDateTime\b|\$now|\$today/, "calculates with n8n's times (new Date() is there)"],
  [/\$env\b|process\.env|\$vars\b/, 'reads variables of the surroundings'],
  [/\bBuffer\b|\$binary|\.binary\b/, 'works with bytes'],
]

function sayMissing(code: string, note: NodeContext['note']): void {
  for (const [pattern, what] of MISSING)
    if (pattern.test(code)) note('config.source', `${what}, which code steps here cannot`)
}

/** `input` of a code step holds the results of the steps before: n8n's names are made of it. */
function shimOf(context: NodeContext, code: string, givesOne: boolean, forEach: boolean): string {
  const { source, known } = context
  const named = [...known].flatMap(([name, held]) =>
    held !== null && code.includes(name) ? [[name, held] as const] : [],
  )
  const lines = [
    ...nameLines(source, named),
    'const $result = await (async () => {',
    code,
    '})()',
    'const $plain = (one) => (one && typeof one === "object" && "json" in one ? one.json : one)',
    givesOne
      ? 'return $plain(Array.isArray($result) ? $result[0] : $result)'
      : 'return (Array.isArray($result) ? $result : [$result]).map($plain)',
  ]
  const what = forEach ? 'once for each item' : 'once for all items'
  return [
    `// From n8n, ${what}. The lines around it make n8n's names of the results of the steps before.`,
    ...lines,
  ].join('\n')
}
