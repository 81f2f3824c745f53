import {
  CircleCheck,
  CircleDashed,
  CircleX,
  FlaskConical,
  Pencil,
  Play,
  Trash2,
} from '../../../lib/icons.tsx'
import { useState } from 'react'
import { useStore } from 'zustand'
import type { Flow } from '../../../../shared/contract/flows.ts'
import {
  acceptStoredTestRoute,
  deleteStoredTestRoute,
  type FlowTestResult,
  listStoredTestsRoute,
  readStoredTestRoute,
  runStoredTestsRoute,
  type StoredTest,
  type TestFailure,
  updateStoredTestRoute,
  type WholeStoredTest,
} from '../../../../shared/contract/flow-tests.ts'
import { useApi } from '../../../api/provider.tsx'
import { resource, useResource } from '../../../api/resource.ts'
import { Button, ButtonLink, IconButton } from '../../../components/controls/button.tsx'
import { TestSheet } from '../../../components/runs/test-sheet.tsx'
import { EmptyState } from '../../../components/screen/empty-state.tsx'
import { Loaded } from '../../../components/screen/loaded.tsx'
import { SplitPane } from '../../../components/screen/split-pane.tsx'
import { announce, announceProblem, attempt, deleteWithUndo } from '../../../components/screen/toast.tsx'
import { ChangeList } from '../../../components/values/change-list.tsx'
import { Time } from '../../../components/values/time.tsx'
import { cx } from '../../../lib/cx.ts'
import { plural } from '../../../lib/format.ts'
import { t, tn, translateMessage } from '../../../lib/i18n.ts'
import { useEditor } from '../state/editor-context.tsx'

const testsOf = (flowId: string) =>
  resource(listStoredTestsRoute, {
    nouns: ['flow'],
    concerns: ({ id }) => id === flowId,
    params: { id: flowId },
  })

/** Identifies a test, whose record is hidden while its deletion can be undone. */
const idOf = ({ flow_id: flow, name }: Pick<StoredTest, 'flow_id' | 'name'>) => `${flow} ${name}`

type Results = ReadonlyMap<string, FlowTestResult>

/** The tests of a flow, and their results with its unsaved steps. */
export function TestsView({ flow }: { readonly flow: Flow }) {
  const api = useApi()
  const { id } = flow
  const { data, failure, reload } = useResource(testsOf(id))
  const { ids: hidden } = useStore(api.deletions.hidden)
  const kept = useEditor((state) => state.kept)
  const [chosen, setChosen] = useState<string | null>(null)
  const [results, setResults] = useState<Results>(new Map())
  const [running, setRunning] = useState(false)
  const [editing, setEditing] = useState<WholeStoredTest | null>(null)

  async function run(names?: readonly string[]): Promise<void> {
    setRunning(true)
    await attempt(t('Couldn’t run tests'), async () => {
      await kept()
      const body = names === undefined ? {} : { names: [...names] }
      const { results: played } = await api.call(runStoredTestsRoute, { params: { id }, body })
      setResults((before) => new Map([...before, ...played.map((one) => [one.name, one] as const)]))
      report(played)
    })
    setRunning(false)
  }

  const forget = (name: string) =>
    setResults((before) => new Map([...before].filter(([known]) => known !== name)))

  const edit = (name: string) =>
    attempt(t('Couldn’t open test'), async () =>
      setEditing(await api.call(readStoredTestRoute, { params: { id, name } })),
    )

  const accept = ({ name }: StoredTest) =>
    attempt(t('Couldn’t accept result'), async () => {
      await kept()
      await api.call(acceptStoredTestRoute, { params: { id, name }, body: {} })
      announce(t('Test “{{name}}” now expects the new result', { name }))
      const { results: played } = await api.call(runStoredTestsRoute, {
        params: { id },
        body: { names: [name] },
      })
      setResults((before) => new Map([...before, ...played.map((one) => [one.name, one] as const)]))
    })

  const remove = (test: StoredTest) => {
    const { name } = test
    const text = t('Test “{{name}}” deleted', { name })
    deleteWithUndo(
      api,
      deleteStoredTestRoute,
      { params: { id, name } },
      { id: idOf(test), name, text, after: reload },
    )
  }

  return (
    <>
      <Loaded value={data} failure={failure} what={t('the tests')} onRetry={() => void reload()}>
        {(all) => {
          const tests = all.filter((test) => !hidden.has(idOf(test)))
          const shown = tests.find(({ name }) => name === chosen) ?? tests[0]
          if (shown === undefined)
            return (
              <EmptyState
                icon={FlaskConical}
                title={t('No tests')}
                action={
                  <ButtonLink to="/runs" search={{ flow: flow.id }}>
                    {t('Runs of this flow')}
                  </ButtonLink>
                }
              >
                {t(
                  'A test plays a run again with its recorded calls and compares the results. Open a run of this flow and choose “Make this a test”.',
                )}
              </EmptyState>
            )
          return (
            <SplitPane
              name="tests"
              label={t('Tests width')}
              direction="row"
              initial={300}
              min={200}
              max={520}
            >
              <div className="flex min-h-0 flex-1 flex-col bg-surface">
                <div className="flex min-h-10 shrink-0 items-center border-b border-line px-4 py-1.5">
                  <Button icon={Play} needs={runStoredTestsRoute} busy={running} onClick={() => void run()}>
                    {t('Run all tests')}
                  </Button>
                </div>
                <nav aria-label={t('Tests')} className="min-h-0 flex-1 overflow-auto">
                  {tests.map((test) => (
                    <button
                      key={test.name}
                      type="button"
                      aria-current={test === shown}
                      onClick={() => setChosen(test.name)}
                      className={cx(
                        'flex w-full items-center gap-2 border-b border-line px-4 py-1.5 text-left focus-visible:-outline-offset-2',
                        test === shown ? 'bg-selected' : 'hover:bg-hover',
                      )}
                    >
                      <ResultIcon result={results.get(test.name)} />
                      <span className="flex min-w-0 flex-1 flex-col">
                        <span className="truncate font-medium">{test.name}</span>{' '}
                        <span className="truncate text-sm text-muted">
                          {plural(test.calls, 'call')} · <Time at={test.updated_at} />
                        </span>
                      </span>
                    </button>
                  ))}
                </nav>
              </div>
              <div className="flex min-h-0 flex-1 flex-col bg-surface">
                <div className="flex min-h-10 shrink-0 flex-wrap items-center gap-2 border-b border-line px-4 py-1.5">
                  <h2 className="min-w-40 flex-1 truncate font-semibold">{shown.name}</h2>
                  {results.get(shown.name)?.can_accept ? (
                    <Button needs={acceptStoredTestRoute} onClick={() => void accept(shown)}>
                      {t('Accept new result')}
                    </Button>
                  ) : null}
                  <Button
                    icon={Play}
                    needs={runStoredTestsRoute}
                    busy={running}
                    onClick={() => void run([shown.name])}
                  >
                    {t('Run test')}
                  </Button>
                  <Button icon={Pencil} needs={updateStoredTestRoute} onClick={() => void edit(shown.name)}>
                    {t('Edit test')}
                  </Button>
                  <IconButton
                    label={t('Delete test')}
                    icon={Trash2}
                    needs={deleteStoredTestRoute}
                    onClick={() => remove(shown)}
                  />
                </div>
                <Result result={results.get(shown.name)} />
              </div>
            </SplitPane>
          )
        }}
      </Loaded>
      {editing === null ? null : (
        <TestSheet
          title={t('Edit test')}
          initial={editing.test}
          action={t('Save test')}
          onClose={() => setEditing(null)}
          onSave={async (test) => {
            await api.call(updateStoredTestRoute, { params: { id, name: editing.name }, body: { test } })
            forget(editing.name)
            setChosen(test.name)
            announce(t('Test “{{name}}” saved', { name: test.name }))
          }}
        />
      )}
    </>
  )
}

