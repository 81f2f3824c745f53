import { describe, expect, it } from 'vitest'
import {
  newRequestId,
  newRunId,
  requestKey,
  runIdOfRequest,
  runKey,
  runStepId,
  stepPlace,
  webhookRequestId,
} from '../../../src/main/store/history/ids.ts'

const UUID_V4 = /^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/
const KEYS = [1, 2, 255, 65_536, 2 ** 24 - 1, 2 ** 24, 2 ** 31, 2 ** 33]

describe('ids of the history', () => {
  it('are version 4 UUIDs from which the key can be read', () => {
    const ids = KEYS.map((key) => newRunId(key))
    expect(ids.filter((id) => !UUID_V4.test(id))).toEqual([])
    expect(ids.map(runKey)).toEqual(KEYS)
    expect(KEYS.map((key) => requestKey(newRequestId(key)))).toEqual(KEYS)
    expect(runKey(newRunId(7).toUpperCase())).toBe(7)
  })

  it('return the position of a step and the run of a request', () => {
    for (const key of KEYS) {
      const run = newRunId(key)
      for (const position of [0, 1, 1_000, 2 ** 20 - 1]) {
        const id = runStepId(run, position)
        expect({ isUuid: UUID_V4.test(id), stepPlace: stepPlace(id), runKey: runKey(id) }).toEqual({
          isUuid: true,
          stepPlace: { runKey: key, position },
          runKey: null,
        })
      }
      const request = webhookRequestId(run)
      expect({
        requestKey: requestKey(request),
        runIdOfRequest: runIdOfRequest(request),
        stepPlace: stepPlace(request),
      }).toEqual({ requestKey: key, runIdOfRequest: run, stepPlace: null })
    }
  })

  it("are different each time and don't look like a counter", () => {
    const ids = Array.from({ length: 10_000 }, (_, index) => newRunId(index + 1))
    expect(new Set(ids).size).toBe(ids.length)
    expect(new Set(ids.map((id) => id.slice(-6))).size).toBeGreaterThan(9_900)
    expect(new Set(ids.map((id) => id.slice(0, 6))).size).toBeGreaterThan(9_900)
  })

  it('are distinguished from anything else', () => {
    for (const text of [
      '',
      'x',
      '00000000-0000-0000-0000-000000000000',
      `${newRunId(1)}0`,
      newRunId(1).replace('-4', '-5'),
    ]) {
      expect({ runKey: runKey(text), requestKey: requestKey(text), stepPlace: stepPlace(text) }).toEqual({
        runKey: null,
        requestKey: null,
        stepPlace: null,
      })
    }
  })
})
