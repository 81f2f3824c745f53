import { english } from '../../../lib/i18n.ts'
import { formOf } from '../fields/form-of.tsx'

export const CodeForm = formOf([
  {
    kind: 'code',
    name: 'source',
    label: english('JavaScript'),
    hint: english(
      'Reads the results of the steps before as input, input.web1.total, and returns its own. 5 seconds, 64 MB, no network and no files; what it writes to the console stands with the step.',
    ),
  },
])
