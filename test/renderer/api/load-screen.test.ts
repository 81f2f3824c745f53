import { expect, test } from 'vitest'
import { loadScreen } from '../../../src/renderer/api/load-screen.ts'

test('while the program is unreachable a screen waits instead of failing', async () => {
  const program = { isUp: false, asked: 0 }
  const screen = await loadScreen(
    async () => {
      program.asked += 1
      if (!program.isUp) throw new TypeError('Failed to fetch dynamically imported module')
      return 'the screen'
    },
    {
      answers: async () => program.isUp,
      wait: async () => {
        program.isUp = program.asked >= 3
      },
    },
  )
  expect({ screen, asked: program.asked }).toEqual({ screen: 'the screen', asked: 4 })
})

test('missing code is a failure if the program responds', async () => {
  const gone = new TypeError('Failed to fetch dynamically imported module: /assets/old.js')
  const loaded = loadScreen(() => Promise.reject(gone), { answers: async () => true })
  await expect(loaded).rejects.toBe(gone)
})
