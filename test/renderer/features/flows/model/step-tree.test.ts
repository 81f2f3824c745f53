import { expect, test } from 'vitest'
import {
  renameReferences,
  withFreshNames,
} from '../../../../../src/renderer/features/flows/model/rename-ref.ts'
import {
  findStep,
  freeRefId,
  indentStep,
  insertStep,
  moveStep,
  outdentStep,
  placeStep,
  removeStep,
  stepsBefore,
  toFieldPath,
  toPosition,
  updateStep,
  walkSteps,
} from '../../../../../src/renderer/features/flows/model/step-tree.ts'
import type { Step } from '../../../../../src/shared/contract/steps.ts'

const tree = [
  aStep('web1'),
  aStep('check', { then: [aStep('a'), aStep('b')], else: [aStep('c')] }),
  aStep('pick', { cases: [{ label: 'red', steps: [aStep('d')] }], default: [aStep('e')] }),
  aStep('last'),
]

test('steps that have not changed are walked once', () => {
  const other = updateStep(tree, [0], (step) => ({ ...step, title: 'Other' }))
  expect(walkSteps(tree)).toBe(walkSteps(tree))
  expect(walkSteps(other)[0]?.step.title).toBe('Other')
})

test('a walk visits every step, parents first, with its position', () => {
  expect(walkSteps(tree).map(({ step, path }) => `${toPosition(path)} ${step.ref_id}`)).toEqual([
    '1 web1',
    '2 check',
    '2.then.1 a',
    '2.then.2 b',
    '2.else.1 c',
    '3 pick',
    '3.cases.1.steps.1 d',
    '3.default.1 e',
    '4 last',
  ])
})

test('positions are written as the program writes them', () => {
  expect(toFieldPath([1, 'then', 0])).toBe('steps[1].then[0]')
  expect(toFieldPath([2, 'cases', 0, 'steps', 3])).toBe('steps[2].cases[0].steps[3]')
})

test('a step is changed, removed and inserted at any depth, and nothing else changes', () => {
  const path = findStep(tree, 'd')?.path ?? []
  const changed = updateStep(tree, path, (step) => ({ ...step, title: 'D' }))
  expect(findStep(changed, 'd')?.step.title).toBe('D')
  expect(changed[1]).toBe(tree[1])
  expect(outline(removeStep(tree, path))).toBe('web1 check(a b | c) pick( | e) last')
  expect(outline(insertStep(tree, [1, 'else'], 0, aStep('new')))).toBe(
    'web1 check(a b | new c) pick(d | e) last',
  )
})

test('a step moves through the lists of another step and out of it, and stops at the ends of the flow', () => {
  const moved = (refId: string, by: 1 | -1, steps = tree) => {
    const lists = (step: Step) => (step.ref_id === 'fresh' ? ['then', 'else'] : [])
    const result = moveStep(steps, findStep(steps, refId)?.path ?? [], by, lists)
    return result === null ? null : outline(result)
  }
  expect([
    moved('b', -1),
    moved('a', -1),
    moved('b', 1),
    moved('c', -1),
    moved('c', 1),
    moved('d', 1),
    moved('e', 1),
    moved('f', 1, [aStep('fresh', { then: [aStep('f')] })]),
    moved('web1', -1),
    moved('last', 1),
  ]).toEqual([
    'web1 check(b a | c) pick(d | e) last',
    'web1 a check(b | c) pick(d | e) last',
    'web1 check(a | b c) pick(d | e) last',
    'web1 check(a b c | ) pick(d | e) last',
    'web1 check(a b | ) c pick(d | e) last',
    'web1 check(a b | c) pick( | d e) last',
    'web1 check(a b | c) pick(d | ) e last',
    'fresh( | f)',
    null,
    null,
  ])
})

test('a step goes into the step above it and out again', () => {
  const into = indentStep(tree, [2], (step) => (step.ref_id === 'check' ? ['then', 'else'] : []))
  expect(into === null ? null : outline(into)).toBe('web1 check(a b pick(d | e) | c) last')
  expect(indentStep(tree, [1], () => [])).toBeNull()
  const out = outdentStep(tree, [1, 'then', 0])
  expect(out === null ? null : outline(out)).toBe('web1 check(b | c) a pick(d | e) last')
})

