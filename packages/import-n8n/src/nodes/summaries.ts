/** Converts nodes that compare items by their content: to remove duplicates, or to combine groups. */
import { say } from '@millrace/jinja/said'
import { childOf, isRecord, ownOf, textOf } from '../source/plain-json.ts'
import { asJsList, manyItems } from '../source/values.ts'
import { refuse } from '../source/untranslatable.ts'
import { listOf, type Node } from '../source/workflow.ts'
import { accessOf, fixed, namesIn } from './field-names.ts'
import { asCode, type NodeType } from './node-context.ts'

/** "Summarize": sums, counts and the like; one result, or one for each value of some fields. */
export const summarizeNode: NodeType = {
  runs: 'all',
  convert(context) {
    const { ref, node, source } = context
    const { parameters } = node
    const options = childOf(parameters, 'options')
    const fields = listOf(childOf(parameters, 'fieldsToSummarize')['values'])
      .filter(isRecord)
      .map((one) => {
        const kind = textOf(one['aggregation']) || 'count'
        const name = ownOf(PREFIXES, kind) ?? refuse(say`summarizes with "${kind.slice(0, 40)}"`)
        const given = one['separateBy'] === undefined ? ',' : fixed(one['separateBy'], say`its separator`)
        const separator = given === 'other' ? fixed(one['customSeparator'], say`its separator`) : given
        return {
          name,
          kind,
          field: fixed(one['field'], say`the fields it summarizes`),
          empty: one['includeEmpty'] === true,
          separator,
        }
      })
    const groups = isRecord(parameters['fieldsToSplitBy'])
      ? listOf(parameters['fieldsToSplitBy']['fields'])
          .filter(isRecord)
          .map((one) => fixed(one['fieldName'], say`the fields it groups by`))
      : namesIn(parameters['fieldsToSplitBy'], say`the fields it groups by`)
    const how = `{ get: ${accessOf(context).get}, single: ${options['outputFormat'] === 'singleItem'}, skip: ${options['skipEmptySplitFields'] === true}, old: ${node.version < 1.1} }`
    const list = source === null ? '[]' : asJsList(source)
    const body = `const all = ${list}\nreturn all.length === 0 ? [] : $summarize(all, ${JSON.stringify(fields)}, ${JSON.stringify(groups)}, ${how})`
    return asCode(context, body, manyItems(ref))
  },
}

const PREFIXES: Readonly<Record<string, string>> = {
  append: 'appended_',
  average: 'average_',
  concatenate: 'concatenated_',
  count: 'count_',
  countUnique: 'unique_count_',
  max: 'max_',
  min: 'min_',
  sum: 'sum_',
}

/** Removes items that are equal in all or some fields, except the first of them. */
export const removeDuplicatesNode: NodeType = {
  runs: 'all',
  convert(context) {
    const { ref, node, source } = context
    const { parameters } = node
    if (!comparesItsItems(node)) refuse(say`remembers items between runs`)
    const compare = textOf(parameters['compare']) || 'allFields'
    const listed = (name: string, old: string) =>
      namesIn(
        isRecord(parameters[name]) ? oldNames(parameters[name], old) : parameters[name],
        say`the fields it compares`,
      )
    const fields =
      compare === 'selectedFields'
        ? listed('fieldsToCompare', 'fields')
        : compare === 'allFieldsExcept'
          ? listed('fieldsToExclude', 'fields')
          : []
    const { get, put } = accessOf(context)
    const removes =
      compare === 'selectedFields' &&
      (childOf(parameters, 'options')['removeOtherFields'] === true ||
        parameters['removeOtherFields'] === true)
    const names = JSON.stringify(fields)
    const same =
      compare === 'selectedFields'
        ? `(a, b) => ${names}.every((name) => $same(${get}(a, name), ${get}(b, name)))`
        : `(a, b) => [...new Set([...Object.keys(a), ...Object.keys(b)])].filter((name) => !${names}.includes(name)).every((name) => $same(a[name], b[name]))`
    const kept = removes
      ? `.map((item) => ${names}.reduce((only, name) => ${put}(only, name, ${get}(item, name)), {}))`
      : ''
    const body = [
      `const same = ${same}`,
      `const all = ${source === null ? '[]' : asJsList(source)}`,
      `return all.filter((item, at) => all.findIndex((other) => same(other, item)) === at)${kept}`,
    ]
    return asCode(context, body.join('\n'), manyItems(ref))
  },
}

const oldNames = (held: Readonly<Record<string, unknown>>, key: string): string =>
  listOf(held[key])
    .filter(isRecord)
    .map((one) => fixed(one['fieldName'], say`the fields it compares`))
    .join(',')

/** The node can also remember items between runs, which has no equivalent here. */
export const comparesItsItems = ({ parameters }: Node) =>
  (textOf(parameters['operation']) || 'removeDuplicateInputItems') === 'removeDuplicateInputItems'
