import { quoted } from '../../../../../src/shared/contract/base/message.ts'
import { expect, test } from 'vitest'
import {
  createEditorStore,
  hasUnsavedSteps,
} from '../../../../../src/renderer/features/flows/state/editor-store.ts'
import { unsentDraftOf } from '../../../../../src/renderer/features/flows/state/unsent-draft.ts'
import { sortErrors } from '../../../../../src/renderer/features/flows/model/step-errors.ts'
import { AppError, fieldErrors } from '../../../../../src/shared/contract/base/errors.ts'
import { DEFAULT_FLOW_SETTINGS } from '../../../../../src/shared/contract/flows.ts'
import type { Flow } from '../../../../../src/shared/contract/flows.ts'
import type { Step } from '../../../../../src/shared/contract/steps.ts'
import { answeringApi, until } from '../../../../helpers/answering-api.ts'

test('a change of the steps is kept in the working copy, and saving makes it the next version', async () => {
  const { store, program } = await anEditor()
  store.getState().changed((draft) => ({ ...draft, steps: [aStep('a', { title: 'New' })] }))
  await store.getState().kept()
  expect(program.copy).toEqual([aStep('a', { title: 'New' })])
  expect(await store.getState().saved()).toBe(true)
  expect(program.puts).toEqual([{ steps: [aStep('a', { title: 'New' })] }])
  expect({ copy: program.copy, version: store.getState().flow?.version }).toEqual({ copy: null, version: 2 })
})

test('unsaved changes are sent at once, and only once, when the page closes', async () => {
  const { store, program, asked } = await anEditor()
  expect(store.getState().left()).toBe(true)
  store.getState().changed((draft) => ({ ...draft, steps: [aStep('last')] }))
  store.getState().left()
  await Promise.resolve()
  expect(program.copy).toEqual([aStep('last')])
  store.getState().left()
  await store.getState().kept()
  expect(asked.filter((name) => name.startsWith('PUT'))).toHaveLength(1)
})

test('unsaved changes are restored', async () => {
  const { store } = await anEditor({ copy: [aStep('typed')] })
  expect(store.getState().history?.present.steps).toEqual([aStep('typed')])
  expect(store.getState().flow?.steps).toEqual([aStep('a')])
})

test('a save sends only what was changed', async () => {
  const { store, program } = await anEditor()
  store.getState().changed((draft) => ({ ...draft, name: 'Other', settings: { ...draft.settings } }))
  await store.getState().saved()
  expect(program.puts).toEqual([{ name: 'Other' }])
})

test('a rejected save names the steps, and the draft stays', async () => {
  const { store, program } = await anEditor()
  program.refusal = fieldErrors({
    'steps[0].then[0].config.url': [quoted('is required')],
    'settings.concurrency': [quoted('is too low')],
  })
  store.getState().changed((draft) => ({ ...draft, steps: [aStep('a', { then: [aStep('b')] })] }))
  expect(await store.getState().saved()).toBe(false)
  expect(store.getState().errors).toEqual({
    bySteps: { b: { 'config.url': 'is required' } },
    others: { 'settings.concurrency': 'is too low' },
  })
  expect(store.getState().history?.present.steps[0]?.then).toEqual([aStep('b')])
  await store.getState().kept()
  expect(program.copy).not.toBeNull()
})

test('unfinished steps stay in the draft, and everything else is saved', async () => {
  const { store, program } = await anEditor()
  const steps = [aStep('a'), aStep('b')]
  program.refuse = ({ steps: sent }) =>
    sent === undefined ? null : fieldErrors({ 'steps[1].config.url': [quoted('is required')] })
  store.getState().changed((draft) => ({ ...draft, name: 'Renamed', steps }))
  expect(await store.getState().saved()).toBe(false)
  await store.getState().kept()
  expect({
    puts: program.puts,
    copy: program.copy,
    errors: store.getState().errors.bySteps,
    name: store.getState().flow?.name,
    unsaved: hasUnsavedSteps(store.getState()),
  }).toEqual({
    puts: [{ name: 'Renamed' }],
    copy: steps,
    errors: { b: { 'config.url': 'is required' } },
    name: 'Renamed',
    unsaved: true,
  })
})

test('a draft of another program needs only what the contract requires', async () => {
  const bare = { ref_id: 'x', type: 'loop', steps: [{ ref_id: 'y', type: 'set' }] } as unknown as Step
  const { store } = await anEditor({ copy: [bare] })
  const [step] = store.getState().history?.present.steps ?? []
  expect([step?.retry, step?.config, step?.steps?.[0]?.retry]).toEqual([null, {}, null])
})

test('undo and redo update the working copy too', async () => {
  const { store, program } = await anEditor()
  store.getState().changed((draft) => ({ ...draft, steps: [] }))
  await store.getState().kept()
  store.getState().undone()
  await store.getState().kept()
  expect(program.copy).toEqual([aStep('a')])
  store.getState().redone()
  expect(store.getState().history?.present.steps).toEqual([])
})

