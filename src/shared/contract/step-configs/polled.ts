/** Triggers that look every so often for what is new. */
import { z } from 'zod'
import { json, jsonObject, text } from '../base/common.ts'
import { WHEN_IN_DOUBT } from '../base/pagination-config.ts'
import { template } from './fields.ts'

/** A field of an entry: its name, a path with dots, or a JSONPath. */
const entryField = text(500)

/** What all of these triggers have in common. */
export const polling = {
  every_minutes: z
    .number()
    .min(0.1)
    .max(44_640)
    .default(15)
    .describe('Minutes between two checks, 0.1 to 44640 (31 days).'),
  key: entryField
    .nullable()
    .default(null)
    .describe(
      'Field that identifies an entry: `id`, `order.number` or a JSONPath. Null: the whole entry, so that a changed entry counts as new.',
    ),
  cursor_field: entryField
    .nullable()
    .default(null)
    .describe(
      'Field that only grows, such as `updated_at` or a number. Entries below the highest value so far are old; an entry whose value changed is found again. Null: only the key decides.',
    ),
  look_back: z
    .number()
    .min(0)
    .max(1e12)
    .default(0)
    .describe(
      'How far below the highest value of `cursor_field` entries can still be new, because they arrive late: seconds for a date, otherwise a difference of the numbers.',
    ),
  first: z
    .enum(['none', 'all', 'newest'])
    .default('none')
    .describe(
      'Which entries of the first check start runs: `none`, `all`, or the `newest` ones. The others count as known.',
    ),
  newest: z
    .number()
    .int()
    .min(1)
    .max(10_000)
    .default(1)
    .describe('For `first: newest`: how many entries, 1 to 10000.'),
  runs: z
    .enum(['each', 'together'])
    .default('each')
    .describe(
      '`each` starts a run for every new entry, oldest first. `together` starts one run with all of them, at most 1000 per run.',
    ),
} as const

/** The fields that decide when and how a trigger looks, not at what: a change of them doesn't make it start over. */
export const PACING_FIELDS: readonly string[] = [
  'every_minutes',
  'look_back',
  'first',
  'newest',
  'runs',
  'max_pages',
  'timeout_seconds',
]

/** Words that a text must contain. */
const words = text(300).nullable().default(null)

export const imapTrigger = z
  .strictObject({
    auth_id: text(200).describe(
      'ID of a connector auth of the connector IMAP, with the server as `imaps://host:993` or `imap://host:143` and a password or a sign-in by OAuth.',
    ),
    mailbox: text(500).default('INBOX').describe('Name of the mailbox, such as `INBOX` or `Archive/2026`.'),
    from: words.describe('Only emails whose sender, name or address, contains this. Null: all.'),
    subject: words.describe('Only emails whose subject contains this. Null: all.'),
    unseen_only: z
      .boolean()
      .default(false)
      .describe('True leaves out emails that have already been read elsewhere.'),
    mark_seen: z
      .boolean()
      .default(false)
      .describe('True marks an email as read on the server once its run is stored.'),
    attachments: z
      .boolean()
      .default(true)
      .describe('True keeps attachments as files for as long as the run exists, at most 100 per email.'),
    every_minutes: z
      .number()
      .min(0.1)
      .max(1_440)
      .default(5)
      .describe(
        'Minutes between two checks of the mailbox, 0.1 to 1440. Between them, the server reports new emails (IDLE), if it can.',
      ),
    first: z
      .enum(['none', 'all', 'newest'])
      .default('none')
      .describe('Which emails found by the first check start runs: `none`, `all`, or the `newest` ones.'),
    newest: z
      .number()
      .int()
      .min(1)
      .max(1_000)
      .default(1)
      .describe('For `first: newest`: how many emails, 1 to 1000.'),
  })
  .meta({
    description:
      'Starts the flow for every new email of a mailbox (IMAP), while it is active. Emails larger than 25 MiB start it with their headers only. First step only.',
    result:
      'The email: `{{ email.subject }}`, `{{ email.from }}`, `{{ email.from_name }}`, `{{ email.to }}`, `{{ email.cc }}`, `{{ email.reply_to }}`, `{{ email.date }}`, `{{ email.received_at }}`, `{{ email.text }}`, `{{ email.html }}`, `{{ email.headers }}`, `{{ email.message_id }}`, `{{ email.mailbox }}`, `{{ email.uid }}`, `{{ email.attachments[0].file_id }}` with `filename`, `content_type` and `size`, and `{{ email.problem }}` if something could not be read. A manual run without input gets the newest email.',
    examples: [{ auth_id: '7c9e6679-7425-40de-944b-e07fc1f90ae7', subject: 'invoice' }],
  })

/** A column of a table. */
const column = text(200)

