/** Nodes that look at all items at once. */
import { childOf, isRecord, ownOf, textOf } from '../../plain.ts'
import { asStep, noStep, type Converted, type NodeContext, type NodeType } from './node-context.ts'
import { asList, fieldOfItem, manyItems, memberOf, oneItem, quoted, type Source } from '../source/values.ts'
import { listOf } from '../source/workflow.ts'
import { removeDuplicatesNode, summarizeNode } from './summaries.ts'

const listIn = ({ source }: NodeContext) => `{{ ${source === null ? '[]' : asList(source)} }}`

export const mergeNode: NodeType = {
  runs: 'all',
  isMerge: true,
  convert(context) {
    const { ref, inputs, note } = context
    const numbers = [...inputs.keys()].toSorted((a, b) => a - b)
    const [first, second, ...others] = numbers.flatMap((number) => inputs.get(number) ?? [])
    if (first === undefined || second === undefined) return noStep(first ?? null)
    const how = howOf(context)
    if (how === null || 'input' in how) return noStep((how?.input === 1 ? second : first) ?? null)
    const isAppended = how.how === 'append'
    if (others.length > 0 && !isAppended)
      note('config.with', `had ${numbers.length} inputs; only the first two are merged`)
    const behind = isAppended ? [second, ...others] : [second]
    const config = {
      over: `{{ ${asList(first)} }}`,
      with: `{{ ${behind.map((source) => asList(source)).join(' + ')} }}`,
      ...how,
    }
    const step = { ref_id: ref, type: 'merge', config }
    const isOne = how.how === 'position' && first.items === 'one' && second.items === 'one'
    return asStep(step, isOne ? oneItem(`${ref}[0]`) : manyItems(ref))
  },
}

type How =
  | { readonly how: string; readonly on?: string; readonly on_with?: string }
  /** No merging: one of the inputs goes on. */
  | { readonly input: 0 | 1 }

function howOf(context: NodeContext): How | null {
  const { node, note } = context
  const { parameters } = node
  const mode = textOf(parameters['mode']) || 'append'
  if (node.version < 2) return oldHow(context, mode)
  if (mode === 'append') return { how: 'append' }
  if (mode === 'chooseBranch') {
    const output = textOf(parameters['useDataOfInput'] ?? parameters['output'])
    return { input: output === '2' || output === 'input2' ? 1 : 0 }
  }
  if (mode !== 'combine') {
    note(null, `merged by "${mode}", which has no equal here; the lists stand one behind the other`)
    return { how: 'append' }
  }
  const by = textOf(parameters['combineBy'] ?? parameters['combinationMode'])
  if (by === 'mergeByPosition' || by === 'combineByPosition') return { how: 'position' }
  if (by === 'multiplex' || by === 'combineAll') {
    note(
      null,
      'combined each item with each other, which has no equal here; the lists stand one behind the other',
    )
    return { how: 'append' }
  }
  return { how: joinOf(context, textOf(parameters['joinMode']) || 'keepMatches'), ...fieldsOf(context) }
}

const JOINS: Readonly<Record<string, string>> = {
  keepMatches: 'inner',
  keepNonMatches: 'without',
  keepEverything: 'outer',
  enrichInput1: 'left',
  enrichInput2: 'right',
}

function joinOf({ node, note }: NodeContext, mode: string): string {
  const from = textOf(node.parameters['outputDataFrom']) || 'both'
  if (mode === 'keepNonMatches' && from !== 'input1')
    note('config.how', 'kept what matches nothing of both lists; here those of the first list are kept')
  if (mode === 'keepMatches' && from !== 'both')
    note('config.how', `kept the fields of ${from} alone; here both are joined`)
  return ownOf(JOINS, mode) ?? 'inner'
}

function fieldsOf({ node, note }: NodeContext): { on: string; on_with?: string } {
  const { parameters } = node
  const together = textOf(parameters['fieldsToMatchString'])
  const names = together.split(',').map((name) => name.trim())
  const key = isRecord(parameters['mergeByFields']) ? 'mergeByFields' : 'matchFields'
  const pairs =
    together === ''
      ? listOf(childOf(parameters, key)['values'])
          .filter(isRecord)
          .map((one) => [textOf(one['field1']), textOf(one['field2'])] as const)
      : names.map((name) => [name, name] as const)
  const [first = ['', ''] as const] = pairs
  if (first[0] === '') note('config.on', 'names no field to match')
  if (pairs.length > 1) {
    return {
      on: togetherKey(pairs.map(([field]) => field)),
      on_with: togetherKey(pairs.map(([field, other]) => other || field)),
    }
  }
  return { on: first[0], ...(first[1] === first[0] || first[1] === '' ? {} : { on_with: first[1] }) }
}

/** Several fields as one value to match by; an entry that lacks one of them matches nothing. */
function togetherKey(fields: readonly string[]): string {
  const values = fields.map(fieldOfItem)
  const areThere = values.map((value) => `${value} is defined`).join(' and ')
  return `{{ [${values.join(', ')}] if ${areThere} else none }}`
}

function oldHow({ node, note }: NodeContext, mode: string): How | null {
  const { parameters } = node
  const on = { on: textOf(parameters['propertyName1']), on_with: textOf(parameters['propertyName2']) }
  switch (mode) {
    case 'append':
      return { how: 'append' }
    case 'mergeByIndex':
      return { how: 'position' }
    case 'mergeByKey':
      return { how: 'left', ...on }
    case 'keepKeyMatches':
      return { how: 'inner', ...on }
    case 'removeKeyMatches':
      return { how: 'without', ...on }
    case 'passThrough':
    case 'wait':
      return { input: textOf(parameters['output']) === 'input2' ? 1 : 0 }
    default:
      note(null, `merged by "${mode}", which has no equal here; the lists stand one behind the other`)
      return { how: 'append' }
  }
}

