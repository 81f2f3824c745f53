/** Converts nodes that process all items together to JavaScript that does the same as n8n. */
import { say } from '@millrace/jinja/said'
import { childOf, isRecord, textOf } from '../source/plain-json.ts'
import { asJsList, asList, manyItems, oneItem, type Source } from '../source/values.ts'
import { refuse } from '../source/untranslatable.ts'
import { listOf } from '../source/workflow.ts'
import { asCode, asStep, noStep, type Converted, type NodeContext, type NodeType } from './node-context.ts'
import { accessOf, fixed, namesIn } from './field-names.ts'
import { removeDuplicatesNode, summarizeNode } from './summaries.ts'

const allOf = ({ source }: NodeContext) => (source === null ? '[]' : asJsList(source))

export const mergeNode: NodeType = {
  runs: 'all',
  isMerge: true,
  convert(context) {
    const { ref, inputs, node } = context
    const { parameters } = node
    const mode = textOf(parameters['mode']) || 'append'
    const count = Math.max(2, node.version >= 3 ? Number(parameters['numberInputs'] ?? 2) || 2 : 2)
    if (Math.max(...inputs.keys()) >= count) refuse(say`has more inputs than it declares`)
    const lists = Array.from({ length: count }, (_, at) => inputs.get(at) ?? null)
    const js = lists.map((one) => (one === null ? '[]' : asJsList(one)))
    const chosen = chosenInput(context, mode)
    if (chosen !== null) return chooseBranch(lists, chosen)
    if (mode === 'append') {
      const whole = lists.flatMap((one) => (one === null ? [] : [asList(one)]))
      if (whole.length < 2)
        return chooseBranch(
          lists,
          lists.findIndex((one) => one !== null),
        )
      const [first = '[]', ...others] = whole
      const config = { over: `{{ ${first} }}`, with: `{{ ${others.join(' + ')} }}`, how: 'append' }
      return asStep({ ref_id: ref, type: 'merge', config }, manyItems(ref))
    }
    return asCode(context, `return ${combination(context, mode, js)}`, manyItems(ref))
  },
}

/** The input whose items are passed on; null if they are merged. */
function chosenInput({ node }: NodeContext, mode: string): number | null {
  const { parameters } = node
  if (mode === 'passThrough') return textOf(parameters['output']) === 'input2' ? 1 : 0
  if (mode === 'wait') return refuse(say`waits for both inputs and outputs an empty item`)
  if (mode !== 'chooseBranch') return null
  const output = textOf(parameters['output']) || 'specifiedInput'
  if (output === 'empty') return refuse(say`waits for its inputs and outputs an empty item`)
  const given = textOf(parameters['useDataOfInput']) || output
  return given === '2' || given === 'input2'
    ? 1
    : given === '1' || /^(?:input1|specifiedInput)$/.test(given)
      ? 0
      : refuse(say`uses the items of an input after the second`)
}

function chooseBranch(lists: readonly (Source | null)[], at: number): Converted {
  const chosen = lists[at] ?? null
  if (chosen === null) return refuse(say`uses the items of an input that nothing leads to`)
  return noStep(
    chosen.mayMiss ? { ...chosen, whole: asList(chosen), js: asJsList(chosen), items: 'many' } : chosen,
  )
}

function combination(context: NodeContext, mode: string, lists: readonly string[]): string {
  const { parameters, version } = context.node
  if (version < 2) return oldCombination(context, mode, lists)
  if (mode !== 'combine') return refuse(say`merges with "${mode}"`)
  const options = childOf(parameters, 'options')
  const by =
    textOf(parameters['combineBy'] ?? parameters['combinationMode']) ||
    (version < 2.1 ? 'mergeByFields' : 'combineByFields')
  const clash = childOf(childOf(options, 'clashHandling'), 'values')
  if (clash['overrideEmpty'] === true) return refuse(say`overrides empty values`)
  const deep = (textOf(clash['mergeMode']) || 'deepMerge') === 'deepMerge'
  const joinMode = textOf(parameters['joinMode']) || 'keepMatches'
  const resolve = textOf(clash['resolveClash'])
  const fallback = joinMode === 'enrichInput2' && by.endsWith('Fields') ? 'preferInput1' : ''
  const join = `$together(${JSON.stringify(resolve === 'preferLast' ? '' : resolve || fallback)}, ${deep})`
  if (by === 'mergeByPosition' || by === 'combineByPosition')
    return `$by_position([${lists.join(', ')}], ${join}, ${options['includeUnpaired'] === true})`
  if (by === 'multiplex' || by === 'combineAll') {
    const [one, two] = lists
    return `((join) => (${one}).flatMap((a) => (${two}).map((b) => join(a, b))))(${join})`
  }
  if (options['fuzzyCompare'] === true) return refuse(say`ignores types when it compares`)
  if (options['disableDotNotation'] === true) return refuse(say`matches fields whose names contain dots`)
  const from = textOf(parameters['outputDataFrom']) || 'both'
  const how = {
    mode: joinMode,
    from,
    first: textOf(options['multipleMatches']) === 'first',
    suffix: resolve === 'addSuffix',
  }
  return `$by_fields(${lists[0]}, ${lists[1]}, ${JSON.stringify(pairsOf(context))}, { ...${JSON.stringify(how)}, join: ${join} })`
}

