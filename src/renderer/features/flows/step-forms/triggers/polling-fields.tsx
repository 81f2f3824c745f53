import { type English, english } from '../../../../lib/i18n.ts'
import { type ChoiceOptions, FormControl, type FormField } from '../../fields/form-of.tsx'
import type { StepFormProps } from '../../fields/form-props.ts'
import { TriggerState } from './trigger-state.tsx'

const EVERY: FormField = {
  kind: 'number',
  name: 'every_minutes',
  label: english('Check every (minutes)'),
  placeholder: '15',
}

const KEYS: readonly FormField[] = [
  {
    kind: 'text',
    name: 'key',
    label: english('Key'),
    hint: english(
      'The field that identifies an entry, such as id. Empty: an entry that changes counts as new.',
    ),
    optional: true,
    placeholder: 'id',
  },
  {
    kind: 'text',
    name: 'cursor_field',
    label: english('Cursor field'),
    hint: english(
      'A field whose value only increases, such as updated_at. Entries below the highest value are old; an entry whose value changes is new again.',
    ),
    optional: true,
    placeholder: 'updated_at',
  },
]

const LOOK_BACK: FormField = {
  kind: 'number',
  name: 'look_back',
  label: english('Look back'),
  hint: english('For entries that arrive late: seconds if the cursor is a date, otherwise a number.'),
  placeholder: '0',
  when: ({ cursor_field: cursor }) => typeof cursor === 'string' && cursor !== '',
}

/** What the first check starts; `all` says what that is. */
export function firstCheck(all: English, more: ChoiceOptions = {}): FormField {
  return {
    kind: 'choice',
    name: 'first',
    label: english('First check'),
    initial: 'none',
    options: {
      none: [english('No runs'), english('What is already there counts as known')],
      all: [all, english('Starts runs for everything that is already there')],
      ...more,
    },
  }
}

/** With the newest ones as a third choice. */
export const firstCheckOf = (all: English, newest: English): readonly FormField[] => [
  firstCheck(all, { newest: [newest, english('Starts runs for some, the others count as known')] }),
  {
    kind: 'number',
    name: 'newest',
    label: english('How many'),
    placeholder: '1',
    when: ({ first }) => first === 'newest',
  },
]

const RUNS: FormField = {
  kind: 'choice',
  name: 'runs',
  label: english('What it starts'),
  initial: 'each',
  options: {
    each: english('One run for each new entry'),
    together: english('One run with all new entries'),
  },
}

export interface PollingFieldsProps extends StepFormProps {
  /** How the trigger names what tells entries apart. */
  readonly keys?: readonly FormField[]
}

/** When a trigger looks, and what counts as new: the fields of every trigger that reads a list. */
export function PollingFields({ keys = KEYS, ...props }: PollingFieldsProps) {
  const fields = [
    EVERY,
    ...keys,
    LOOK_BACK,
    ...firstCheckOf(english('All entries'), english('The newest entries')),
    RUNS,
  ]
  return (
    <>
      {fields
        .filter(({ when }) => when?.(props.config) !== false)
        .map((field) => (
          <FormControl key={field.name} field={field} {...props} />
        ))}
      <TriggerState />
    </>
  )
}
