import { Sparkles, ListTree } from '../../../lib/icons.tsx'
import { lazy, Suspense, useEffect, useMemo, useRef, useState } from 'react'
import { Button } from '../../controls/button.tsx'
import { CONTROL_CLASS, Field } from '../../controls/field.tsx'
import { Select } from '../../controls/select.tsx'
import { TabList, TabPanels, TabsRoot } from '../../controls/tabs.tsx'
import { cx } from '../../../lib/cx.ts'
import { t } from '../../../lib/i18n.ts'
import { parseJson } from '../../../lib/json.ts'
import { type ConfigFields, readFields } from '../state/config-fields.ts'
import { entriesOf, partAt, putConfig, putPart, readConfigText, writeConfig } from '../state/config-text.ts'
import { usePagination, useCallConnector } from '../state/pagination-store.ts'
import type { ResponseSample } from './config-completion.ts'
import type { EditorHandle } from './config-editor.tsx'
import { ConfigForm } from './config-form.tsx'
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

/** A configuration as a form or as JSON, with everything that helps to write it; suggestions need a call that can be sent. */
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
  const [view, setView] = useState<'form' | 'json'>('form')
  /** The fields that the text was written from, because they can't be parsed back from a half-typed expression. */
  const [typed, setTyped] = useState<{ readonly text: string; readonly fields: ConfigFields } | null>(null)
  const call = usePagination(({ form }) => `${form.connectorId} ${form.action}`)
  /** Belongs to one call, because another call has other configurations. */
  const [chosen, setChosen] = useState<{ readonly call: string; readonly at: number } | null>(null)
  const entries = useMemo(() => listedIn(text), [text])
  const at =
    entries === null ? null : Math.min((chosen?.call === call ? chosen.at : used) ?? 0, entries.length - 1)
  const part = partAt(text, at)
  const read = useMemo(() => fieldsOf(part), [part])
  const fields = typed?.text === part ? typed.fields : 'why' in read ? null : read
  const shown = fields === null ? 'json' : view
  const write = (configText: string) => changed({ configText })

  useEffect(() => {
    const timer = setTimeout(() => void checked(text, Object.keys(input)), CHECK_AFTER_MS)
    return () => clearTimeout(timer)
  }, [checked, text, input])

  const problemList = (
    <ProblemList
      text={text}
      problems={placed}
      onGo={(from) => {
        setView('json')
        editor.current?.goTo(from)
      }}
    />
  )
  const tabs = [
    {
      value: 'form',
      label: t('Form'),
      content:
        fields === null ? null : (
          <div className="flex flex-col gap-2">
            <ConfigForm
              key={at}
              text={part}
              fields={fields}
              sample={sample}
              onChange={(next, changedPart) => {
                const configText = putPart(text, at, changedPart)
                setTyped({ text: partAt(configText, at), fields: next })
                write(configText)
              }}
            />
            {placed.length === 0 ? null : problemList}
          </div>
        ),
    },
    {
      value: 'json',
      label: 'JSON',
      content: (
        <div className="flex flex-col gap-2">
          {'why' in read && fields === null ? <p className="text-muted">{read.why}</p> : null}
          <div
            className={cx(
              CONTROL_CLASS,
              'h-[max(16rem,36vh)] min-h-40 shrink-0 resize-y overflow-hidden px-0 focus-within:border-accent',
            )}
          >
            <Suspense
              fallback={<pre className="overflow-hidden px-2 py-1 text-code whitespace-pre-wrap">{text}</pre>}
            >
              <ConfigEditor ref={editor} value={text} onChange={write} problems={placed} sample={sample} />
            </Suspense>
          </div>
          {problemList}
          <EntryList
            text={text}
            used={used}
            onChange={write}
            onGo={(offset) => editor.current?.goTo(offset)}
          />
        </div>
      ),
    },
  ] as const
  return (
    <section data-help="pagination" aria-label={t('Configuration')} className="flex shrink-0 flex-col">
      <TabsRoot value={shown} onChange={setView} className="gap-3">
        <div className="flex flex-wrap items-center gap-x-1 gap-y-1">
          <h2 className="mr-auto font-semibold">{t('Configuration')}</h2>
          {shown === 'json' ? <PresetMenu onChoose={write} /> : null}
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
          <TabList look="segments" label={t('Edit as')} tabs={tabs} />
        </div>
        <SuggestionList text={text} onApply={(config) => write(putConfig(text, config, used))} />
        {entries === null || at === null || view === 'json' ? null : (
          <Field label={t('Configuration')} hint={t('The first one whose condition is true is used.')}>
            <Select
              value={String(at)}
              onChange={(next) => {
                setTyped(null)
                setChosen({ call, at: Number(next) })
              }}
              options={entries.map(({ when }, index) => ({
                value: String(index),
                label: `${index + 1}: ${when ?? t('matches everything else')}`,
              }))}
            />
          </Field>
        )}
        <TabPanels tabs={tabs} />
      </TabsRoot>
    </section>
  )
}

/** The configurations of a list; null for a single one, and for anything else. */
function listedIn(text: string): ReturnType<typeof entriesOf> | null {
  const read = readConfigText(text)
  if (!('value' in read) || !Array.isArray(read.value)) return null
  const entries = entriesOf(text)
  return entries.length === 0 || entries.length < read.value.length ? null : entries
}

function fieldsOf(text: string): ReturnType<typeof readFields> {
  const read = readConfigText(text)
  return 'value' in read ? readFields(read.value) : { why: t('Correct the JSON to see it as a form.') }
}

/** The first response of the last test, otherwise the one that suggestions are based on. */
function useResponseSample(): ResponseSample | null {
  const suggested = usePagination(({ found }) => found?.body.response ?? null)
  const attempt = usePagination(({ progress: { pages } }) => pages[0]?.attempts.at(-1))
  const body = attempt?.body ?? null
  const headers = attempt?.response?.headers
  return useMemo(() => {
    const before =
      suggested === null
        ? null
        : { body: suggested.body ?? null, headers: suggested.headers as ResponseSample['headers'] }
    if (body === null || body.truncated) return before
    try {
      return { body: parseJson(body.text), headers: headers ?? {} }
    } catch {
      return before
    }
  }, [body, headers, suggested])
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

/** Configurations to start from: the connector's own, and eight common styles. */
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
