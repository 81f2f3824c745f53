import { z } from 'zod'
import { json } from '../../base/common.ts'
import { collect, concurrencyField } from '../parts/faces.ts'
import { concurrency } from '../parts/fields.ts'
import { stepType, shown } from '../parts/step-type.ts'

/**
 * `start` only matters for a loop over the list of the paginated step directly before it. `whole_list` waits until
 * the list is complete; `first_page` begins the iterations while pages arrive. Otherwise the list exists before the
 * loop begins.
 */
export const loop = stepType({
  family: 'control',
  label: 'Loop',
  purpose: 'Repeats steps for each item in a list',
  words: 'for each every item iterate repeat',
  icon: 'repeat',
  refId: 'loop1',
  lists: ['steps'],
  loops: true,
  config: z
    .strictObject({
      over: json.describe('The list to go through: a template such as `{{ orders }}`, or a JSON list.'),
      collect: json
        .optional()
        .describe(
          "What each iteration adds to the loop's result. Defaults to the result of the iteration's last step.",
        ),
      start: z
        .enum(['whole_list', 'first_page'])
        .optional()
        .describe(
          '`first_page` begins while a paginated step directly above is still reading; `whole_list` waits for all pages. Default: `whole_list`.',
        ),
      concurrency: concurrency.describe(
        'How many iterations run at once, 1 to 100. Results keep the order of the list, and each iteration reads only its own results and those from before the loop. After an error, or when an iteration leaves the loop, no new ones begin, but those in progress finish. Default: 1.',
      ),
    })
    .meta({
      description: 'Runs its `steps` once for each item of a list. Templates inside read `item` and `index`.',
      examples: [{ over: [1, 2, 3], collect: '{{ item * 2 }}' }],
    }),
  fields: {
    over: {
      label: 'List',
      kind: 'template',
      hint: 'A list. Steps in the loop read the current item as item and its position, starting at 0, as index.',
      placeholder: '{{ contacts }}',
    },
    start: {
      label: 'Start',
      hint: 'The loop must come directly after a paginated step and go through exactly its list. The next page is requested when the iterations of the current one are done. If a later page fails, both steps fail after those iterations.',
      initial: 'whole_list',
      options: {
        whole_list: ['After all pages are fetched', 'No iterations until the last page has arrived'],
        first_page: ['As soon as the first page arrives', 'Alternates between fetching pages and looping'],
      },
    },
    concurrency: {
      ...concurrencyField,
      hint: 'The number of iterations that run at the same time. The results keep the order of the list.',
    },
    collect: { ...collect, placeholder: '{{ item.email }}' },
  },
  result: z.array(json).describe('A list with the result of each iteration.'),
  sample: { config: { over: '{{ web1.lines }}', collect: '{{ item.price }}' } },
  summary: ({ over, concurrency }, { t }) => {
    const list = t('list: {{list}}', { list: shown(over, '…') })
    return Number(concurrency ?? 1) > 1
      ? t('{{list}}, {{count}} at once', { list, count: Number(concurrency) })
      : list
  },
})
