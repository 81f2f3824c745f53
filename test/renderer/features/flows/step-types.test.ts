import { expect, it } from 'vitest'
import type { FlowRun } from '../../../../src/shared/contract/flow-runs.ts'
import { STEP_TYPES, TRIGGER_TYPES } from '../../../../src/shared/contract/step-types/index.ts'
import { checkFlow } from '../../../../src/main/engine/flow/definition/check-flow.ts'
import { STEP_FACES } from '../../../../src/renderer/features/flows/step-types/index.ts'
import { t } from '../../../../src/renderer/lib/i18n.ts'
import { aStep } from '../../../helpers/flow-run.ts'
import { startTestApp } from '../../../helpers/test-app.ts'

const CONTEXT = {
  envNames: new Set(['playground_url']),
  toleratedSteps: new Set<string>(),
  hasConnector: () => true,
  findAction: () => null,
  findPlugin: () => null,
  connectorOfAuth: () => null,
  needsAuth: () => false,
  paginationOf: () => null,
}

it.each(STEP_TYPES)('the sample of %s can be saved', (type) => {
  const { refId, sample } = STEP_FACES[type]
  const step = aStep({ ref_id: refId, type, ...sample })
  const steps = TRIGGER_TYPES.includes(type) ? [step] : [aStep({ ref_id: 'web1', type: 'webhook' }), step]
  expect(checkFlow(steps, CONTEXT).errors).toEqual([])
})

it('every URL in an example responds', async () => {
  const app = await startTestApp({ playground: true })
  const { playground_url: base } = (await app.call('GET', '/v1/meta')).json as { playground_url: string }
  const samples = JSON.stringify(STEP_TYPES.map((type) => STEP_FACES[type].sample))
  const addresses = samples.match(/(?<=\{\{ playground_url \}\})[^"]*/g) ?? []
  const answers = await Promise.all(addresses.map(async (path) => [path, (await fetch(base + path)).status]))
  expect(answers).toEqual([
    ['/feed', 200],
    ['/orders', 200],
  ])
})

it.each(['rest', 'connector_action'] as const)('the example of %s runs without changes', async (type) => {
  const app = await startTestApp({ playground: true })
  const { refId, sample } = STEP_FACES[type]
  const flow = { name: type, steps: [{ ref_id: refId, type, ...sample }] }
  const { id } = (await app.call('POST', '/v1/flows', flow)).json as { id: string }
  const { status, error } = (await app.call('POST', `/v1/flows/${id}/run?wait=true`, {})).json as FlowRun
  expect({ status, error }).toEqual({ status: 'success', error: null })
})

it('every step type has a unique name and a line that says what it is for', () => {
  const faces = STEP_TYPES.map((type) => STEP_FACES[type])
  expect(new Set(faces.map(({ label }) => label)).size).toBe(STEP_TYPES.length)
  expect(new Set(faces.map(({ refId }) => refId)).size).toBe(STEP_TYPES.length)
  expect(faces.filter(({ purpose }) => t(purpose).length < 10 || t(purpose).length > 90)).toEqual([])
})
