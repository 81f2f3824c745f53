/** Defines n8n's names in the JavaScript of a code step from the results of previous steps. */
import { say } from '@millrace/jinja/said'
import type { Read } from '../expression/script.ts'
import { NotReadable } from '../expression/javascript.ts'
import { asJsList, isThere, type Source } from '../source/values.ts'

export interface ScriptScope {
  /** The input; null if there is none. */
  readonly source: Source | null
  /** The results of other nodes; null for several items that can't be told apart here. */
  readonly known: ReadonlyMap<string, Source | null>
  readonly workflow: string
  /** The index of the item among all items, as JavaScript; null if it is unknown. */
  readonly itemIndex: string | null
}

/** @throws NotReadable if it reads something that doesn't exist or isn't certain */
export function checkRead({ node, what }: Read, { source, known, itemIndex }: ScriptScope): void {
  if (what === 'env') return
  if (what === 'index') {
    if (itemIndex === null) throw new NotReadable(say`the position of the item is not known here`)
    return
  }
  const held = node === null ? source : known.get(node)
  if (node !== null && held === undefined) throw new NotReadable(say`"${node}" hasn't run at this point`)
  if (held === null || held === undefined)
    throw new NotReadable(
      node === null
        ? say`there is no input here`
        : say`it isn't certain here which item of "${node}" it reads`,
    )
  if (what === 'ran' && held.there === undefined)
    throw new NotReadable(say`it isn't known here whether the node ran`)
  if (what === 'item' && held.items === 'many' && node !== null)
    throw new NotReadable(say`it isn't certain here which item of "${node}" it reads`)
  if (what === 'all' && held.all === null)
    throw new NotReadable(
      node === null
        ? say`it reads all items, which aren't available here`
        : say`it reads all items of "${node}", which aren't available here`,
    )
}

/** Lines that define the names in `code`, whose reads have already been checked. */
export function nameLines(
  code: string,
  reads: readonly Read[],
  { source, known, workflow, itemIndex }: ScriptScope,
): string[] {
  const nodes = [...new Set(reads.flatMap(({ node }) => (node === null ? [] : [node])))]
  const has = (pattern: RegExp) => pattern.test(code)
  const readsInput = has(/\$json\b|\$input\b|\bitems?\b|\$items\b/) && source !== null
  return [
    ...(readsInput ? [`const $input = ${itemsOf(source)}`] : []),
    ...(has(/\$json\b|\bitem\b/) && source !== null ? ['const item = $input.item, $json = $input.json'] : []),
    ...(has(/\bitems\b/) && source !== null && canReadAll(source) ? ['const items = $input.all()'] : []),
    ...(nodes.length > 0
      ? [
          `const $nodes = {\n${nodes.map((name) => `  ${JSON.stringify(name)}: () => ${nodeOf(name, known)},`).join('\n')}\n}`,
        ]
      : []),
    ...(has(/\$\(|\$node\b|\$items\b/)
      ? [`const $ = (name) => ${nodes.length > 0 ? '$nodes[name]()' : '$input'}`]
      : []),
    ...(has(/\$node\b/) ? ['const $node = new Proxy({}, { get: (_, name) => $(name) })'] : []),
    ...(has(/\$items\b/) ? ['const $items = (name) => (name === undefined ? $input : $(name)).all()'] : []),
    ...(has(/\$itemIndex\b/) ? [`const $itemIndex = ${itemIndex ?? '0'}`] : []),
    ...(has(/\$workflow\b/) ? [`const $workflow = { name: ${JSON.stringify(workflow)} }`] : []),
  ]
}

const canReadAll = ({ all }: Source): boolean => all !== null

function itemsOf(source: Source): string {
  if (source.items === 'many') return `$of($wrap(${asJsList(source)}))`
  const item = `{ json: ${source.js} }`
  if (source.all === null) return `$of(null, ${item})`
  return source.all === undefined ? `$of([${item}])` : `$of($wrap(${source.all.js}), ${item})`
}

function nodeOf(name: string, known: ReadonlyMap<string, Source | null>): string {
  const held = known.get(name)
  if (held === null || held === undefined) return `$never(${JSON.stringify(name)})`
  const items = itemsOf(held)
  return held.there === undefined
    ? items
    : `(${isThere(held.there).js} ? ${items} : $never(${JSON.stringify(name)}))`
}
