import { doc } from '../../base/doc.ts'
import { z } from 'zod'
import { json, jsonObject, text } from '../../base/common.ts'
import { WHEN_IN_DOUBT } from '../../base/pagination-config.ts'
import { template } from '../parts/fields.ts'
import { polling, pollingFields, everyMinutes } from '../parts/polling.ts'
import { whenInDoubt } from '../parts/faces.ts'
import { stepType, shown, type Config } from '../parts/step-type.ts'

const isFeed = ({ source }: Config) => source === 'feed'

export const listTrigger = stepType({
  family: 'triggers',
  label: 'New entries in a list',
  purpose: 'Starts the flow for every new record in a list or article in a feed',
  words:
    'poll rss atom feed every new order contact ticket record article changed updated watch trigger news',
  icon: 'rss',
  refId: 'entry',
  trigger: { starts: 'list', polls: true, hint: 'If it is left empty, the newest entry is used.' },
  reaches: (config) => (isFeed(config) ? 'url' : 'connector'),
  config: z
    .strictObject({
      source: z
        .enum(['action', 'feed'])
        .default('action')
        .describe(
          'Where the entries are: the list of a connector `action`, or a `feed` (RSS, Atom, JSON Feed).',
        ),
      connector_id: text(200).optional().describe('For `action`: ID of the connector.'),
      action: text(100).optional().describe('For `action`: name of the action, such as `list_orders`.'),
      auth_id: template
        .nullable()
        .optional()
        .describe(
          'ID of the connector auth whose credentials are used. If null or absent, the call is sent without credentials.',
        ),
      input: jsonObject
        .default({})
        .describe(
          'For `action`: values of its form fields by name. Templates can read `since`: the highest value of `cursor_field` minus `look_back`, null at the first check.',
        ),
      records: text(1_000)
        .nullable()
        .default(null)
        .describe(
          'For an `action` without pagination: JSONPath of the list in the response, such as `$.items`. If null, the response is the list.',
        ),
      max_pages: z
        .int()
        .min(1)
        .optional()
        .describe('For `action`: read at most this many pages of the list. Defaults to all.'),
      when_in_doubt: z
        .enum(WHEN_IN_DOUBT)
        .optional()
        .describe(
          'For `action`: what happens to a list that may be incomplete: `warn` starts the flow for what was found, `fail` fails the check, and the next one reads the list again. Default: the program setting `when_in_doubt`.',
        ),
      url: template
        .optional()
        .describe('For `feed`: URL of the feed, beginning with `http://` or `https://`.'),
      ...polling,
    })
    .meta(
      doc(
        'Starts the flow for new entries of a list, while it is active: orders, tickets, articles of a feed. Only triggers can be above it.',
        {
          connector_id: 'f306cd0c-aa4f-4195-8fec-ae5b83201da5',
          action: 'list_orders',
          key: 'id',
          every_minutes: 5,
        },
      ),
    ),
  fields: {
    source: {
      label: 'Look at',
      options: {
        action: [
          'A list from a connector',
          'Any action that returns a list, such as orders, contacts or tickets',
        ],
        feed: ['A feed', 'RSS, Atom or JSON Feed'],
      },
    },
    url: { label: 'Feed URL', placeholder: 'https://example.com/feed.xml', reads: 'since' },
    connector_id: { label: 'Connector' },
    action: { label: 'Action' },
    auth_id: { label: 'Connector auth' },
    input: { label: 'Input', noun: 'value', reads: 'since' },
    records: {
      label: 'List in the response',
      hint: 'JSONPath of the list, for an action without pagination.',
      optional: true,
      placeholder: '$.items',
    },
    max_pages: { label: 'Max pages', optional: true },
    when_in_doubt: whenInDoubt,
    every_minutes: everyMinutes,
    key: {
      label: 'Key',
      hint: 'The field that identifies an entry, such as id. If empty, an entry that changes counts as new.',
      optional: true,
      placeholder: 'id',
    },
    cursor_field: {
      label: 'Cursor field',
      hint: 'A field whose value only increases, such as updated_at. Entries below the highest value are old, and an entry whose value changes is new again.',
      optional: true,
      placeholder: 'updated_at',
    },
    ...pollingFields,
  },
  result: json.describe(
    'The entry: `{{ entry.title }}`. With `runs: together`, an object with the list `entries`, oldest first. A manual run without input gets the newest entry.',
  ),
  sample: {
    config: {
      source: 'feed',
      url: '{{ playground_url }}/feed',
      every_minutes: 15,
      first: 'newest',
      newest: 1,
    },
  },
  summary: (config, { t }) => {
    const what =
      config.source === 'feed'
        ? shown(config.url, t('no URL yet'))
        : shown(config.action, t('choose an action'))
    return t('{{what}}, every {{minutes}} minutes', { what, minutes: shown(config.every_minutes, '15') })
  },
})
