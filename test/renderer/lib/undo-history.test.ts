import { expect, test } from 'vitest'
import { pushHistory, redo, startHistory, undo } from '../../../src/renderer/lib/undo-history.ts'

test('changes are undone and redone one by one, and a new change forgets what was undone', () => {
  const three = [1, 2, 3].reduce((history, value) => pushHistory(history, value), startHistory(0))
  const back = undo(undo(three))
  expect({
    undone: back.present,
    redone: redo(back).present,
    undoneToStart: undo(undo(undo(back))).present,
  }).toEqual({ undone: 1, redone: 2, undoneToStart: 0 })
  expect(redo(pushHistory(back, 9)).present).toBe(9)
})

test('typing in one field is one step back', () => {
  const typed = ['a', 'ab', 'abc'].reduce(
    (history, text) => pushHistory(history, text, 'title'),
    startHistory(''),
  )
  expect(undo(typed).present).toBe('')
})

test('200 changes can be undone', () => {
  const values = Array.from({ length: 300 }, (_, index) => index + 1)
  let history = values.reduce((all, value) => pushHistory(all, value), startHistory(0))
  for (let step = 0; step < 300; step += 1) history = undo(history)
  expect(history.present).toBe(100)
})