test('a step reads what ran before it, and before the steps around it', () => {
  const path = findStep(tree, 'b')?.path ?? []
  expect(stepsBefore(tree, path).map((step) => step.ref_id)).toEqual(['web1', 'check', 'a'])
  expect(stepsBefore(tree, [3]).map((step) => step.ref_id)).toEqual([
    'web1',
    'check',
    'a',
    'b',
    'c',
    'pick',
    'd',
    'e',
  ])
})

test('a copy and its children get unused names', () => {
  expect(freeRefId(tree, 'web1')).toBe('web')
  expect(freeRefId([aStep('rest'), aStep('rest2')], 'rest')).toBe('rest3')
  const loops = [[], [aStep('loop1')]].map((steps) => freeRefId(steps, 'loop1', ['loop']))
  expect(loops).toEqual(['loop1', 'loop2'])
  expect(outline(withFreshNames(tree, [tree[1] ?? aStep('x')]))).toBe('check2(a2 b2 | c2)')
})

test("copies read each other's results, and those of steps that weren't copied", () => {
  const reads = (template: string) => ({ config: { values: { text: template } } })
  const loop = aStep('rest', { steps: [aStep('rest2', reads('{{ rest.item }} {{ web1.a }}'))] })
  const after = aStep('set', reads('{{ rest2.text }}'))
  const copies = withFreshNames([aStep('web1'), loop, after], [loop, after])
  expect(walkSteps(copies).map(({ step }) => [step.ref_id, step.config])).toEqual([
    ['rest3', {}],
    ['rest4', { values: { text: '{{ rest3.item }} {{ web1.a }}' } }],
    ['set2', { values: { text: '{{ rest4.text }}' } }],
  ])
})

test('renaming a step renames it in templates, but not in keys, strings and longer names', () => {
  const steps = [
    aStep('x', {
      config: {
        url: 'https://a/{{ web1.id }}?old=web1',
        when: 'web1.total > 3 and web10',
        list: ['{{ a.web1 }}', "{{ 'web1' ~ web1 }}", { deep: '{% if web1 %}web1{% endif %}' }],
      },
      then: [aStep('y', { config: { values: { web1: '{{ web1 }}' } } })],
    }),
  ]
  const renamed = renameReferences(steps, 'web1', 'hook')
  expect(renamed.changed).toBe(5)
  expect(renamed.steps[0]?.config).toEqual({
    url: 'https://a/{{ hook.id }}?old=web1',
    when: 'hook.total > 3 and web10',
    list: ['{{ a.web1 }}', "{{ 'web1' ~ hook }}", { deep: '{% if hook %}web1{% endif %}' }],
  })
  expect(renamed.steps[0]?.then?.[0]?.config).toEqual({ values: { web1: '{{ hook }}' } })
})

function aStep(refId: string, more: Partial<Step> = {}): Step {
  return {
    ref_id: refId,
    type: 'set',
    title: '',
    description: '',
    disabled: false,
    on_error: 'stop',
    retry: null,
    config: {},
    ...more,
  }
}

function outline(steps: readonly Step[]): string {
  return steps
    .map((step) => {
      const lists = [
        ...(step.cases ?? []).map((one) => one.steps),
        step.then,
        step.else,
        step.default,
      ].filter((list) => list !== undefined)
      return lists.length === 0 ? step.ref_id : `${step.ref_id}(${lists.map(outline).join(' | ')})`
    })
    .join(' ')
}

test('a step can be dropped anywhere except inside itself', () => {
  const refs = (steps: readonly Step[] | null) =>
    steps && walkSteps(steps).map(({ step, path }) => `${toPosition(path)} ${step.ref_id}`)
  expect({
    intoBranch: refs(placeStep(tree, [3], [1, 'then'], 1)),
    outOfBranch: refs(placeStep(tree, [1, 'then', 0], [], 0))?.slice(0, 3),
    toEnd: refs(placeStep(tree, [0], [], 4))?.at(-1),
    intoCase: refs(placeStep(tree, [0], [2, 'cases', 0, 'steps'], 0))?.slice(4, 7),
    intoItself: placeStep(tree, [1], [1, 'then'], 0),
  }).toEqual({
    intoBranch: [
      '1 web1',
      '2 check',
      '2.then.1 a',
      '2.then.2 last',
      '2.then.3 b',
      '2.else.1 c',
      '3 pick',
      '3.cases.1.steps.1 d',
      '3.default.1 e',
    ],
    outOfBranch: ['1 a', '2 web1', '3 check'],
    toEnd: '4 web1',
    intoCase: ['2 pick', '2.cases.1.steps.1 web1', '2.cases.1.steps.2 d'],
    intoItself: null,
  })
})