test('a flow saved elsewhere is loaded, but never overwrites unsaved changes here', async () => {
  const { store, program, emit } = await anEditor()
  program.saveElsewhere([aStep('theirs')])
  emit({ type: 'updated', noun: 'flow', id: 'f1' })
  await until(store, (state) => state.history?.present.steps[0]?.ref_id === 'theirs')

  store.getState().changed((draft) => ({ ...draft, steps: [aStep('mine')] }))
  program.saveElsewhere([aStep('theirs2')])
  emit({ type: 'updated', noun: 'flow', id: 'f1' })
  await until(store, (state) => state.overtaken)
  expect(store.getState().history?.present.steps[0]?.ref_id).toBe('mine')
  await store.getState().discarded()
  expect(store.getState().history?.present.steps[0]?.ref_id).toBe('theirs2')
  store.getState().undone()
  expect(store.getState().history?.present.steps[0]?.ref_id).toBe('mine')
})

test('changes from another window are one step of undo here; changes made here take precedence', async () => {
  const { store, program, emit } = await anEditor()
  const elsewhere = (updatedAt: string, steps: Step[] | null) => {
    program.copy = steps
    emit({ type: 'updated', noun: 'working_copy', id: 'f1', updated_at: updatedAt })
  }
  elsewhere('2027-01-01T00:00:01Z', [aStep('t')])
  elsewhere('2027-01-01T00:00:02Z', [aStep('theirs')])
  await until(store, (state) => state.history?.present.steps[0]?.ref_id === 'theirs')
  store.getState().undone()
  expect(store.getState().history?.present.steps).toEqual([aStep('a')])

  store.getState().changed((draft) => ({ ...draft, steps: [aStep('mine')] }))
  elsewhere('2027-01-01T00:00:03Z', [aStep('theirs')])
  await store.getState().kept()
  expect(store.getState().history?.present.steps).toEqual([aStep('mine')])
  expect(program.copy).toEqual([aStep('mine')])
})

test('a flow that another window saves with the content shown here changes nothing', async () => {
  const { store, program, emit } = await anEditor()
  program.copy = [aStep('theirs')]
  emit({ type: 'updated', noun: 'working_copy', id: 'f1', updated_at: '2027-01-01T00:00:01Z' })
  await until(store, (state) => state.history?.present.steps[0]?.ref_id === 'theirs')
  program.saveElsewhere([aStep('theirs')])
  program.copy = null
  emit({ type: 'updated', noun: 'flow', id: 'f1' })
  const { overtaken } = await until(store, (state) => state.flow?.version === 2)
  expect(overtaken).toBe(false)
})

test("changes that couldn't be saved are reported, and saved once the program responds again", async () => {
  const { store, program, asked, emit } = await anEditor()
  program.isDown = true
  store.getState().changed((draft) => ({ ...draft, steps: [aStep('typed')] }))
  await until(store, (state) => state.unkept !== null)
  program.isDown = false
  emit({ type: 'ready', noun: null, id: null })
  await until(store, (state) => state.unkept === null)
  expect(program.copy).toEqual([aStep('typed')])

  program.isDown = true
  store.getState().changed((draft) => ({ ...draft, steps: [aStep('tested')] }))
  await until(store, (state) => state.unkept !== null)
  program.isDown = false
  await store.getState().kept()
  expect(program.copy).toEqual([aStep('tested')])

  program.isDown = true
  store.getState().changed((draft) => ({ ...draft, steps: [aStep('saved')] }))
  await until(store, (state) => state.unkept !== null)
  program.isDown = false
  await store.getState().saved()
  const puts = asked.filter((name) => name.startsWith('PUT')).length
  store.getState().left()
  expect(asked.filter((name) => name.startsWith('PUT'))).toHaveLength(puts)
  expect({ copy: program.copy, unkept: store.getState().unkept }).toEqual({ copy: null, unkept: null })
})

test('a step that was changed here and then elsewhere is named, and Undo leads back; others are just shown', async () => {
  const { store, program, emit } = await anEditor()
  const elsewhere = async (steps: Step[]) => {
    program.editElsewhere(steps)
    emit({ type: 'updated', noun: 'working_copy', id: 'f1', updated_at: 'elsewhere' })
    await until(store, (state) => state.history?.present.steps === steps)
    return store.getState().overwritten
  }
  store.getState().changed((draft) => ({ ...draft, steps: [aStep('a', { title: 'Mine' }), aStep('b')] }))
  await store.getState().kept()
  expect(await elsewhere([aStep('a', { title: 'Mine' }), aStep('b', { title: 'Theirs' })])).toEqual([])
  expect(await elsewhere([aStep('a', { title: 'Theirs' }), aStep('b', { title: 'Theirs' })])).toEqual(['a'])
  store.getState().undone()
  expect({
    title: store.getState().history?.present.steps[0]?.title,
    overwritten: store.getState().overwritten,
  }).toEqual({ title: 'Mine', overwritten: [] })
  await store.getState().kept()
  expect(await elsewhere([aStep('b')])).toEqual(['a'])
})

