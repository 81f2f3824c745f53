import { useNavigate } from '@tanstack/react-router'
import { Save } from '../../lib/icons.tsx'
import { useState } from 'react'
import type { Action, Connector } from '../../../shared/contract/connectors.ts'
import type { AppError } from '../../../shared/contract/base/errors.ts'
import { asAppError } from '../../api/failure.ts'
import { Button } from '../../components/controls/button.tsx'
import { Field, TextInput } from '../../components/controls/field.tsx'
import { Dialog } from '../../components/screen/dialog.tsx'
import { ErrorNotice } from '../../components/screen/error-notice.tsx'
import { announce } from '../../components/screen/toast.tsx'
import { cx } from '../../lib/cx.ts'
import { t, translateConnectorText } from '../../lib/i18n.ts'
import { diffLines } from '../../lib/line-diff.ts'
import { readConfigText, writeConfig } from '../../components/pagination/state/config-text.ts'
import {
  useCallActions,
  useCallConnector,
  usePagination,
} from '../../components/pagination/state/pagination-store.ts'
import { savedConfig, type SaveWish } from '../../components/pagination/state/save-config.ts'

interface SaveDialogProps {
  readonly onClose: () => void
}

/** Asks where a configuration should be saved, and shows what changes there. */
export function SaveDialog({ onClose }: SaveDialogProps) {
  const form = usePagination((state) => state.form)
  const target = useCallConnector()
  const action = useCallActions().find(({ name }) => name === form.action) ?? null
  const saved = usePagination((state) => state.saved)
  const navigate = useNavigate()
  const [wanted, setWanted] = useState<SaveWish['scope']>('connector')
  const [typed, setTyped] = useState<string | null>(null)
  const [state, setState] = useState<{ busy: boolean; failure: AppError | null }>({
    busy: false,
    failure: null,
  })

  const scope: SaveWish['scope'] = target === null ? 'new' : wanted
  const name = typed ?? (target === null ? hostOf(form.baseUrl) : `${target.name} (copy)`)
  const asksName = target === null || target.built_in
  const read = readConfigText(form.configText)
  const problem = 'problem' in read ? t('Invalid JSON in the configuration') : null

  const config = 'value' in read ? read.value : null
  const before = target === null ? null : writeConfig(target.pagination_config)
  const after = target === null ? null : writeConfig(savedConfig({ scope }, target, action, config))
  const isSame = before !== null && before === after && action?.supports_automatic_pagination !== false

  async function save() {
    setState({ busy: true, failure: null })
    try {
      const connectorSaved = await saved({ scope, name: name.trim() })
      const { id: connectorId } = connectorSaved
      // Toasts are outside of the router, so its links don't work there.
      const open = () =>
        void navigate({ to: '/connectors/$connectorId', params: { connectorId }, search: { view: 'paging' } })
      announce(
        t('Saved to “{{name}}”', { name: connectorSaved.name }),
        <Button onClick={open}>{t('Open connector')}</Button>,
      )
      onClose()
      const place = { connector: connectorId, ...(action === null ? {} : { action: action.name }) }
      await navigate({ to: '/pagination', search: place, replace: true })
    } catch (error) {
      setState({ busy: false, failure: asAppError(error) })
    }
  }

  return (
    <Dialog
      open
      wide
      title={
        target === null
          ? t('Save as new connector')
          : target.built_in
            ? t('Save to a copy of {{name}}', { name: target.name })
            : t('Save to {{name}}', { name: target.name })
      }
      onClose={onClose}
      actions={
        <>
          <Button onClick={onClose}>{t('Keep here')}</Button>
          <Button
            look="primary"
            busy={state.busy}
            disabled={problem !== null || isSame || (asksName && name.trim() === '')}
            onClick={() => void save()}
          >
            {t('Save to connector')}
          </Button>
        </>
      }
    >
      <div className="flex flex-col gap-4">
        {state.failure === null ? null : (
          <ErrorNotice error={state.failure} title={t('Couldn’t save configuration')} />
        )}
        {problem === null ? null : <p className="text-error">{problem}</p>}
        {target?.built_in ? (
          <p className="text-muted">
            {t(
              '{{name}} is built in and read-only. The configuration is saved to a copy with all its actions.',
              { name: target.name },
            )}
          </p>
        ) : null}
        {asksName ? (
          <Field label={target === null ? t('Name') : t('Name of the copy')}>
            <TextInput value={name} onChange={setTyped} />
          </Field>
        ) : null}
        {target === null || action === null ? null : (
          <ScopeChoice scope={scope} connector={target} action={action} onChange={setWanted} />
        )}
        {before === null || after === null || problem !== null ? null : (
          <Changes before={before} after={after} />
        )}
      </div>
    </Dialog>
  )
}

interface ScopeChoiceProps {
  readonly connector: Connector
  readonly scope: SaveWish['scope']
  readonly action: Action
  readonly onChange: (scope: SaveWish['scope']) => void
}

function ScopeChoice({ scope, connector, action, onChange }: ScopeChoiceProps) {
  const choices = [
    ['connector', t('For all its actions'), t('Replaces its current configuration.')],
    [
      'action',
      t('Only for “{{title}}”', { title: translateConnectorText(action.title, connector) || action.name }),
      t('Adds it before the others, with a condition for its endpoint.'),
    ],
  ] as const
  return (
    <fieldset className="flex flex-col gap-1.5">
      <legend className="mb-1 font-medium">{t('Used')}</legend>
      {choices.map(([value, label, hint]) => (
        <label key={value} className="flex items-start gap-2">
          <input
            type="radio"
            name="scope"
            className="mt-1 accent-(--accent)"
            checked={scope === value}
            onChange={() => onChange(value)}
          />
          <span>
            {label}
            <span className="block text-sm text-muted">{hint}</span>
          </span>
        </label>
      ))}
    </fieldset>
  )
}

interface ChangesProps {
  readonly before: string
  readonly after: string
}

function Changes({ before, after }: ChangesProps) {
  const lines = before === after ? [] : diffLines(before, after)
  return (
    <div className="flex flex-col gap-1">
      <h3 className="font-medium">{t('Changes')}</h3>
      {lines.length === 0 ? (
        <p className="text-muted">{t('No changes: the connector already has this configuration.')}</p>
      ) : (
        <pre
          // oxlint-disable-next-line jsx-a11y/no-noninteractive-tabindex -- what scrolls must be reachable by keyboard
          tabIndex={0}
          aria-label={t('Changes to the connector')}
          className="max-h-64 overflow-auto rounded border border-line bg-sunken py-1.5 text-code break-all whitespace-pre-wrap"
        >
          {lines.map((line, index) => (
            // Lines are identified only by their position.
            <span key={index} className={cx('block px-3', LINE_LOOKS[line.kind])}>
              {LINE_SIGNS[line.kind]} {line.text}
            </span>
          ))}
        </pre>
      )}
    </div>
  )
}

const LINE_SIGNS = { same: ' ', added: '+', removed: '−' } as const
const LINE_LOOKS = {
  same: 'text-muted',
  added: 'bg-success-soft text-success',
  removed: 'bg-error-soft text-error',
} as const

function hostOf(address: string): string {
  return URL.parse(address)?.hostname ?? ''
}

/** Opens the dialog that saves the configuration. */
export function SaveButton() {
  const [open, setOpen] = useState(false)
  return (
    <>
      <Button look="quiet" icon={Save} onClick={() => setOpen(true)}>
        {t('Save to connector')}
      </Button>
      {open ? <SaveDialog onClose={() => setOpen(false)} /> : null}
    </>
  )
}
