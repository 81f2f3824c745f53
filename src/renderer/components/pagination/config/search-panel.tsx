import { Sparkles } from '../../../lib/icons.tsx'
import { useState } from 'react'
import { tryConnectorRoute } from '../../../../shared/contract/action-tries.ts'
import { asAppError, wordsOf } from '../../../api/failure.ts'
import { useApi } from '../../../api/provider.tsx'
import { t } from '../../../lib/i18n.ts'
import { JsonField } from '../../code/json-field.tsx'
import { Button } from '../../controls/button.tsx'
import { Field, TextArea, TextInput } from '../../controls/field.tsx'
import { Select } from '../../controls/select.tsx'
import { TabList, TabPanels, TabsRoot } from '../../controls/tabs.tsx'
import { readConfigText, writeConfig } from '../state/config-text.ts'
import { usePagination } from '../state/pagination-store.ts'
import { callOf, placeOf } from '../state/test-form.ts'
import { readSearch, type SearchFields, searchFrom, writeSearch } from './search-fields.ts'

/** A search configuration as a form or as JSON, suggested from the list of an action. */
export function SearchPanel({ canCall }: { readonly canCall: boolean }) {
  const text = usePagination((state) => state.form.configText)
  const changed = usePagination((state) => state.changed)
  const [view, setView] = useState<'form' | 'json'>('form')
  const read = readConfigText(text)
  const config = 'value' in read ? read.value : null
  const fields = readSearch(config)
  const shown = fields === null ? 'json' : view
  const write = (value: unknown) => changed({ configText: writeConfig(value) })
  const tabs = [
    {
      value: 'form',
      label: t('Form'),
      content:
        fields === null ? null : (
          <SearchForm fields={fields} onChange={(next) => write(writeSearch(config, next))} />
        ),
    },
    {
      value: 'json',
      label: 'JSON',
      content: <JsonField label={t('Search configuration')} value={config} onChange={write} />,
    },
  ] as const
  return (
    <section aria-label={t('Configuration')} className="flex shrink-0 flex-col">
      <TabsRoot value={shown} onChange={setView} className="gap-3">
        <div className="flex flex-wrap items-center gap-1">
          <h2 className="mr-auto font-semibold">{t('Configuration')}</h2>
          <Suggest canCall={canCall} onSuggest={write} />
          <TabList look="segments" label={t('Edit as')} tabs={tabs} />
        </div>
        <p className="text-muted">
          {t('Finds the records for look-up fields that don’t name a list action.')}
        </p>
        <TabPanels tabs={tabs} />
      </TabsRoot>
    </section>
  )
}

interface SearchFormProps {
  readonly fields: SearchFields
  readonly onChange: (fields: SearchFields) => void
}

function SearchForm({ fields, onChange }: SearchFormProps) {
  const set = (patch: Partial<SearchFields>) => onChange({ ...fields, ...patch })
  return (
    <div className="flex flex-col gap-3">
      <Field label={t('Who searches')}>
        <Select
          value={fields.type}
          onChange={(type) => set({ type })}
          options={[
            { value: 'none', label: t('None') },
            { value: 'list', label: t('Millrace searches the list'), hint: t('The API returns all records') },
            { value: 'search', label: t('The API searches'), hint: t('The query contains {{ q }}') },
          ]}
        />
      </Field>
      {fields.type === 'none' ? null : (
        <>
          <div className="grid grid-cols-2 gap-3 max-sm:grid-cols-1">
            <Field
              label={t('Path')}
              hint={t('Leave empty to use the path of the action with the look-up field')}
            >
              <TextInput mono value={fields.endpoint} onChange={(endpoint) => set({ endpoint })} />
            </Field>
            <Field label={t('Records path')} hint={t('Leave empty if the response is the list')}>
              <TextInput
                mono
                value={fields.records}
                onChange={(records) => set({ records })}
                placeholder="$"
              />
            </Field>
          </div>
          <Field label={t('Query')} hint={t('JSON with templates, such as {{ q }} for the search text')}>
            <TextArea mono rows={2} value={fields.query} onChange={(query) => set({ query })} />
          </Field>
          <div className="grid grid-cols-2 gap-3 max-sm:grid-cols-1">
            <Field label={t('ID in the record')} hint={t('Leave empty to find it by its name')}>
              <TextInput mono value={fields.id} onChange={(id) => set({ id })} placeholder="$.id" />
            </Field>
            <Field label={t('Name in the record')} hint={t('Leave empty to find it by its name')}>
              <TextInput mono value={fields.name} onChange={(name) => set({ name })} placeholder="$.name" />
            </Field>
          </div>
          {fields.others.length === 0 ? null : (
            <p className="break-words text-muted">
              {t('Other settings, which are kept: {{others}}', { others: fields.others.join(', ') })}
            </p>
          )}
        </>
      )}
    </div>
  )
}

interface SuggestProps {
  readonly canCall: boolean
  readonly onSuggest: (config: unknown) => void
}

/** Reads the first page of the chosen action, and suggests a search based on the list in its response. */
function Suggest({ canCall, onSuggest }: SuggestProps) {
  const api = useApi()
  const { unsaved, action: name, authId } = usePagination((state) => state.form)
  const [isBusy, setBusy] = useState(false)
  const [problem, setProblem] = useState<string | null>(null)
  const action = unsaved?.actions.find((one) => one.name === name)

  async function suggest() {
    if (action === undefined || unsaved === null) return
    const { connector } = unsaved
    setBusy(true)
    setProblem(null)
    try {
      const { ok, message, output } = await api.call(tryConnectorRoute, {
        params: { id: connector.id },
        body: {
          auth_id: authId === '' ? null : authId,
          input: {},
          action: { ...callOf(action), supports_automatic_pagination: false },
          connector: placeOf(connector),
        },
      })
      const found = ok ? searchFrom(action, connector.pagination_config, output) : null
      if (found === null) setProblem(ok ? t('No list in the response') : message)
      else onSuggest(found)
    } catch (error) {
      setProblem(wordsOf(asAppError(error)))
    } finally {
      setBusy(false)
    }
  }

  return (
    <>
      {problem === null ? null : (
        <p role="alert" className="w-full min-w-0 break-words text-error">
          {problem}
        </p>
      )}
      <Button
        look="quiet"
        icon={Sparkles}
        className="h-6"
        busy={isBusy}
        disabled={!canCall || action?.method !== 'GET' || action.endpoint.includes('{')}
        onClick={() => void suggest()}
      >
        {t('Suggest')}
      </Button>
    </>
  )
}