test('a draft that was edited elsewhere while the program was away counts, and Undo leads to what was typed here', async () => {
  const { store, program, place, again } = await anEditor()
  store.getState().changed((draft) => ({ ...draft, steps: [aStep('a', { title: 'Known' })] }))
  await store.getState().kept()
  program.isDown = true
  store.getState().changed((draft) => ({ ...draft, steps: [aStep('a', { title: 'Typed here' })] }))
  await store.getState().kept()
  expect(place.read()?.steps).toEqual([aStep('a', { title: 'Typed here' })])

  program.isDown = false
  program.editElsewhere([aStep('a', { title: 'From another tab' })])
  const after = await again()
  const title = () => after.getState().history?.present.steps[0]?.title
  expect({ title: title(), copy: program.copy?.[0]?.title, left: place.read() }).toEqual({
    title: 'From another tab',
    copy: 'From another tab',
    left: null,
  })
  after.getState().undone()
  expect(title()).toBe('Typed here')
  await after.getState().kept()
  expect(program.copy?.[0]?.title).toBe('Typed here')
})

test('a draft that nobody else edited meanwhile is sent as typed here', async () => {
  const { store, program, place, again } = await anEditor()
  program.isDown = true
  store.getState().changed((draft) => ({ ...draft, steps: [aStep('a', { title: 'Typed here' })] }))
  await store.getState().kept()
  program.isDown = false
  const after = await again()
  await after.getState().kept()
  expect({ copy: program.copy?.[0]?.title, left: place.read() }).toEqual({ copy: 'Typed here', left: null })
})

test('errors are assigned to the innermost step that they name', () => {
  const steps = [aStep('outer', { steps: [aStep('inner')] }), aStep('next')]
  expect(
    sortErrors(steps, {
      'steps[0].steps[0].ref_id': ['is taken', 'is too long'],
      'steps[0].config.over': ['is required'],
      'steps[1]': ['is alone'],
      name: ['must not be empty'],
    }),
  ).toEqual({
    bySteps: {
      inner: { ref_id: 'is taken; is too long' },
      outer: { 'config.over': 'is required' },
      next: { '': 'is alone' },
    },
    others: { name: 'must not be empty' },
  })
})

/** An editor of the flow f1 with one step `a`, and the program's state of it. */
async function anEditor({ copy = null }: { copy?: Step[] | null } = {}) {
  const program = {
    flow: aFlow(),
    copy: copy as readonly Step[] | null,
    puts: [] as unknown[],
    refusal: null as AppError | null,
    refuse: (_body: Partial<Flow>): AppError | null => null,
    isDown: false,
    saveElsewhere(steps: Step[]) {
      const version = program.flow.version + 1
      program.flow = { ...program.flow, steps, version, updated_at: `2027-01-01T00:00:0${version}Z` }
    },
    editElsewhere(steps: readonly Step[]) {
      program.copy = steps
      copies += 1
    },
  }
  let copies = 0
  const workingCopy = () => ({
    steps: program.copy ?? program.flow.steps,
    updated_at: program.copy === null ? null : `2027-01-01T00:00:0${copies}Z`,
  })
  const { api, asked, emit } = answeringApi({
    'GET /v1/flows/:id': () => program.flow,
    'GET /v1/flows/:id/working-copy': workingCopy,
    'PUT /v1/flows/:id/working-copy': ({ body }: { body: { steps: Step[] | null } }) => {
      if (program.isDown) throw new AppError('unavailable', quoted('Millrace does not answer'))
      program.copy = body.steps
      copies += 1
      return workingCopy()
    },
    'PUT /v1/flows/:id': ({ body }: { body: Partial<Flow> }) => {
      const refusal = program.refusal ?? program.refuse(body)
      if (refusal !== null) throw refusal
      program.puts.push(body)
      const version = program.flow.version + (body.steps === undefined ? 0 : 1)
      program.flow = { ...program.flow, ...body, version, updated_at: '2027-01-01T01:00:00Z' }
      return program.flow
    },
  })
  // Makes the pause before a draft is saved end at once; a failed attempt isn't repeated automatically.
  const wait = (ms: number) => (ms < 1_000 ? Promise.resolve() : new Promise<void>(() => {}))
  const kept = new Map<string, string>()
  const place = unsentDraftOf('f1', {
    getItem: (key: string) => kept.get(key) ?? null,
    setItem: (key: string, text: string) => kept.set(key, text),
    removeItem: (key: string) => kept.delete(key),
  } as unknown as Storage)
  /** The page loaded once more in the same tab. */
  async function again() {
    const next = createEditorStore(api, 'f1', wait, place)
    next.getState().opened()
    await until(next, (state) => state.flow !== null)
    return next
  }
  return { store: await again(), program, asked, emit, place, again }
}

function aFlow(): Flow {
  return {
    id: 'f1',
    name: 'Flow',
    description: '',
    tags: [],
    status: 'draft',
    steps: [aStep('a')],
    settings: DEFAULT_FLOW_SETTINGS,
    version: 1,
    created_at: '2027-01-01T00:00:00Z',
    updated_at: '2027-01-01T00:00:00Z',
  }
}

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