function oldCombination({ node }: NodeContext, mode: string, lists: readonly string[]): string {
  const { parameters } = node
  const [one, two] = lists
  if (mode === 'multiplex') return `(${one}).flatMap((a) => (${two}).map((b) => ({ ...a, ...b })))`
  // v1 has different rules for which item wins and which are left over.
  const join = textOf(parameters['join'])
  return refuse(say`merges with "${`${mode} ${join}`.trim().slice(0, 100)}" of the old Merge node`)
}

function pairsOf({ node }: NodeContext): (readonly [string, string])[] {
  const { parameters } = node
  const together = fixed(parameters['fieldsToMatchString'], say`the fields it matches`)
  const key = isRecord(parameters['mergeByFields']) ? 'mergeByFields' : 'matchFields'
  const pairs =
    together === ''
      ? listOf(childOf(parameters, key)['values'])
          .filter(isRecord)
          .map(
            (one) =>
              [
                fixed(one['field1'], say`the fields it matches`),
                fixed(one['field2'], say`the fields it matches`),
              ] as const,
          )
      : together.split(',').map((name) => [name.trim(), name.trim()] as const)
  if (pairs.length === 0 || pairs.some((pair) => pair.includes('')))
    return refuse(say`has no fields to match`)
  return pairs
}

export const sortNode: NodeType = {
  runs: 'all',
  convert(context) {
    const { ref, node } = context
    const { parameters } = node
    const type = textOf(parameters['type']) || 'simple'
    if (type === 'random')
      return asCode(
        context,
        `const all = [...${allOf(context)}]\nfor (let at = all.length - 1; at > 0; at--) { const other = Math.floor(Math.random() * (at + 1)); [all[at], all[other]] = [all[other], all[at]] }\nreturn all`,
        manyItems(ref),
      )
    if (type !== 'simple') refuse(say`sorts with its own code`)
    const fields = listOf(childOf(parameters, 'sortFieldsUi')['sortField'])
      .filter(isRecord)
      .map((one) => ({
        field: fixed(one['fieldName'], say`the field it sorts by`),
        down: one['order'] === 'descending',
      }))
    if (fields.length === 0) refuse(say`has no field to sort by`)
    const list = allOf(context)
    const body = `const all = ${list}\nreturn all.length === 0 ? [] : $sorted(all, ${JSON.stringify(fields)}, ${accessOf(context).get})`
    return asCode(context, body, manyItems(ref))
  },
}

export const limitNode: NodeType = {
  runs: 'all',
  convert(context) {
    const { ref, node, js } = context
    const last = node.parameters['keep'] === 'lastItems'
    const body = [
      `const most = Number(${js(node.parameters['maxItems'] ?? 1)})`,
      `const all = ${allOf(context)}`,
      `return most >= all.length ? all : ${last ? 'all.slice(all.length - most)' : 'all.slice(0, most)'}`,
    ]
    return asCode(context, body.join('\n'), manyItems(ref))
  },
}

/** Splits a list in a field into items. */
export const splitOutNode: NodeType = {
  runs: 'all',
  convert: (context) => splitOut(context, context.node.parameters['fieldToSplitOut']),
}

