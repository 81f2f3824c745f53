import { useMemo, useState } from 'react'
import type { FlowRunStep } from '../../../shared/contract/flow-runs.ts'
import { t } from '../../lib/i18n.ts'
import { formatJson } from '../../lib/json.ts'
import { recall, remember } from '../../lib/remembered.ts'
import { TabList, TabPanels, TabsRoot } from '../controls/tabs.tsx'
import { CopyIcon } from '../values/copy-button.tsx'
import { JsonTree } from '../values/json-tree.tsx'
import { findTable, ValueTable } from '../values/value-table.tsx'
import { callTabs, StepInput } from './run-step-view.tsx'
import type { ResultTab } from './step-tabs.ts'

interface StepResultProps {
  readonly step: FlowRunStep
  /** The text searched for in the output. */
  readonly words: string
  /** Defaults to the output, in the view used last. */
  readonly tab: ResultTab | undefined
  readonly onTab: (tab: ResultTab) => void
}

/** Shared with other views of values, so that users who prefer tables always get tables. */
const KEY = 'value-view'

/** The result of one step: its output as a tree or a table, its calls and its log. One row of tabs comes first. */
export function StepResult({ step, words, tab, onTab }: StepResultProps) {
  const [liked, setLiked] = useState<ResultTab>(() => (recall(KEY) === 'table' ? 'table' : 'tree'))
  const { output } = step
  const table = useMemo(() => findTable(output), [output])
  const wanted = tab ?? liked
  const value = wanted === 'table' && table === null ? 'tree' : wanted
  const label = t('Output of step {{refId}}', { refId: step.ref_id })

  function choose(next: ResultTab) {
    if (next === 'tree' || next === 'table') {
      setLiked(next)
      remember(KEY, next)
    }
    onTab(next)
  }

  const none = (
    <p className="p-3 text-muted">{step.duration_ms === null ? t('No output yet.') : t('No output.')}</p>
  )
  const tabs = [
    {
      value: 'tree' as const,
      label: t('Tree'),
      content:
        output === null ? (
          none
        ) : (
          <JsonTree
            value={output}
            label={label}
            root={step.ref_id}
            words={words}
            isShortened={step.truncated}
          />
        ),
    },
    ...(table === null
      ? []
      : [
          {
            value: 'table' as const,
            label: t('Table'),
            content: <ValueTable rows={table.rows} label={label} />,
          },
        ]),
    ...callTabs(step),
    { value: 'input' as const, label: t('Input'), content: <StepInput step={step} /> },
  ]
  return (
    <TabsRoot value={value} onChange={choose} className="flex-1">
      <div className="flex shrink-0 items-center gap-2 border-b border-line pr-2 pl-1">
        <TabList label={t('Step {{refId}}', { refId: step.ref_id })} tabs={tabs} className="-mb-px flex-1" />
        {step.truncated ? (
          <span className="truncate text-sm text-retrying">{t('Shortened in the run history')}</span>
        ) : null}
        {output === null ? null : <CopyIcon label={t('Copy all as JSON')} text={() => formatJson(output)} />}
      </div>
      <TabPanels tabs={tabs} />
    </TabsRoot>
  )
}
