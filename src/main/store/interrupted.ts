import type { RunError } from '../../shared/contract/flow-runs.ts'

/** Of a run that was in progress when its program ended, and that nobody goes on with. */
export const INTERRUPTED: RunError = {
  code: 'interrupted',
  message: 'Millrace ended while this run was in progress; run it again where it may be repeated',
  ref_id: null,
  field: null,
  line: null,
  column: null,
  data: null,
}