function splitOut(context: NodeContext, given: unknown): Converted {
  const { node, ref } = context
  const { parameters } = node
  const options = childOf(parameters, 'options')
  const what = say`the fields it splits`
  const fields = namesIn(given, what).map((name) => name.replace(/^\$json\./, ''))
  if (fields.length === 0) refuse(say`has no field to split`)
  if (fields.includes('$binary') || options['includeBinary'] === true) refuse(say`splits files`)
  const names = namesIn(options['destinationFieldName'], what)
  if (names.length > 0 && names.length !== fields.length)
    refuse(say`doesn't have a name for each of its fields`)
  const { get, drop } = accessOf(context)
  const include = textOf(parameters['include']) || 'noOtherFields'
  const others = include === 'selectedOtherFields' ? namesIn(parameters['fieldsToInclude'], what) : []
  const how = `{ get: ${get}, drop: ${drop}, names: ${JSON.stringify(names)}, include: ${JSON.stringify(include)}, others: ${JSON.stringify(others)} }`
  return asCode(
    context,
    `return $split(${allOf(context)}, ${JSON.stringify(fields)}, ${how})`,
    manyItems(ref),
  )
}

/** Combines all items into one, as a list in a field. */
export const aggregateNode: NodeType = {
  runs: 'all',
  gathers: true,
  convert(context) {
    const { ref, node } = context
    const { parameters } = node
    const options = childOf(parameters, 'options')
    const list = allOf(context)
    if (textOf(options['groupByFields']) !== '') refuse(say`groups its items`)
    if (options['includeBinaries'] === true) refuse(say`collects files`)
    if (parameters['aggregate'] === 'aggregateAllItemData') {
      const field = fixed(parameters['destinationFieldName'], say`the name of its field`) || 'data'
      const include = textOf(parameters['include']) || 'allFields'
      const names = namesIn(
        include === 'specifiedFields'
          ? parameters['fieldsToInclude']
          : include === 'allFieldsExcept'
            ? parameters['fieldsToExclude']
            : '',
        say`the fields it keeps`,
      )
      const kept =
        names.length === 0
          ? list
          : `(${list}).map((item) => Object.fromEntries(Object.entries(item).filter(([key]) => ${include === 'specifiedFields' ? '' : '!'}${JSON.stringify(names)}.includes(key)))).filter((item) => Object.keys(item).length > 0)`
      return asCode(context, `return { ${JSON.stringify(field)}: ${kept} }`, oneItem(ref))
    }
    const fields = listOf(childOf(parameters, 'fieldsToAggregate')['fieldToAggregate'])
      .filter(isRecord)
      .map((one) => {
        const field = fixed(one['fieldToAggregate'], say`the fields it collects`)
        const own = fixed(one['outputFieldName'], say`the names of its fields`)
        const last = options['disableDotNotation'] === true ? field : (field.split('.').at(-1) ?? field)
        return { field, name: own || last }
      })
    if (fields.length === 0 || fields.some(({ field }) => field === '')) refuse(say`has no fields to collect`)
    if (new Set(fields.map(({ name }) => name)).size < fields.length)
      refuse(say`gives several fields the same name`)
    const { get, put } = accessOf(context)
    const how = `{ get: ${get}, put: ${put}, flat: ${options['mergeLists'] === true}, missing: ${options['keepMissing'] === true} }`
    return asCode(context, `return $gathered(${list}, ${JSON.stringify(fields)}, ${how})`, oneItem(ref))
  },
}

/** The older node that combined all of these operations. */
export const itemListsNode: NodeType = {
  runs: 'all',
  convert(context) {
    const operation = textOf(context.node.parameters['operation']) || 'splitOutItems'
    if (operation === 'sort') return sortNode.convert(context)
    if (operation === 'limit') return limitNode.convert(context)
    if (operation === 'removeDuplicates') return removeDuplicatesNode.convert(context)
    if (operation === 'summarize' && context.source?.items !== 'many') return summarizeNode.convert(context)
    if (operation === 'splitOutItems') return splitOut(context, context.node.parameters['fieldToSplitOut'])
    return refuse(say`has the operation "${operation.slice(0, 60)}" of the old list node`)
  },
}

/** "Loop over items": in v3 the first output continues after the loop, in v1 and v2 the second. */
export const splitInBatchesNode: NodeType = {
  runs: 'all',
  convert({ node, source }) {
    const size = Number(node.parameters['batchSize'] ?? (node.version >= 3 ? 1 : 10))
    if (!(Number.isInteger(size) && size >= 1)) refuse(say`uses an expression for the batch size`)
    if (
      childOf(node.parameters, 'options')['reset'] !== undefined &&
      childOf(node.parameters, 'options')['reset'] !== false
    )
      refuse(say`starts over with each iteration`)
    const isNew = node.version >= 3
    return {
      kind: 'loop',
      over: source ?? { whole: '[]', js: '[]', items: 'many' },
      size,
      each: isNew ? 1 : 0,
      done: isNew ? 0 : 1,
    }
  },
}
