import { describe, expect, test } from 'vitest'
import type { Step } from '../../../../../src/shared/contract/steps.ts'
import { layoutFlow, stepTowards } from '../../../../../src/renderer/features/flows/canvas/layout.ts'
import type { CanvasBox, Point } from '../../../../../src/renderer/features/flows/canvas/layout.ts'

const aStep = (ref_id: string, type: string, lists: Partial<Step> = {}): Step => ({
  ref_id,
  type,
  title: '',
  description: '',
  disabled: false,
  on_error: 'stop',
  retry: null,
  config: {},
  ...lists,
})

const NESTED = [
  aStep('web1', 'webhook'),
  aStep('check', 'condition', {
    then: [
      aStep('each', 'loop', {
        steps: [
          aStep('kind', 'switch', { cases: [{ label: 'a', steps: [aStep('one', 'set')] }], default: [] }),
        ],
      }),
    ],
    else: [],
  }),
  aStep('last', 'set'),
]

describe('the canvas', () => {
  test('never overlaps steps, and puts a loop’s steps inside its frame', () => {
    const { boxes, width, height } = layoutFlow(NESTED)
    const steps = boxes.filter(({ kind }) => kind === 'step')
    const over = steps.flatMap((a, index) =>
      steps
        .slice(index + 1)
        .filter((b) => overlap(a, b))
        .map((b) => [a.id, b.id]),
    )
    expect(over).toEqual([])
    const frame = boxes.find(({ id }) => id === 'frame:each')!
    expect(
      ['each', 'kind', 'one'].filter(
        (id) =>
          !isInside(
            boxes.find((box) => box.id === id)!,
            frame,
          ),
      ),
    ).toEqual([])
    expect(
      boxes.filter(
        (box) => box.x < 0 || box.y < 0 || box.x + box.width > width || box.y + box.height > height,
      ),
    ).toEqual([])
  })

  test('draws lines from each branch to the next step, past branches without steps, and from a loop’s frame', () => {
    expect(
      layoutFlow(NESTED).lines.map(({ from, to, label }) => `${from} ${label?.text ?? ''}> ${to}`),
    ).toEqual([
      'web1 > check',
      'check then> each',
      'each each iteration> kind',
      'kind “a”> one',
      'one > one',
      'kind otherwise> kind',
      // The ends of the loop and of the flow.
      'kind > kind',
      'frame:each > last',
      'check else> last',
      'last > last',
    ])
  })

  test('joins the branches at the end of a list, where a step can be added, and leads an empty loop to its spot', () => {
    const { lines, spots } = layoutFlow([
      aStep('each', 'loop', { steps: [] }),
      aStep('kind', 'switch', {
        cases: [
          { label: 'a', steps: [aStep('inner', 'condition', { then: [aStep('one', 'set')], else: [] })] },
        ],
        default: [],
      }),
    ])
    const place = (point: Point | undefined) =>
      spots
        .filter(({ at }) => at[0] === point?.[0] && at[1] === point[1])
        .map(({ list, index }) => [...list, index].join('.'))
    expect(
      lines
        .filter(({ from, to }) => from === to)
        .map(({ from, label, points }) => `${from} ${label?.text ?? ''}> ${place(points.at(-1)).join()}`),
    ).toEqual([
      'each each iteration> 0.steps.0',
      'one > 1.cases.0.steps.1',
      'inner else> 1.cases.0.steps.1',
      // Where the branches join; the end of the flow is below.
      'inner > ',
      'kind otherwise> ',
      'kind > 2',
    ])
  })

  test('covers no label and no place to add a step, and has one line for each branch', () => {
    const cases = ['customers from abroad', 'orders above 1000 euros', 'orders above 1000 euros'].map(
      (label) => ({ label, steps: [] }),
    )
    const split = (name: string) =>
      aStep(name, 'condition', { then: [], else: [aStep(`${name}1`, 'set'), aStep(`${name}2`, 'set')] })
    const { lines, spots } = layoutFlow([
      aStep('kind', 'switch', { cases, default: [split('a')] }),
      aStep('three', 'switch', {
        cases: [
          { label: 'b', steps: [] },
          { label: 'c', steps: [aStep('c1', 'set')] },
        ],
      }),
      split('last'),
    ])
    const around = ([x, y]: Point, width: number, height: number): Area => [
      x - width / 2,
      y - height / 2,
      x + width / 2,
      y + height / 2,
    ]
    const areas = [
      // As wide as a label can be, or as its text at about 7 px per character.
      ...lines.flatMap(({ label }) =>
        label === null ? [] : [around(label.at, Math.min(160, 14 + 6.6 * label.text.length), 22)],
      ),
      ...spots.map(({ at }) => around(at, 16, 16)),
    ]
    const covered = areas.filter((area, index) => areas.some((other, at) => at < index && meet(area, other)))
    expect({ covered, ids: lines.map(({ id }) => id) }).toEqual({
      covered: [],
      ids: [...new Set(lines.map(({ id }) => id))],
    })
  })

  test('draws no line through an unrelated step', () => {
    const { boxes, lines } = layoutFlow(NESTED)
    const through = lines.flatMap(({ from, to, points }) =>
      boxes
        .filter(({ id, kind }) => kind === 'step' && id !== from && id !== to)
        .filter((box) => points.some((point, index) => crosses(points[index - 1], point, box)))
        .map(({ id }) => `${from} > ${to} through ${id}`),
    )
    expect(through).toEqual([])
  })

  test('bends lines into a loop above its frame, where a step can be added', () => {
    const { boxes, lines, spots } = layoutFlow([
      aStep('check', 'condition', { then: [aStep('one', 'set')], else: [aStep('two', 'set')] }),
      aStep('each', 'loop', { steps: [aStep('three', 'set')] }),
    ])
    const into = lines.filter(({ to }) => to === 'each').map(({ points }) => points.at(-2))
    const frame = boxes.find(({ id }) => id === 'frame:each')!
    const between = spots.find(({ list, index }) => list.length === 0 && index === 1)
    expect(into).toEqual([between?.at, between?.at])
    expect(between?.at[1]).toBeLessThan(frame.y)
  })

  test('moves with arrow keys to the nearest step in that direction', () => {
    const { boxes } = layoutFlow([
      aStep('web1', 'webhook'),
      aStep('check', 'condition', { then: [aStep('left', 'set')], else: [aStep('right', 'set')] }),
      aStep('last', 'set'),
    ])
    expect([
      stepTowards(boxes, 'web1', 'down'),
      stepTowards(boxes, 'left', 'right'),
      stepTowards(boxes, 'right', 'left'),
      stepTowards(boxes, 'last', 'up'),
      stepTowards(boxes, 'web1', 'up'),
    ]).toEqual(['check', 'right', 'left', expect.stringMatching(/left|right/), null])
  })

  test('has room for 200 steps, nested fifty deep', () => {
    const deep = (depth: number): Step =>
      aStep(`c${depth}`, 'condition', {
        then: depth === 0 ? [] : [deep(depth - 1)],
        else: [aStep(`e${depth}`, 'set')],
      })
    const flow = [deep(50), ...Array.from({ length: 100 }, (_, index) => aStep(`s${index}`, 'set'))]
    expect(layoutFlow(flow).boxes.length).toBeGreaterThan(200)
  })
})

type Area = readonly [left: number, top: number, right: number, bottom: number]

function meet(a: Area, b: Area): boolean {
  return a[0] < b[2] && b[0] < a[2] && a[1] < b[3] && b[1] < a[3]
}

function overlap(a: CanvasBox, b: CanvasBox): boolean {
  return a.x < b.x + b.width && b.x < a.x + a.width && a.y < b.y + b.height && b.y < a.y + a.height
}

function isInside(box: CanvasBox, frame: CanvasBox): boolean {
  return (
    box.x >= frame.x &&
    box.y >= frame.y &&
    box.x + box.width <= frame.x + frame.width &&
    box.y + box.height <= frame.y + frame.height
  )
}

function crosses(from: Point | undefined, to: Point, box: CanvasBox): boolean {
  if (from === undefined) return false
  const [left, right] = [Math.min(from[0], to[0]), Math.max(from[0], to[0])]
  const [top, bottom] = [Math.min(from[1], to[1]), Math.max(from[1], to[1])]
  return left < box.x + box.width && box.x < right + 0.1 && top < box.y + box.height && box.y < bottom + 0.1
}