function report(results: readonly FlowTestResult[]): void {
  const failed = results.filter(({ passed }) => !passed).length
  const { length: count } = results
  if (failed > 0)
    announceProblem(
      tn(count, '{{failed}} of {{count}} test failed', '{{failed}} of {{count}} tests failed', { failed }),
    )
  else announce(tn(count, '{{count}} test passed', '{{count}} tests passed'))
}

function ResultIcon({ result }: { readonly result: FlowTestResult | undefined }) {
  const [Icon, label, color] =
    result === undefined
      ? [CircleDashed, t('Not run yet'), 'text-faint']
      : result.passed
        ? [CircleCheck, t('Passed'), 'text-success']
        : [CircleX, t('Failed'), 'text-error']
  return <Icon size={15} role="img" aria-label={label} className={cx('shrink-0', color)} />
}

function Result({ result }: { readonly result: FlowTestResult | undefined }) {
  return (
    <div
      // oxlint-disable-next-line jsx-a11y/no-noninteractive-tabindex -- what scrolls must be reachable by keyboard
      tabIndex={0}
      role="region"
      aria-label={t('Result')}
      className="min-h-0 flex-1 overflow-auto py-2 focus-visible:-outline-offset-2"
    >
      {result === undefined ? (
        <p className="px-4 text-muted">
          {t('Not run yet. Tests run with your unsaved changes. Nothing is sent or stored.')}
        </p>
      ) : result.passed ? (
        <p className="px-4 text-success">{t('Passed in {{ms}} ms', { ms: result.duration_ms })}</p>
      ) : (
        <ul className="flex flex-col gap-4">
          {result.failures.map((failure, at) => (
            // Several can have the same sentence.
            <Failure key={at} failure={failure} />
          ))}
        </ul>
      )}
    </div>
  )
}

function Failure({ failure }: { readonly failure: TestFailure }) {
  const message = translateMessage(failure.message, failure)
  const changes = failure.differences.map(({ path, expected, got }) => ({
    path: path === '' ? t('all of it') : path,
    before: expected,
    after: got,
  }))
  return (
    <li>
      <p className="px-4 pb-1 [overflow-wrap:anywhere] text-error">{message}</p>
      {changes.length === 0 ? null : (
        <ChangeList changes={changes} label={message} before={t('Expected')} after={t('Actual')} />
      )}
    </li>
  )
}
