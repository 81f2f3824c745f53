import { useNavigate } from '@tanstack/react-router'
import { useState } from 'react'
import {
  type ConnectorImportPlan,
  importConnectorRoute,
  planImportRoute,
} from '../../../shared/contract/connector-imports.ts'
import { CONNECTORS } from '../../api/lists.ts'
import { useApi } from '../../api/provider.tsx'
import { cached } from '../../api/resource.ts'
import { Button } from '../../components/controls/button.tsx'
import { Dialog } from '../../components/screen/dialog.tsx'
import { ErrorNotice } from '../../components/screen/error-notice.tsx'
import { ImportDialog, type ShownPlan } from '../../components/imports/import-dialog.tsx'
import { Field, TextInput } from '../../components/controls/field.tsx'
import { announce } from '../../components/screen/toast.tsx'
import { plural } from '../../lib/format.ts'
import { english, t, translateMessage } from '../../lib/i18n.ts'
import { toPath } from './path-parameters.ts'

const FORMATS = {
  curl: 'curl',
  openapi: 'OpenAPI',
  postman: 'Postman',
  millrace: english('a Millrace file'),
} as const

/** Imports another tool's description of an API as a connector, after a preview. */
export function ImportConnectorDialog({ onClose }: { readonly onClose: () => void }) {
  const navigate = useNavigate()
  const api = useApi()

  async function make(file: ConnectorImportPlan['file']) {
    const connector = await cached(api, CONNECTORS)
      .getState()
      .after(api.call(importConnectorRoute, { body: file }))
    announce(
      t('“{{name}}” created with {{actions}}', {
        name: connector.name,
        actions: plural(file.actions.length, 'action'),
      }),
    )
    await navigate({ to: '/connectors/$connectorId', params: { connectorId: connector.id } })
  }

  return (
    <ImportDialog
      title={t('Import connector')}
      list="connectors"
      label={t(
        'curl commands, OpenAPI 3 or Swagger 2 (JSON or YAML), a Postman collection or an exported connector',
      )}
      hint={t('Credentials in it are never imported. Save them in a connector auth afterward.')}
      planImport={(source) => api.call(planImportRoute, { body: { source } })}
      onClose={onClose}
    >
      {({ onMake, ...shown }) => <PlanDialog {...shown} onMake={(file) => onMake(() => make(file))} />}
    </ImportDialog>
  )
}

type PlanDialogProps = Omit<ShownPlan<ConnectorImportPlan>, 'onMake'> & {
  readonly onMake: (file: ConnectorImportPlan['file']) => void
}

function PlanDialog({ plan, busy, failure, onBack, onMake, onClose }: PlanDialogProps) {
  const { file, left_out: leftOut, notes, source_format: format } = plan
  const [name, setName] = useState(file.connector.name)
  const [left, setLeft] = useState<ReadonlySet<string>>(new Set())
  const chosen = file.actions.filter((action) => !left.has(action.name))
  const toggle = (action: string) =>
    setLeft((before) => {
      const after = new Set(before)
      if (!after.delete(action)) after.add(action)
      return after
    })

  return (
    <Dialog
      open
      wide
      title={t('Preview')}
      onClose={onClose}
      actions={
        <>
          <Button onClick={onBack}>{t('Back')}</Button>
          <Button
            look="primary"
            busy={busy}
            onClick={() => {
              const connector = { ...file.connector, name }
              // Otherwise the first credentials would be stored without a test.
              const test_action = connector.test_action ?? testActionOf(chosen)
              onMake({ ...file, connector: { ...connector, test_action }, actions: chosen })
            }}
          >
            {t('Create connector with {{actions}}', { actions: plural(chosen.length, 'action') })}
          </Button>
        </>
      }
    >
      <div className="flex flex-col gap-4">
        <Field
          label={t('Name')}
          hint={t('Source: {{format}}. Requests go to {{baseDomain}}.', {
            format: t(FORMATS[format]),
            baseDomain: file.connector.base_domain || t('no URL yet'),
          })}
        >
          <TextInput value={name} onChange={setName} />
        </Field>
        {failure === null ? null : <ErrorNotice error={failure} title={t('Couldn’t create connector')} />}
        <div
          className="max-h-72 overflow-auto rounded border border-line"
          role="group"
          aria-label={t('Actions to create')}
        >
          {file.actions.map((action) => (
            <label
              key={action.name}
              className="flex items-center gap-3 border-b border-line px-3 py-1.5 last:border-b-0"
            >
              <input type="checkbox" checked={!left.has(action.name)} onChange={() => toggle(action.name)} />
              <span className="min-w-0 flex-1 truncate">{action.title || action.name}</span>
              <code className="min-w-0 flex-1 truncate text-code text-muted">
                {action.method} {toPath(action.endpoint)}
              </code>
            </label>
          ))}
        </div>
        <Lines
          title={t('Skipped: {{items}}', { items: plural(leftOut.length, 'item') })}
          about={t('Reason')}
          lines={leftOut.map((one) => [one.item, translateMessage(one.reason, one)])}
        />
        <Lines
          title={t('Notes')}
          about={t('Note')}
          lines={notes.map((one) => [one.item, translateMessage(one.note, one)])}
        />
      </div>
    </Dialog>
  )
}

interface LinesProps {
  readonly title: string
  /** Header of the second column. */
  readonly about: string
  readonly lines: readonly (readonly [item: string, about: string])[]
}

function Lines({ title, about, lines }: LinesProps) {
  if (lines.length === 0) return null
  return (
    <details open={lines.length <= 10}>
      <summary className="font-medium">{title}</summary>
      <table className="mt-2 w-full">
        <thead>
          <tr className="text-left text-muted">
            <th className="py-1 pr-4 font-medium">{t('Item')}</th>
            <th className="py-1 font-medium">{about}</th>
          </tr>
        </thead>
        <tbody>
          {lines.map(([item, text], index) => (
            // The list never changes, and items may repeat.
            <tr key={index} className="border-t border-line align-top">
              <td className="py-1 pr-4 break-all">
                <code>{item}</code>
              </td>
              <td className="py-1 text-muted">{text}</td>
            </tr>
          ))}
        </tbody>
      </table>
    </details>
  )
}

/** A call that reads and needs no input, preferably the one that says whose credentials they are. */
function testActionOf(actions: ConnectorImportPlan['file']['actions']): string | null {
  const safe = actions.filter(
    ({ method, name, endpoint, ui_form_schema: form }) =>
      method === 'GET' &&
      !endpoint.includes('{{') &&
      !HAS_EFFECT.test(name) &&
      !(form ?? []).some((field) => field['required'] === true),
  )
  const own = safe.find(({ endpoint }) => IS_OWN.test(endpoint)) ?? safe[0]
  return own?.name ?? null
}

const IS_OWN = /(?:^|\/)(?:me|self|whoami|account|profile|current[_-]?user|user)\/?$/i
/** Some APIs have side effects on GET. */
const HAS_EFFECT = /log_?out|sign_?out|revoke|delete|remove|export|download/i
