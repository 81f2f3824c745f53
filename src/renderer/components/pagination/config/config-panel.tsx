import { Sparkles, ListTree } from '../../../lib/icons.tsx'
import { lazy, Suspense, useEffect, useMemo, useRef } from 'react'
import { Button } from '../../controls/button.tsx'
import { CONTROL_CLASS } from '../../controls/field.tsx'
import { cx } from '../../../lib/cx.ts'
import { t } from '../../../lib/i18n.ts'
import { parseJson } from '../../../lib/json.ts'
import { entriesOf, putConfig, writeConfig } from '../state/config-text.ts'
import { usePagination, useCallConnector } from '../state/pagination-store.ts'
import type { ResponseSample } from './config-completion.ts'
import type { EditorHandle } from './config-editor.tsx'
import { EntryList } from './entry-list.tsx'
import { ProblemList } from './problem-list.tsx'
import { placeProblems } from './problem-places.ts'
import { SuggestionList } from './suggestion-list.tsx'
import { Menu } from '../../controls/menu.tsx'
import { PRESETS } from './presets.ts'

const ConfigEditor = lazy(() =>
  import('./config-editor.tsx').then((module) => ({ default: module.ConfigEditor })),
)

const CHECK_AFTER_MS = 250

/** The configuration as JSON, with everything that helps to write it; suggestions need a call that can be sent. */
export function ConfigPanel({ canCall = true }: { readonly canCall?: boolean }) {
  const text = usePagination((state) => state.form.configText)
  const input = usePagination((state) => state.form.input)
  const changed = usePagination((state) => state.changed)
  const checked = usePagination((state) => state.checked)
  const problems = usePagination((state) => state.problems)
  const suggesting = usePagination((state) => state.suggesting)
  const suggested = usePagination((state) => state.suggested)
  const used = useUsedConfig()
  const sample = useResponseSample()
  const editor = useRef<EditorHandle>(null)
  const placed = useMemo(() => placeProblems(text, problems), [text, problems])
  const write = (configText: string) => changed({ configText })

  useEffect(() => {
    const timer = setTimeout(() => void checked(text, Object.keys(input)), CHECK_AFTER_MS)
    return () => clearTimeout(timer)
  }, [checked, text, input])

  return (
    <section
      data-help="pagination"
      aria-label={t('Configuration')}
      className="flex min-h-0 flex-1 flex-col gap-2"
    >
      <div className="flex flex-wrap items-center gap-x-1 gap-y-1">
        <h2 className="mr-auto text-sm font-semibold">{t('Configuration')}</h2>
        <PresetMenu onChoose={write} />
        <Button
          look="quiet"
          icon={Sparkles}
          className="h-6"
          busy={suggesting}
          disabled={!canCall}
          onClick={() => void suggested()}
        >
          {t('Suggest')}
        </Button>
      </div>
      <SuggestionList onApply={(config) => write(putConfig(text, config, used))} />
      <div
        className={cx(
          CONTROL_CLASS,
          'h-[max(16rem,36vh)] min-h-40 shrink-0 resize-y overflow-hidden px-0 focus-within:border-accent',
        )}
      >
        <Suspense
          fallback={<pre className="overflow-hidden px-2 py-1 text-sm whitespace-pre-wrap">{text}</pre>}
        >
          <ConfigEditor ref={editor} value={text} onChange={write} problems={placed} sample={sample} />
        </Suspense>
      </div>
      <ProblemList text={text} problems={placed} onGo={(from) => editor.current?.goTo(from)} />
      <EntryList text={text} used={used} onChange={write} onGo={(offset) => editor.current?.goTo(offset)} />
    </section>
  )
}

/** The first successful response of the last test, for the editor's completion. */
function useResponseSample(): ResponseSample | null {
  const attempt = usePagination(({ progress: { pages } }) => pages[0]?.attempts.at(-1))
  const body = attempt?.body ?? null
  const headers = attempt?.response?.headers
  return useMemo(() => {
    if (body === null || body.truncated) return null
    try {
      return { body: parseJson(body.text), headers: headers ?? {} }
    } catch {
      return null
    }
  }, [body, headers])
}

/** Position of the configuration that the pages of the last test were fetched with, wherever it is now. */
function useUsedConfig(): number | null {
  const text = usePagination((state) => state.form.configText)
  const ran = usePagination((state) => state.ran?.configText ?? '')
  const used = usePagination(({ progress: { pages } }) => {
    const planned = pages.find(({ plan }) => plan !== null && plan.config_index !== null)
    return planned?.plan?.config_index ?? null
  })
  return useMemo(() => {
    const entry = used === null ? undefined : entriesOf(ran)[used]
    const at = entry === undefined ? -1 : entriesOf(text).findIndex(({ when }) => when === entry.when)
    return at === -1 ? null : at
  }, [text, ran, used])
}

/** Configurations to start from: the connector's own, and the eight usual styles. */
function PresetMenu({ onChoose }: { readonly onChoose: (configText: string) => void }) {
  const connector = useCallConnector()
  const own = connector?.pagination_config ?? null
  return (
    <Menu
      trigger={
        <Button look="quiet" icon={ListTree} className="h-6">
          {t('Presets')}
        </Button>
      }
      groups={[
        ...(connector === null || own === null
          ? []
          : [
              [
                {
                  label: t('Configuration of {{name}}', { name: connector.name }),
                  hint: t('As saved'),
                  onSelect: () => onChoose(writeConfig(own)),
                },
              ],
            ]),
        PRESETS.map(({ label, hint, config }) => ({
          label: t(label),
          hint: t(hint),
          onSelect: () => onChoose(writeConfig(config)),
        })),
      ]}
    />
  )
}
