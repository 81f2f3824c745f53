import { expect, it, onTestFinished, vi } from 'vitest'
import { untilFree, untilFreeSync } from '../../../src/main/store/folder/move.ts'

/** A rename that fails this many times because another program has the file open. */
function heldTimes(times: number, code = 'EPERM') {
  let tries = 0
  const work = () => {
    tries++
    if (tries <= times) throw Object.assign(new Error(code), { code })
    return `worked at try ${tries}`
  }
  return { work, later: async () => work(), tries: () => tries }
}

it('retries renaming and deleting on Windows while another program has the file open', async () => {
  expect({
    sync: untilFreeSync(heldTimes(2).work, 'win32'),
    async: await untilFree(heldTimes(2).later, 'win32'),
    scanned: await untilFree(heldTimes(2, 'EBUSY').later, 'win32'),
  }).toEqual({ sync: 'worked at try 3', async: 'worked at try 3', scanned: 'worked at try 3' })
})

it('gives up after a while, and at once elsewhere or for other errors', async () => {
  const forever = heldTimes(Infinity)
  const later = heldTimes(Infinity)
  const elsewhere = heldTimes(Infinity)
  const gone = heldTimes(Infinity, 'ENOENT')
  // Each look at the clock advances it by 4 ms, however busy the machine is.
  let now = 0
  const clock = vi.spyOn(performance, 'now').mockImplementation(() => (now += 4))
  onTestFinished(() => clock.mockRestore())
  expect(() => untilFreeSync(forever.work, 'win32', 30)).toThrow('EPERM')
  await expect(untilFree(later.later, 'win32', 30)).rejects.toThrow('EPERM')
  clock.mockRestore()
  expect(() => untilFreeSync(elsewhere.work, 'darwin')).toThrow('EPERM')
  await expect(untilFree(gone.later, 'win32')).rejects.toThrow('ENOENT')
  expect({
    forever: forever.tries(),
    later: later.tries(),
    elsewhere: elsewhere.tries(),
    gone: gone.tries(),
  }).toEqual({ forever: 3, later: 3, elsewhere: 1, gone: 1 })
})
