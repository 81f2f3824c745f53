import { describe, expect, it } from 'vitest'
import { startChild } from '../helpers/child.ts'
import { aStore } from '../helpers/store.ts'
import { temporaryFolder } from '../helpers/temporary-folder.ts'

const WRITE_RUNS = new URL('./fixtures/write-runs.ts', import.meta.url)

describe('a process that is killed while it writes', () => {
  it('loses no acknowledged run, and leaves a sound database', async () => {
    const dataDir = temporaryFolder()
    const answered: string[] = []
    for (const answers of [1, 40, 200]) {
      const child = startChild(WRITE_RUNS, [dataDir])
      for (let line = 0; line < answers; line++) answered.push(...(await child.line()).split(' '))
      child.process.kill('SIGKILL')
      await child.ended
    }
    const store = await aStore({ dataDir })
    expect(store.endedCleanly).toBe(false)
    expect(answered.filter((id) => store.flowRuns.get(id) === null)).toEqual([])
    expect(answered.filter((id) => store.runStates.of(id).join() !== `input of ${id}`)).toEqual([])
    const { requeued } = await store.write(() => store.recover('2026-03-01T12:00:00.000Z'))
    const { ready, taken } = store.runQueue.count()
    expect({ hasRequeued: requeued.length > 0, allReady: ready >= answered.length, taken }).toEqual({
      hasRequeued: true,
      allReady: true,
      taken: 0,
    })
  })
})
