import { expect, test } from 'vitest'
import type { FlowRun } from '../../../../src/shared/contract/flow-runs.ts'
import { resumeLabel } from '../../../../src/renderer/features/flow-runs/resume-label.ts'

const failed = (status: FlowRun['status'], error: object | null) => {
  const place = { message: '', ref_id: null, field: null, line: null, column: null, data: null }
  return { status, error: error && { ...place, ...error } } as FlowRun
}

test("a run that failed on a page says which page it resumes from; one that can't resume says nothing", () => {
  expect([
    resumeLabel(failed('error', { code: 'http_error', ref_id: 'orders', data: { page: 7, status: 500 } })),
    resumeLabel(failed('error', { code: 'http_error', ref_id: 'orders', data: { page: 0, status: 500 } })),
    resumeLabel(failed('cancelled', { code: 'cancelled' })),
    resumeLabel(failed('error', { code: 'stopped', ref_id: 'end' })),
    resumeLabel(failed('success', null)),
    resumeLabel(failed('running', null)),
  ]).toEqual(['Resume from orders, page 7', 'Resume from orders', 'Resume', null, null, null])
})