export const sqlTrigger = z
  .strictObject({
    auth_id: template
      .nullable()
      .optional()
      .describe(
        'ID of a connector auth of the connector SQL database, whose URL is `postgres://…` or `mysql://…`. Either this or `file`.',
      ),
    file: template
      .nullable()
      .optional()
      .describe('SQLite file, inside a folder that the settings allow. Either this or `auth_id`.'),
    table: text(500)
      .optional()
      .describe(
        'Table or view to look at: `orders`, or `sales.orders` with its schema. Either this or `statement`.',
      ),
    statement: text(65_536)
      .optional()
      .describe(
        'Instead of `table`: a statement that returns the rows, without templates. Values are `?` (SQLite, MySQL) or `$1` (PostgreSQL), taken from `parameters`.',
      ),
    parameters: z
      .union([z.array(json).max(1_000), jsonObject, template])
      .default([])
      .describe(
        'For `statement`: values for the placeholders. Templates can read `since`: the highest value of `cursor_field` minus `look_back`, null at the first check.',
      ),
    timeout_seconds: z
      .number()
      .positive()
      .max(600)
      .default(60)
      .describe('Seconds that a check can take in the database, at most 600. Then it is interrupted.'),
    ...polling,
    key: z
      .array(column)
      .max(20)
      .default([])
      .describe(
        'Columns that identify a row, such as `["id"]`. Empty: the whole row, so that a changed row counts as new.',
      ),
    cursor_field: column
      .nullable()
      .default(null)
      .describe(
        'Column that only grows, such as `id` or `updated_at`; an index on it keeps checks fast. Only rows from its highest value so far on are read, and a row whose value changed is found again. Null: all rows are read, at most 50000.',
      ),
  })
  .meta({
    description:
      'Starts the flow for new or changed rows of a table in SQLite, PostgreSQL, MySQL or MariaDB, while it is active. First step only.',
    result:
      'The row: `{{ row.name }}`. With `runs: together`, an object with the list `entries`, oldest first. A manual run without input gets the newest row.',
    examples: [
      { file: 'shop.db', table: 'orders', key: ['id'], cursor_field: 'updated_at', every_minutes: 5 },
    ],
  })

export const FOLDER_EVENTS = ['new', 'changed', 'gone'] as const

export const folderTrigger = z
  .strictObject({
    path: text(2_000).describe(
      'Folder to look at, inside one of the folders that the settings allow. A relative path begins in the first of them.',
    ),
    events: z
      .array(z.enum(FOLDER_EVENTS))
      .min(1, 'needs at least one event')
      .max(FOLDER_EVENTS.length)
      .default(['new'])
      .describe('What starts runs: files that are `new`, `changed` (size or time), or `gone`.'),
    pattern: text(300)
      .default('*')
      .describe('Names of the files, with `*` for any characters: `*.csv`. In subfolders, `**/*.csv`.'),
    subfolders: z.boolean().default(false).describe('True includes subfolders.'),
    settle_seconds: z
      .number()
      .min(0)
      .max(3_600)
      .default(2)
      .describe(
        "A file counts as complete once its size and time haven't changed for this many seconds, up to an hour.",
      ),
    every_minutes: z
      .number()
      .min(0.1)
      .max(1_440)
      .default(5)
      .describe(
        'Minutes between two checks of the whole folder, 0.1 to 1440. Between them, the system reports changes, except on many network drives.',
      ),
    first: z
      .enum(['none', 'all'])
      .default('none')
      .describe('Whether files that exist at the first check start runs: `none` or `all`.'),
  })
  .meta({
    description:
      'Starts the flow for files of a folder on this computer, while it is active. Changes made while Millrace was off are found when it starts. First step only.',
    result:
      'An object: `{{ file.event }}` (`new`, `changed`, `gone`), `{{ file.path }}`, `{{ file.name }}`, `{{ file.size }}` and `{{ file.modified_at }}`. A manual run without input gets the newest file.',
    examples: [{ path: 'inbox', pattern: '*.csv' }],
  })

export const listTrigger = z
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
      .describe('ID of the connector auth whose credentials are used. Null or absent: none.'),
    input: jsonObject
      .default({})
      .describe(
        'For `action`: values of its form fields by name. Templates can read `since`: the highest value of `cursor_field` minus `look_back`, null at the first check.',
      ),
    records: text(1_000)
      .nullable()
      .default(null)
      .describe(
        'For an `action` without pagination: JSONPath of the list in the response, such as `$.items`. Null: the response is the list.',
      ),
    max_pages: z
      .number()
      .int()
      .min(1)
      .optional()
      .describe('For `action`: read at most this many pages of the list. Absent: all.'),
    when_in_doubt: z
      .enum(WHEN_IN_DOUBT)
      .optional()
      .describe(
        'For `action`: what happens to a list that may be incomplete: `warn` starts the flow for what was found, `fail` fails the check, and the next one reads the list again. Default: the program setting `when_in_doubt`.',
      ),
    url: template.optional().describe('For `feed`: URL of the feed, beginning with `http://` or `https://`.'),
    ...polling,
  })
  .meta({
    description:
      'Starts the flow for new entries of a list, while it is active: orders, tickets, articles of a feed. First step only.',
    result:
      'The entry: `{{ entry.title }}`. With `runs: together`, an object with the list `entries`, oldest first. A manual run without input gets the newest entry.',
    examples: [
      {
        connector_id: 'f306cd0c-aa4f-4195-8fec-ae5b83201da5',
        action: 'list_orders',
        key: 'id',
        every_minutes: 5,
      },
    ],
  })
