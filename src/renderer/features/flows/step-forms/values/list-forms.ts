/** Forms of the steps that work on lists. */
import type { AGGREGATES, MERGES } from '../../../../../shared/contract/step-configs/values.ts'
import { english } from '../../../../lib/i18n.ts'
import type { English } from '../../../../lib/i18n.ts'
import { formOf } from '../../fields/form-of.tsx'
import { withOutcome } from '../../fields/step-outcome.tsx'
import type { FormField } from '../../fields/form-of.tsx'

const over: FormField = {
  kind: 'template',
  name: 'over',
  label: english('List'),
  hint: english('A list, for example {{ web1.items }}.'),
  placeholder: '{{ contacts }}',
}

export const FilterForm = withOutcome(
  formOf([
    over,
    {
      kind: 'template',
      name: 'when',
      label: english('Keep item if'),
      expression: true,
      hint: english('Can use the current item as item and its position, starting at 0, as index.'),
      placeholder: 'item.total > 100',
    },
  ]),
)

export const SortForm = withOutcome(
  formOf([
    over,
    {
      kind: 'json',
      name: 'by',
      label: english('Sort by'),
      orText: true,
      entryPath: true,
      hint: english(
        'A field of the items, for example address.city, or a template using item. To sort by several, enter a JSON list. Leave empty to sort by the items themselves.',
      ),
    },
    {
      kind: 'switch',
      name: 'descending',
      label: english('Descending order'),
      hint: english('Items without a value always come last.'),
      initial: false,
    },
  ]),
)

const MERGE_WORDS: { readonly [M in (typeof MERGES)[number]]: readonly [English, English] } = {
  append: [english('Append'), english('All items of both lists')],
  position: [english('Combine by position'), english('First with first, second with second, and so on')],
  inner: [english('Inner join'), english('Items of both lists whose field matches')],
  left: [english('Left join'), english('All items of the first list, with matching data from the second')],
  right: [english('Right join'), english('All items of the second list, with matching data from the first')],
  outer: [english('Full outer join'), english('Items joined on a field')],
  without: [english('Except'), english('Items of the first list that aren’t in the second')],
}

const isJoin = ({ how = 'append' }: Readonly<Record<string, unknown>>) =>
  how !== 'append' && how !== 'position'

export const MergeForm = withOutcome(
  formOf([
    { ...over, label: english('First list') },
    { kind: 'template', name: 'with', label: english('Second list'), placeholder: '{{ orders }}' },
    { kind: 'choice', name: 'how', label: english('Method'), initial: 'append', options: MERGE_WORDS },
    {
      kind: 'template',
      name: 'on',
      label: english('Match on field'),
      hint: english('A field of the items, for example customer.id, or a template using item.'),
      placeholder: 'id',
      entryPath: true,
      when: isJoin,
    },
    {
      kind: 'template',
      name: 'on_with',
      label: english('Field in second list'),
      optional: true,
      placeholder: 'customer_id',
      when: isJoin,
      entryPath: true,
    },
  ]),
)

export const AGGREGATE_WORDS: { readonly [A in (typeof AGGREGATES)[number]]: English } = {
  count: english('Count'),
  sum: english('Sum'),
  average: english('Average'),
  minimum: english('Minimum'),
  maximum: english('Maximum'),
  first: english('First'),
  last: english('Last'),
  list: english('List of all values'),
  unique: english('Unique values'),
  count_unique: english('Count unique'),
  join: english('Join as text'),
}
