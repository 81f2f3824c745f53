import { z } from 'zod'
import { json } from '../../base/common.ts'
import { sink, sinkFields, sinkProblems, reachesServer } from '../parts/sink.ts'
import { stepType, shown } from '../parts/step-type.ts'

export const readCursor = stepType({
  family: 'files',
  label: 'Where a sync stopped',
  purpose: 'Returns the cursor of the last written records',
  words: 'sync incremental cursor since state bookmark watermark',
  icon: 'bookmark-check',
  refId: 'since',
  reaches: reachesServer,
  config: z
    .strictObject({
      ...sink,
      look_back: z
        .number()
        .min(0)
        .default(0)
        .describe(
          'How far before the cursor to start, so that late changes are found: seconds for times, otherwise a number.',
        ),
      initial: json
        .default(null)
        .describe('The `cursor` to return as long as nothing was written, such as `2020-01-01T00:00:00Z`.'),
    })
    .meta({
      description: 'Returns where the last `write_records` with a `cursor` stopped.',
      examples: [{ target: 'sqlite', path: 'shop.db', table: 'orders', initial: '2020-01-01T00:00:00Z' }],
    }),
  fields: {
    ...sinkFields,
    look_back: {
      label: 'Start earlier by',
      optional: true,
      hint: 'Enter seconds if the cursor is a time, otherwise a number. This finds records whose changes arrived late.',
      placeholder: '0',
    },
    initial: {
      label: 'The first time, start at',
      orText: true,
      hint: 'The cursor to return until something has been written, for example "2020-01-01T00:00:00Z".',
    },
  },
  result: z
    .object({ cursor: json, stored: json })
    .describe('An object with `cursor`, where to start, and `stored`, the highest value so far or null.'),
  rules: sinkProblems,
  sample: {
    config: { target: 'sqlite', path: 'shop.db', table: 'orders', initial: '2020-01-01T00:00:00Z' },
  },
  summary: (config, { t }) => shown(config.table ?? config.path, t('no target yet')),
})
