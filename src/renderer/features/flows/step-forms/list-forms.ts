/** Forms of the steps that work on lists. */
import type { AGGREGATES, MERGES } from '../../../../shared/contract/step-configs/values.ts'
import { formOf } from './form-of.tsx'
import type { FormField } from './form-of.tsx'

const over: FormField = {
  kind: 'template',
  name: 'over',
  label: 'Over',
  hint: 'A list.',
  placeholder: '{{ contacts }}',
}

export const FilterForm = formOf([
  over,
  {
    kind: 'template',
    name: 'when',
    label: 'Keep an entry when',
    expression: true,
    hint: 'Reads the entry as item and its place, from 0, as index.',
    placeholder: 'item.total > 100',
  },
])

export const SortForm = formOf([
  over,
  {
    kind: 'json',
    name: 'by',
    label: 'By',
    orText: true,
    hint: 'A field of the entries such as address.city, or a template over item. A JSON list of several decides one after the other. Empty, the entries themselves.',
  },
  {
    kind: 'switch',
    name: 'descending',
    label: 'The greatest first',
    hint: 'Entries with nothing to order by come last all the same.',
    initial: false,
  },
])

const MERGE_WORDS: { readonly [M in (typeof MERGES)[number]]: readonly [string, string] } = {
  append: ['One behind the other', 'All entries of both lists'],
  position: ['Entry by entry', 'The first with the first, and so on'],
  inner: ['Join: where both have it', 'Entries of both whose field is equal'],
  left: ['Join: all of the first', 'With what the second knows of them'],
  right: ['Join: all of the second', 'With what the first knows of them'],
  outer: ['Join: all of both', 'Joined where the field is equal'],
  without: ['Leave out', 'Entries of the first that the second does not have'],
}

const isJoin = ({ how = 'append' }: Readonly<Record<string, unknown>>) =>
  how !== 'append' && how !== 'position'

export const MergeForm = formOf([
  { ...over, label: 'First list' },
  { kind: 'template', name: 'with', label: 'Second list', placeholder: '{{ orders }}' },
  { kind: 'choice', name: 'how', label: 'How', initial: 'append', options: MERGE_WORDS },
  {
    kind: 'template',
    name: 'on',
    label: 'Field that is equal',
    hint: 'A field of the entries such as customer.id, or a template over item.',
    placeholder: 'id',
    when: isJoin,
  },
  {
    kind: 'template',
    name: 'on_with',
    label: 'Its name in the second list',
    optional: true,
    placeholder: 'customer_id',
    when: isJoin,
  },
])

export const AGGREGATE_WORDS: { readonly [A in (typeof AGGREGATES)[number]]: string } = {
  count: 'Count',
  sum: 'Sum',
  average: 'Average',
  minimum: 'Minimum',
  maximum: 'Maximum',
  first: 'First',
  last: 'Last',
  list: 'List of all',
  unique: 'List of the different ones',
  count_unique: 'How many different ones',
  join: 'Joined to a text',
}
