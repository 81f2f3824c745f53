import { formOf } from './form-of.tsx'

export const CodeForm = formOf([
  {
    kind: 'code',
    name: 'source',
    label: 'JavaScript',
    hint: 'Reads the results of the steps before as input, input.web1.total, and returns its own. 5 seconds, 64 MB, no network and no files; what it writes to the console stands with the step.',
  },
])
