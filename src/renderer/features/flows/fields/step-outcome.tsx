import { useEffect, useState } from 'react'
import type { Step } from '../../../../shared/contract/steps.ts'
import type { StepOutcome } from '../../../../shared/contract/templates.ts'
import { formatCount } from '../../../lib/format.ts'
import { t, translateMessage } from '../../../lib/i18n.ts'
import { useAssist, useEditor, useRunPanel } from '../state/editor-context.tsx'
import { oversAround } from '../state/step-values.ts'

const TYPING_MS = 80
const LINE_CHARACTERS = 200

/** The result of a step with the available values, while it is being edited. */
export function OutcomeView({ step }: { readonly step: Step }) {
  const outcome = useOutcome(step)
  if (outcome === null) return null
  const { error, results } = outcome
  // A problem of a template is shown at its field.
  if (error !== null && /^Step "[^"]*", field /.test(error)) return null
  return (
    <div
      role="status"
      aria-label={t('With these values')}
      className="flex flex-col gap-1 rounded border border-line bg-sunken px-3 py-2 text-sm"
    >
      {error === null ? (
        <p className="font-medium">{sentenceOf(step.type, outcome)}</p>
      ) : (
        <p className="text-error [overflow-wrap:anywhere]">{translateMessage(error, outcome)}</p>
      )}
      {results === null || results.length === 0 ? null : (
        <ol className="flex flex-col font-mono text-muted">
          {results.map((result, index) => (
            // Results are identified only by their position.
            <li key={index} className="truncate">
              {JSON.stringify(result).slice(0, LINE_CHARACTERS)}
            </li>
          ))}
        </ol>
      )}
    </div>
  )
}

function useOutcome(step: Step): StepOutcome | null {
  const tried = useAssist((state) => state.tried)
  const source = useAssist((state) => state.source)
  const turns = useAssist((state) => state.turns)
  const loops = useAssist((state) => state.loops[`${step.ref_id}|`])
  const runId = useRunPanel((state) => state.run?.id ?? null)
  const endedAt = useRunPanel((state) => state.run?.finished_at ?? null)
  const alone = useRunPanel((state) => state.alone)
  const pins = useRunPanel((state) => state.pins)
  const overs = useEditor((state) => oversAround(state.history?.present.steps ?? [], step.ref_id))
  const [outcome, setOutcome] = useState<StepOutcome | null>(null)
  const { ref_id: refId, type, config, cases } = step
  useEffect(() => {
    const controller = new AbortController()
    async function show(): Promise<void> {
      const next = await tried({ ref_id: refId, type, config, cases }, controller.signal)
      if (!controller.signal.aborted) setOutcome(next)
    }
    // This fails only if it is aborted because the text changed.
    const timer = setTimeout(() => void show().catch(() => undefined), TYPING_MS)
    return () => {
      clearTimeout(timer)
      controller.abort()
    }
    // oxlint-disable-next-line react/exhaustive-effect-dependencies
  }, [tried, refId, type, config, cases, source, turns, loops, runId, endedAt, alone, pins, overs])
  return outcome
}

function sentenceOf(
  type: string,
  { branch, label, count, looked_at: lookedAt, result_count: results }: StepOutcome,
): string {
  if (branch === 'case') return t('Goes to the case “{{label}}”', { label: label ?? '' })
  if (branch === 'then') return t('Goes to “then”')
  if (branch === 'else') return t('Goes to “else”')
  if (branch === 'default') return t('Goes to “otherwise”: no case matches')
  const given = {
    results: formatCount(results ?? 0),
    count: formatCount(count ?? 0),
    looked: formatCount(lookedAt ?? 0),
  }
  const isPart = count !== null && lookedAt !== null && lookedAt < count
  if (type === 'filter') {
    if (count === null) return t('{{results}} kept', given)
    return isPart
      ? t('{{results}} of the first {{looked}} kept, out of {{count}} in the list', given)
      : t('{{results}} of {{count}} kept', given)
  }
  return isPart ? t('First results, from the first {{looked}} of {{count}}', given) : t('First results')
}
