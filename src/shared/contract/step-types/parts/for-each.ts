/** Fields of steps that can make their call once for each item of a list, such as all pages of each parent. */
import { withValue } from '../../base/message.ts'
import { z } from 'zod'
import { json, text } from '../../base/common.ts'
import { concurrency } from './fields.ts'
import { type Config, type Page, shown } from './step-type.ts'
import { isEmpty } from './values.ts'

export const forEach = {
  for_each: json
    .optional()
    .describe(
      'A list, usually a template such as `{{ customers }}`. The step makes its call once for each item, which its templates read as `item`, its position as `index`, and returns one flat list with the records of all items, in the order of the list. If absent, there is one call.',
    ),
  keep: z
    .array(text(300).regex(/^[^{}\s]+$/, withValue('must be the name of a field')))
    .max(50)
    .optional()
    .describe(
      'With `for_each`: fields of the item that are copied into each of its records: `id` as `parent_id`, `owner.name` as `parent_owner_name`. A record that isn’t an object becomes `{"value": …}`.',
    ),
  concurrency: concurrency.describe(
    'With `for_each`: number of items whose calls are made at once, 1 to 100. Default: 1.',
  ),
  on_item_error: z
    .enum(['stop', 'skip'])
    .optional()
    .describe(
      'With `for_each`, if the call for an item fails: `stop` fails the step, `skip` leaves out the records of that item, and the list is in doubt (`items_failed`). Default: `stop`.',
    ),
}

export const FOR_EACH_FIELDS = Object.keys(forEach) as readonly (keyof typeof forEach)[]

export const hasForEach = (config: Config): boolean => !isEmpty(config['for_each'])

export const forEachFaces = {
  for_each: {
    label: 'List',
    kind: 'template',
    optional: true,
    hint: 'Makes the call once for each item. Fields of this step read the current item as item and its position, starting at 0, as index.',
    placeholder: '{{ customers }}',
  },
  keep: {
    label: 'Keep from the item',
    kind: 'lines',
    optional: true,
    hint: 'Field names, one per line. Each record gets these fields with parent_ in front of the name, so id becomes parent_id.',
    when: hasForEach,
  },
  concurrency: {
    label: 'At once',
    optional: true,
    placeholder: '1',
    hint: 'The number of items processed at the same time.',
    when: hasForEach,
  },
  on_item_error: {
    label: 'If an item fails',
    initial: 'stop',
    when: hasForEach,
    options: {
      stop: ['Fail', 'No further items are started'],
      skip: ['Leave out its records', 'The list may then be incomplete'],
    },
  },
} as const

/** A summary that also names the list whose items the call is made for. */
export function withForEach(call: string, config: Config, t: Page['t']): string {
  if (!hasForEach(config)) return call
  return t('{{call}}, for each of {{list}}', { call, list: shown(config['for_each'], '…') })
}
