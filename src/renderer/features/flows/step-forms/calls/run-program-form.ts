import { english } from '../../../../lib/i18n.ts'
import { formOf } from '../../fields/form-of.tsx'

export const RunProgramForm = formOf([
  {
    kind: 'text',
    name: 'program',
    label: english('Program'),
    hint: english('Its name in the list under Settings, Programs.'),
    placeholder: 'pandoc',
  },
  {
    kind: 'json',
    name: 'arguments',
    label: english('Arguments'),
    orText: true,
    hint: english(
      'A list of templates, for example ["--", "{{ web1.file }}"]. Values that start with - must come after "--".',
    ),
  },
  {
    kind: 'dictionary',
    name: 'environment',
    label: english('Environment variables'),
    noun: english('variable'),
  },
  {
    kind: 'template',
    name: 'input',
    label: english('Standard input'),
    optional: true,
    rows: 3,
    hint: english('Values that aren’t text are written as JSON.'),
  },
  {
    kind: 'choice',
    name: 'output',
    label: english('Read the output as'),
    initial: 'text',
    options: {
      text: english('Text'),
      json: 'JSON',
      json_lines: [english('JSON lines'), english('A list with an item for each line')],
    },
  },
  {
    kind: 'number',
    name: 'timeout_seconds',
    label: english('Timeout (seconds)'),
    optional: true,
    placeholder: '60',
  },
  {
    kind: 'json',
    name: 'exit_codes',
    label: english('Successful exit codes'),
    hint: english('A list, by default [0]. Any other exit code fails the step.'),
  },
])
