/** Nodes that tell items apart by what they hold: each once, or all of a group in one. */
import { childOf, isRecord, ownOf, textOf } from '../../plain.ts'
import { asStep, type NodeContext, type NodeType } from './node-context.ts'
import { asList, fieldOfItem, manyItems, oneItem } from '../source/values.ts'
import { listOf, type Node } from '../source/workflow.ts'

interface Operation {
  readonly name: string
  readonly operation: string
  readonly of?: string
  readonly separator?: string
}

/** "Summarize": sums, counts and the like, one result or one for each value of some fields. */
export const summarizeNode: NodeType = {
  runs: 'all',
  convert(context) {
    const { ref, node, source, note } = context
    const { parameters } = node
    const summed = listOf(childOf(parameters, 'fieldsToSummarize')['values'])
      .filter(isRecord)
      .flatMap((one) => operationOf(context, one))
    const groups = namesIn(parameters['fieldsToSplitBy'])
    // A group is known by the fields it was made by, under the names that n8n gives them.
    const named = groups.map((field): Operation => ({ name: nameOf(field), operation: 'first', of: field }))
    if (groups.length > 0 && childOf(parameters, 'options')['outputFormat'] === 'singleItem')
      note('config.by', 'gave one item with a key for each group; here each group is an entry of a list')
    const config = {
      over: `{{ ${source === null ? '[]' : asList(source)} }}`,
      operations: [...named, ...summed].slice(0, 50),
      ...(groups.length === 0 ? {} : { by: groupBy(groups) }),
    }
    const step = { ref_id: ref, type: 'aggregate', config }
    return asStep(step, groups.length === 0 ? oneItem(ref) : manyItems(ref))
  },
}

const SUMMARIES: Readonly<Record<string, { readonly prefix: string; readonly operation: string }>> = {
  append: { prefix: 'appended_', operation: 'list' },
  average: { prefix: 'average_', operation: 'average' },
  concatenate: { prefix: 'concatenated_', operation: 'join' },
  count: { prefix: 'count_', operation: 'count' },
  countUnique: { prefix: 'unique_count_', operation: 'count_unique' },
  max: { prefix: 'max_', operation: 'maximum' },
  min: { prefix: 'min_', operation: 'minimum' },
  sum: { prefix: 'sum_', operation: 'sum' },
}

function operationOf({ note }: NodeContext, one: Readonly<Record<string, unknown>>): Operation[] {
  const field = textOf(one['field'])
  const summary = ownOf(SUMMARIES, textOf(one['aggregation']) || 'count')
  if (field === '' || field.startsWith('=') || summary === undefined) {
    note(
      'config.operations',
      `a field that is calculated or not known ("${field.slice(0, 60)}") was left out`,
    )
    return []
  }
  const { operation } = summary
  const name = nameOf(`${summary.prefix}${field}`)
  if (operation === 'list' && one['includeEmpty'] !== true)
    note('config.operations', `left empty values out of "${name}"; they are in it here`)
  if (operation === 'join') return [{ name, operation, of: field, separator: separatorOf(one) }]
  const countsAll = operation === 'count' && one['includeEmpty'] === true
  return [{ name, operation, ...(countsAll ? {} : { of: field }) }]
}

function separatorOf(one: Readonly<Record<string, unknown>>): string {
  const separator = one['separateBy'] === undefined ? ',' : textOf(one['separateBy'])
  return separator === 'other' ? textOf(one['customSeparator']).slice(0, 100) : separator
}

const nameOf = (field: string) => field.replaceAll(/[\]["]/g, '').replaceAll(/[ .]/g, '_')

/** Each item once, told by all its fields or by some of them; the first of those that are equal stays. */
export const removeDuplicatesNode: NodeType = {
  runs: 'all',
  convert(context) {
    const { ref, node, source, note } = context
    const { parameters } = node
    const compare = textOf(parameters['compare']) || 'allFields'
    const fields = compare === 'selectedFields' ? namesIn(parameters['fieldsToCompare']) : []
    if (compare === 'allFieldsExcept')
      note('config.by', 'compared all fields but some; here all are compared, so name those that count')
    if (childOf(parameters, 'options')['removeOtherFields'] === true)
      note(null, 'kept the compared fields alone; here items stay whole')
    const config = {
      over: `{{ ${source === null ? '[]' : asList(source)} }}`,
      operations: [{ name: 'entry', operation: 'first' }],
      by: fields.length === 0 ? '{{ item }}' : groupBy(fields),
    }
    const step = { ref_id: ref, type: 'aggregate', config }
    return asStep(step, manyItems(`(${ref} | map(attribute='entry') | list)`))
  },
}

/** It may also remember items from run to run, which has no equal here. */
export const comparesItsItems = ({ parameters }: Node) =>
  (textOf(parameters['operation']) || 'removeDuplicateInputItems') === 'removeDuplicateInputItems'

/** A template, so that no key of the result is named after a field by chance. */
function groupBy(fields: readonly string[]): string {
  const values = fields.map((field) => `${fieldOfItem(field)} | default(none)`)
  return `{{ [${values.join(', ')}] }}`
}

/** `id, address.city`, or the list of them that older versions have. */
function namesIn(given: unknown): string[] {
  const names = isRecord(given)
    ? listOf(given['fields'])
        .filter(isRecord)
        .map((one) => textOf(one['fieldName']))
    : textOf(given).split(',')
  return names.map((name) => name.trim()).filter((name) => name !== '' && !name.startsWith('='))
}
