/** The common parts of triggers that poll for new items. */
import { z } from 'zod'
import { text } from '../../base/common.ts'
import type { FieldFace } from './step-type.ts'

/** A field of an entry: its name, a path with dots, or a JSONPath. */
const entryField = text(500)

/** The config fields of all these triggers. */
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
      'Field that identifies an entry: `id`, `order.number` or a JSONPath. Null means the whole entry, so that a changed entry counts as new.',
    ),
  cursor_field: entryField
    .nullable()
    .default(null)
    .describe(
      'Field that only grows, such as `updated_at` or a number. Entries below the highest value so far are old; an entry whose value changed is found again. If null, only the key decides.',
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

/**
 * The fields that decide when and how a trigger polls, but not what it polls. Changing them doesn't make it start
 * over.
 */
export const PACING_FIELDS: readonly string[] = [
  'every_minutes',
  'look_back',
  'first',
  'newest',
  'runs',
  'max_pages',
  'timeout_seconds',
]

export const everyMinutes = { label: 'Check every (minutes)', placeholder: '15' } as const

const none = ['No runs', 'What is already there counts as known'] as const
const everything = (words: string) => [words, 'Starts runs for everything that is already there'] as const

/** The choices for what the first check starts; `all` is the label of the second. */
export const firstCheck = (all: string) =>
  ({ label: 'First check', options: { none, all: everything(all) } }) as const

/** Adds the newest entries as a third choice. */
export const firstOf = (all: string, newest: string) =>
  ({
    label: 'First check',
    options: {
      none,
      all: everything(all),
      newest: [newest, 'Starts runs for some, and the others count as known'],
    },
  }) as const

export const howMany = {
  label: 'How many',
  placeholder: '1',
  when: ({ first }) => first === 'newest',
} as const satisfies FieldFace<string>

/** The fields that come after the interval and the fields that identify an entry. */
export const pollingFields = {
  look_back: {
    label: 'Look back',
    hint: 'Finds entries that arrive late. Enter seconds if the cursor is a date, otherwise a number.',
    placeholder: '0',
    when: ({ cursor_field: cursor }) => typeof cursor === 'string' && cursor !== '',
  },
  first: firstOf('All entries', 'The newest entries'),
  newest: howMany,
  runs: {
    label: 'What it starts',
    options: { each: 'One run for each new entry', together: 'One run with all new entries' },
  },
} as const satisfies Readonly<Record<string, FieldFace<string>>>
