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
  label: english('Over'),
  hint: english('A list.'),
  placeholder: '{{ contacts }}',
}

export const FilterForm = withOutcome(
  formOf([
    over,
    {
      kind: 'template',
      name: 'when',
      label: english('Keep an entry when'),
      expression: true,
      hint: english('Reads the entry as item and its place, from 0, as index.'),
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
      label: english('By'),
      orText: true,
      entryPath: true,
      hint: english(
        'A field of the entries such as address.city, or a template over item. A JSON list of several decides one after the other. Empty, the entries themselves.',
      ),
    },
    {
      kind: 'switch',
      name: 'descending',
      label: english('The greatest first'),
      hint: english('Entries with nothing to order by come last all the same.'),
      initial: false,
    },
  ]),
)

const MERGE_WORDS: { readonly [M in (typeof MERGES)[number]]: readonly [English, English] } = {
  append: [english('One behind the other'), english('All entries of both lists')],
  position: [english('Entry by entry'), english('The first with the first, and so on')],
  inner: [english('Join: where both have it'), english('Entries of both whose field is equal')],
  left: [english('Join: all of the first'), english('With what the second knows of them')],
  right: [english('Join: all of the second'), english('With what the first knows of them')],
  outer: [english('Join: all of both'), english('Joined where the field is equal')],
  without: [english('Leave out'), english('Entries of the first that the second does not have')],
}

const isJoin = ({ how = 'append' }: Readonly<Record<string, unknown>>) =>
  how !== 'append' && how !== 'position'

export const MergeForm = withOutcome(
  formOf([
    { ...over, label: english('First list') },
    { kind: 'template', name: 'with', label: english('Second list'), placeholder: '{{ orders }}' },
    { kind: 'choice', name: 'how', label: english('How'), initial: 'append', options: MERGE_WORDS },
    {
      kind: 'template',
      name: 'on',
      label: english('Field that is equal'),
      hint: english('A field of the entries such as customer.id, or a template over item.'),
      placeholder: 'id',
      entryPath: true,
      when: isJoin,
    },
    {
      kind: 'template',
      name: 'on_with',
      label: english('Its name in the second list'),
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
  list: english('List of all'),
  unique: english('List of the different ones'),
  count_unique: english('How many different ones'),
  join: english('Joined to a text'),
}