export const sortNode: NodeType = {
  runs: 'all',
  convert(context) {
    const { ref, node, note } = context
    const { parameters } = node
    const fields = listOf(childOf(parameters, 'sortFieldsUi')['sortField']).filter(isRecord)
    if ((textOf(parameters['type']) || 'simple') !== 'simple')
      note('config.by', `sorted by ${textOf(parameters['type'])}; say by which field`)
    const descending = fields.map((one) => one['order'] === 'descending')
    if (new Set(descending).size > 1)
      note('config.descending', 'sorted some fields up and some down; here all go one way')
    const by = fields
      .map((one) => textOf(one['fieldName']))
      .filter((name) => name !== '' && !name.startsWith('='))
    const config = {
      over: listIn(context),
      by: by.length === 1 ? by[0] : by.length === 0 ? '' : by.slice(0, 10),
      descending: descending[0] === true,
    }
    return asStep({ ref_id: ref, type: 'sort', config }, manyItems(ref))
  },
}

export const limitNode: NodeType = {
  runs: 'all',
  convert(context) {
    const { ref, node, source } = context
    const most = context.expression('config.when', node.parameters['maxItems'] ?? 1) ?? '1'
    const list = source === null ? '[]' : asList(source)
    const when =
      node.parameters['keep'] === 'lastItems' ? `index >= (${list} | length) - ${most}` : `index < ${most}`
    return asStep({ ref_id: ref, type: 'filter', config: { over: `{{ ${list} }}`, when } }, manyItems(ref))
  },
}

/** A list in a field becomes the items: no step is needed for it. */
export const splitOutNode: NodeType = {
  runs: 'each',
  convert: (context) => splitOut(context, textOf(context.node.parameters['fieldToSplitOut'])),
}

function splitOut({ source, note }: NodeContext, given: string): Converted {
  const [field = '', ...more] = given.split(',').map((name) => name.trim())
  if (more.length > 0) note(null, `split ${more.length + 1} fields; only "${field}" is split here`)
  if (source === null || field === '' || field.startsWith('=')) {
    note(null, 'splits a list whose field is not known; say in the loop behind it what it goes over')
    return noStep(manyItems('[]'))
  }
  const path = field.replace(/^\$json\./, '').split('.')
  const [first = ''] = path
  const elsewhere =
    source.fields !== undefined && Object.hasOwn(source.fields, first) ? source.fields[first] : undefined
  const start = elsewhere === undefined || elsewhere === null ? memberOf(held(source), first) : elsewhere
  return noStep(manyItems(path.slice(1).reduce(memberOf, start)))
}

const held = ({ whole }: Source) => (/^[\w.[\]']+$/.test(whole) ? whole : `(${whole})`)

/** All items in one: a list in a field. */
export const aggregateNode: NodeType = {
  runs: 'all',
  convert(context) {
    const { ref, node, source } = context
    const { parameters } = node
    const list = source === null ? '[]' : asList(source)
    if (parameters['aggregate'] === 'aggregateAllItemData') {
      const field = textOf(parameters['destinationFieldName']) || 'data'
      return noStep({ whole: `{${quoted(field)}: ${list}}`, items: 'one', fields: { [field]: list } })
    }
    const fields = listOf(childOf(parameters, 'fieldsToAggregate')['fieldToAggregate']).filter(isRecord)
    const values = fields.map((one): [string, string] => {
      const from = textOf(one['fieldToAggregate'])
      const name =
        one['renameField'] === true
          ? textOf(one['outputFieldName']) || from
          : (from.split('.').at(-1) ?? from)
      return [name, `{{ ${list} | map(attribute=${quoted(from)}) | list }}`]
    })
    return asStep({ ref_id: ref, type: 'set', config: { values: Object.fromEntries(values) } }, oneItem(ref))
  },
}

/** The older node that did all of these. */
export const itemListsNode: NodeType = {
  runs: 'all',
  convert(context) {
    const operation = textOf(context.node.parameters['operation']) || 'splitOutItems'
    const same = ownOf(ITEM_LISTS, operation)
    if (same !== undefined) return same.convert(context)
    if (operation === 'splitOutItems')
      return splitOut(context, textOf(context.node.parameters['fieldToSplitOut']))
    context.note(null, `its operation "${operation}" has no equal here; the list goes on as it is`)
    return noStep(context.source)
  },
}

const ITEM_LISTS: Readonly<Record<string, NodeType>> = {
  sort: sortNode,
  limit: limitNode,
  aggregateItems: aggregateNode,
  concatenateItems: aggregateNode,
  removeDuplicates: removeDuplicatesNode,
  summarize: summarizeNode,
}

/** "Loop over items": v3 has the way after the loop first, v1 and v2 have it second. */
export const splitInBatchesNode: NodeType = {
  runs: 'all',
  convert({ node, source, note }) {
    const size = Number(node.parameters['batchSize'] ?? (node.version >= 3 ? 1 : 10))
    if (size !== 1) note('config.over', `took ${size} items at a time; here each turn has one`)
    const isNew = node.version >= 3
    return {
      kind: 'loop',
      over: source === null ? '[]' : asList(source),
      each: isNew ? 1 : 0,
      done: isNew ? 0 : 1,
    }
  },
}
