/** Converts code nodes, whose JavaScript runs in the sandbox of the code step. */
import { say } from '@millrace/jinja/said'
import { textOf } from '../source/plain-json.ts'
import { NotReadable } from '../expression/javascript.ts'
import { readCode } from '../expression/script.ts'
import { firstOf, manyItems, oneItem } from '../source/values.ts'
import { refuse } from '../source/untranslatable.ts'
import { asCode, type NodeContext, type NodeType } from './node-context.ts'

/** Code that runs once for all items. */
export const codeNode: NodeType = {
  runs: 'all',
  convert(context) {
    const { source, ref } = context
    const { code, givesOne } = readNode(context)
    const lines = ['const $result = await (async () => {', code, '})()']
    // n8n doesn't run the node without items.
    const isCertain = source === null || source.items === 'one'
    if (!isCertain) lines.unshift('if ($input.all().length === 0) return []')
    return givesOne && isCertain
      ? asCode(context, [...lines, 'return $returned($result)[0]'].join('\n'), oneItem(ref))
      : asCode(context, [...lines, 'return $returned($result)'].join('\n'), manyItems(ref))
  },
}

/** Code that runs once for each item: "Function item", and code nodes in that mode. */
export const codeItemNode: NodeType = {
  runs: 'all',
  convert(context) {
    const { source, ref, node } = context
    const isOld = node.type.endsWith('functionItem')
    const { code } = readNode(
      { ...context, source: source?.items === 'many' ? firstOf(source) : source },
      true,
    )
    const own = isOld ? 'const item = $item.json, $json = item' : 'const item = $item, $json = item.json'
    const each = [
      'const $each = async ($item, $itemIndex) => {',
      '  const $input = { item: $item, json: $item.json }',
      `  ${own}`,
      '  const $result = await (async () => {',
      code,
      '  })()',
      '  return $result === null || $result === undefined ? [] : [$json_of(Array.isArray($result) ? $fail("the code returns a list, once for each item it returns one item") : $result)]',
      '}',
    ]
    if (source === null || source.items === 'one') {
      const body = [
        ...each,
        `const [$given] = await $each({ json: ${source?.js ?? '{}'} }, input.index ?? 0)`,
        'return $given ?? $fail("the code returned no item; n8n continues without it")',
      ]
      return asCode(context, body.join('\n'), oneItem(ref))
    }
    const body = [
      ...each,
      'const $all = []',
      `for (const [at, json] of (${source.js}).entries()) $all.push(...(await $each({ json }, at)))`,
      'return $all',
    ]
    return asCode(context, body.join('\n'), manyItems(ref))
  },
}

function readNode(
  context: NodeContext,
  forEach = false,
): { readonly code: string; readonly givesOne: boolean } {
  const { node, scripts } = context
  const { parameters } = node
  const language = textOf(parameters['language']) || 'javaScript'
  if (!/^javascript$/i.test(language))
    refuse(say`is written in ${language.slice(0, 20)}; code steps run JavaScript`)
  const code = textOf(parameters['jsCode'] ?? parameters['functionCode'])
  try {
    const script = readCode(code)
    const itemReads = script.reads.filter(({ node: of }) => of !== null)
    if (forEach && script.reads.some(({ node: of, what }) => of === null && what === 'all'))
      refuse(say`reads all items, but runs once for each`)
    scripts.use(forEach ? { ...script, reads: itemReads } : script)
    return script
  } catch (error) {
    if (!(error instanceof NotReadable)) throw error
    return refuse(say`has JavaScript that doesn't run here: ${error.said}`)
  }
}
