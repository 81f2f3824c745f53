import { useNavigate } from '@tanstack/react-router'
import type { ReactNode } from 'react'
import {
  type FlowImportPlan,
  importFlowRoute,
  planFlowImportRoute,
} from '../../../../shared/contract/flow-files.ts'
import { FLOWS } from '../../../api/lists.ts'
import { useApi } from '../../../api/provider.tsx'
import { cached } from '../../../api/resource.ts'
import { Button } from '../../../components/controls/button.tsx'
import { Dialog } from '../../../components/screen/dialog.tsx'
import { ErrorNotice } from '../../../components/screen/error-notice.tsx'
import { ImportDialog } from '../../../components/imports/import-dialog.tsx'
import { announce } from '../../../components/screen/toast.tsx'
import { plural } from '../../../lib/format.ts'
import { t, translateMessage } from '../../../lib/i18n.ts'

/** Imports flows from a Millrace or n8n file, after a preview of what would be created, called and read. */
export function ImportFlowDialog({ onClose }: { readonly onClose: () => void }) {
  const navigate = useNavigate()
  const api = useApi()

  async function make(file: FlowImportPlan['file']) {
    const flow = await cached(api, FLOWS)
      .getState()
      .after(api.call(importFlowRoute, { body: file }))
    announce(t('“{{name}}” imported as a draft', { name: flow.name }))
    await navigate({ to: '/flows/$flowId', params: { flowId: flow.id } })
  }

  return (
    <ImportDialog
      title={t('Import flows')}
      list="flows"
      label={t('A flow exported from Millrace, or an n8n workflow')}
      hint={t('Review hosts and templates before importing. Credentials are never imported.')}
      planImport={(source) => api.call(planFlowImportRoute, { body: { source } })}
      onClose={onClose}
    >
      {({ plan, busy, failure, onBack, onMake, onClose: close }) => (
        <Dialog
          open
          wide
          title={t('Preview')}
          onClose={close}
          actions={
            <>
              <Button onClick={onBack}>{t('Back')}</Button>
              <Button
                look="primary"
                busy={busy}
                disabled={plan.problems.length > 0}
                onClick={() => onMake(() => make(plan.file))}
              >
                {t('Import as drafts')}
              </Button>
            </>
          }
        >
          <div className="flex flex-col gap-4">
            {failure === null ? null : <ErrorNotice error={failure} title={t('Couldn’t import flow')} />}
            <PlanView plan={plan} />
          </div>
        </Dialog>
      )}
    </ImportDialog>
  )
}

/** Everything the importing user should know. */
function PlanView({ plan }: { readonly plan: FlowImportPlan }) {
  const { file, addresses, variables, without_auth: withoutAuth, templates, notes, problems } = plan
  const hosts = [...new Set(addresses.map(({ address }) => address))]
  return (
    <>
      {problems.length === 0 ? null : (
        <Part title={t('Blocking')} count={problems.length}>
          <ul className="flex flex-col gap-1 text-error">
            {problems.map((problem) => (
              <li key={problem}>{problem}</li>
            ))}
          </ul>
        </Part>
      )}
      <Part title={t('Flows')} count={file.flows.length}>
        <ul className="flex flex-col gap-1">
          {file.flows.map((flow) => (
            <li key={flow.id} className="flex gap-3">
              <span className="min-w-0 flex-1 truncate font-medium">{flow.name}</span>
              <span className="text-muted">{plural(flow.steps.length, 'step')}</span>
            </li>
          ))}
        </ul>
      </Part>
      <Part title={t('Hosts')} count={hosts.length}>
        <Codes texts={hosts} />
      </Part>
      <Part title={t('Connector auths to select')} count={withoutAuth.length}>
        <Codes texts={withoutAuth.map(({ ref_id: ref }) => ref)} />
      </Part>
      <Part title={t('Variables')} count={variables.length}>
        <ul className="flex flex-col gap-1">
          {variables.map(({ name, is_there: isThere, is_made: isMade }) => (
            <li key={name} className="flex gap-3">
              <code className="min-w-0 flex-1">{name}</code>
              <span className="text-muted">
                {isThere ? t('exists') : isMade ? t('will be created') : t('missing')}
              </span>
            </li>
          ))}
        </ul>
      </Part>
      <Part title={t('Needs review')} count={notes.length}>
        <ul className="flex max-h-72 flex-col gap-1 overflow-auto">
          {notes.map(({ node, ref_id: ref, field, ...note }, index) => (
            // The list never changes.
            <li key={index}>
              <span className="font-medium">{node}</span>{' '}
              {ref === null ? null : (
                <code className="text-muted">
                  {field === null ? ref : `${ref}.${field.replace('config.', '')}`}
                </code>
              )}{' '}
              {translateMessage(note.message, note)}
            </li>
          ))}
        </ul>
      </Part>
      <Part title={t('Templates')} count={templates.length} closed>
        <ul className="flex max-h-72 flex-col gap-1 overflow-auto">
          {templates.map(({ flow, ref_id: ref, field, template }) => (
            <li key={`${flow}/${ref}/${field}`} className="flex gap-3">
              <code className="w-48 shrink-0 truncate text-muted">{`${ref}.${field.replace('config.', '')}`}</code>
              <code className="min-w-0 flex-1 break-all">{template}</code>
            </li>
          ))}
        </ul>
      </Part>
    </>
  )
}

interface PartProps {
  readonly title: string
  readonly count: number
  readonly closed?: boolean
  readonly children: ReactNode
}

function Part({ title, count, closed = false, children }: PartProps) {
  if (count === 0) return null
  return (
    <details open={!closed} className="rounded border border-line px-3 py-2">
      <summary className="font-medium">
        {title} <span className="text-muted tabular-nums">({count})</span>
      </summary>
      <div className="pt-2">{children}</div>
    </details>
  )
}

function Codes({ texts }: { readonly texts: readonly string[] }) {
  return (
    <ul className="flex flex-wrap gap-2">
      {[...new Set(texts)].map((text) => (
        <li key={text}>
          <code className="rounded bg-sunken px-1.5 py-0.5 text-code break-all">{text}</code>
        </li>
      ))}
    </ul>
  )
}
