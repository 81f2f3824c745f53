import { describe, expect, it } from 'vitest'
import {
  afterKey,
  chosenRow,
  drawLiveTable,
  type LiveState,
} from '../../src/main/headless/support/live-table.ts'

const rows = Array.from({ length: 30 }, (_, at) => ({
  id: `r${at}`,
  time: `12:00:${String(at).padStart(2, '0')}`,
  method: at % 2 === 0 ? 'POST' : 'DELETE',
  path: `/v1/flow-webhook/7c9e6679-7425-40de-944b-e07fc1f90ae7?n=${at}`,
  status: at === 3 ? 'none' : at === 5 ? '500' : '200',
  ms: `${at} ms`,
  note: at === 3 ? 'Nobody listens on localhost:3000' : '',
}))

const state: LiveState = {
  head: 'http://127.0.0.1:4747/v1/flow-webhook/7c9e6679 → http://localhost:3000',
  rows,
  chosen: null,
  filter: '',
  isTyping: false,
  message: '',
  waiting: 0,
}

/** The state after key presses; single characters are typed. */
const pressed = (from: LiveState, ...keys: string[]) =>
  keys.reduce((now, key) => afterKey(now, { name: key, sequence: key }) ?? now, from)

describe('the live table', () => {
  it('shows the newest at the bottom, one row a request', () => {
    expect(drawLiveTable(state, { columns: 80, rows: 5 }, false)).toEqual([
      'http://127.0.0.1:4747/v1/flow-webhook/7c9e6679 → http://localhost:3000',
      '  12:00:27 DELETE /v1/flow-webhook/7c9e6679-7425-40de-944b-e07f…   200     27 ms',
      '  12:00:28 POST   /v1/flow-webhook/7c9e6679-7425-40de-944b-e07f…   200     28 ms',
      '> 12:00:29 DELETE /v1/flow-webhook/7c9e6679-7425-40de-944b-e07f…   200     29 ms',
      '↑ ↓ choose   r send again   / filter   q quit',
    ])
  })

  it('fits into any terminal', () => {
    const faults = []
    for (const columns of [1, 10, 20, 35, 36, 55, 56, 72, 80, 200])
      for (const height of [1, 2, 3, 24, 60])
        for (const chosen of [null, 'r0', 'r3']) {
          const lines = drawLiveTable({ ...state, chosen }, { columns, rows: height }, false)
          const isShown = columns < 2 || height < 3 || lines.some((line) => line.startsWith('>'))
          if (lines.length > height || lines.some((line) => line.length > columns) || !isShown)
            faults.push({ columns, height, chosen, lines })
        }
    expect(faults).toEqual([])
  })

  it('leaves out the time, then the milliseconds, where there is no place', () => {
    const lineAt = (columns: number) => drawLiveTable(state, { columns, rows: 3 }, false)[1]
    expect([lineAt(50), lineAt(34)]).toEqual([
      '> DELETE /v1/flow-webhook/7c9e667…   200     29 ms',
      '> DELETE /v1/flow-webhook/7…   200',
    ])
  })

  it('colors by status only if it may, and shows what a terminal would obey as text', () => {
    const row = { ...rows[0]!, path: '/\u001b[2J\u202e', status: '404' }
    const one = { ...state, rows: [row] }
    const plain = drawLiveTable(one, { columns: 80, rows: 24 }, false).join('\n')
    const colored = drawLiveTable(one, { columns: 80, rows: 24 }, true).join('\n')
    expect({
      plain: ['\u001b', '\u202e'].some((one) => plain.includes(one)),
      yellow: colored.includes('\u001b[33m'),
      text: plain.includes('\\u001b[2J'),
    }).toEqual({
      plain: false,
      yellow: true,
      text: true,
    })
  })

  it('moves with the arrows, and follows what arrives at the end', () => {
    const up = pressed(state, 'up', 'up')
    const after = { ...up, rows: [...rows, { ...rows[0]!, id: 'new' }] }
    const back = pressed(up, 'down', 'down')
    expect({
      up: chosenRow(up)?.id,
      'after another one': chosenRow(after)?.id,
      back: back.chosen,
      top: chosenRow(pressed(state, ...Array<string>(99).fill('up')))?.id,
    }).toEqual({ up: 'r27', 'after another one': 'r27', back: null, top: 'r0' })
  })

  it('filters by what is typed, until Escape', () => {
    const typed = pressed(state, '/', ...'nobody r', 'backspace', 'backspace')
    const size = { columns: 100, rows: 24 }
    const kept = pressed(typed, 'return')
    expect({
      foot: drawLiveTable(typed, size, false).at(-1),
      rows: drawLiveTable(kept, size, false)
        .slice(1, -1)
        .map((line) => line.trimEnd().slice(-24)),
      chosen: chosenRow(kept)?.id,
      nothing: drawLiveTable({ ...state, filter: 'xyz' }, size, false)[1],
      cleared: pressed(typed, 'escape').filter,
    }).toEqual({
      foot: '/nobody█',
      rows: ['istens on localhost:3000'],
      chosen: 'r3',
      nothing: 'No request contains this text.',
      cleared: '',
    })
  })
})
