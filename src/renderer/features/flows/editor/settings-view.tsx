import { useNavigate } from '@tanstack/react-router'
import { Trash2 } from '../../../lib/icons.tsx'
import { useState } from 'react'
import { deleteFlowRoute } from '../../../../shared/contract/flows.ts'
import type { Flow, FlowSettings } from '../../../../shared/contract/flows.ts'
import { useFlowsByName } from '../../../api/lists.ts'
import { useApi } from '../../../api/provider.tsx'
import { Button } from '../../../components/controls/button.tsx'
import { ConfirmDialog } from '../../../components/screen/confirm-dialog.tsx'
import { Field, Switch, TextArea, TextInput } from '../../../components/controls/field.tsx'
import { WebhookAddress } from '../../../components/runs/webhook-address.tsx'
import { Card, Column } from '../../../components/screen/page.tsx'
import { Select } from '../../../components/controls/select.tsx'
import { deleteWithUndo } from '../../../components/screen/toast.tsx'
import { t } from '../../../lib/i18n.ts'
import { type FlowDraft, isSame, toDraft } from '../model/draft.ts'
import { useEditor } from '../state/editor-context.tsx'
import { JsonField } from '../../../components/code/json-field.tsx'
import { DEFAULT_ALARMS } from '../../../../shared/contract/alarms.ts'
import { AlarmFields } from '../../../components/alarms/alarm-fields.tsx'
import { TestAlarm } from '../../../components/alarms/test-alarm.tsx'

/** Everything about a flow except its steps, saved with the same button. */
export function SettingsView({ draft }: { readonly draft: FlowDraft }) {
  const changed = useEditor((state) => state.changed)
  const errors = useEditor((state) => state.errors.others)
  const flow = useEditor((state) => state.flow)
  const tokenRotated = useEditor((state) => state.tokenRotated)
  const flows = useFlowsByName()
  const { settings } = draft
  const dirty = flow === null || !isSame(toDraft(flow), draft)
  const change = (patch: Partial<FlowDraft>, mark?: string) =>
    changed((before) => ({ ...before, ...patch }), mark)
  const set = (patch: Partial<FlowSettings>, mark?: string) =>
    change({ settings: { ...settings, ...patch } }, mark)

  return (
    <Column>
      <Card stacked title={t('Flow')}>
        <Field label={t('Name')} error={errors.name}>
          <TextInput value={draft.name} onChange={(name) => change({ name }, 'name')} />
        </Field>
        <Field label={t('Description')} optional error={errors.description}>
          <TextArea
            value={draft.description}
            onChange={(description) => change({ description }, 'description')}
          />
        </Field>
        <Field label={t('Tags')} optional hint={t('Comma-separated.')} error={errors.tags}>
          <TagsInput value={draft.tags} onChange={(tags) => change({ tags }, 'tags')} />
        </Field>
      </Card>
      <Card stacked title={t('Webhook')}>
        {flow === null ? null : <WebhookAddress flow={flow} onRotate={tokenRotated} />}
        <Switch
          label={t('Require a token')}
          hint={t('If off, anyone who knows the URL can start the flow.')}
          checked={settings.webhook_token_enabled}
          onChange={(webhook_token_enabled) => set({ webhook_token_enabled })}
        />
      </Card>
      <Card stacked title={t('Runs')}>
        <NumberField
          label={t('Max concurrent runs')}
          hint={t('Leave empty to use the global limit.')}
          value={settings.concurrency}
          error={errors['settings.concurrency']}
          onChange={(concurrency) => set({ concurrency }, 'concurrency')}
        />
        <NumberField
          label={t('Run timeout (seconds)')}
          value={settings.timeout_seconds}
          error={errors['settings.timeout_seconds']}
          onChange={(seconds) => set({ timeout_seconds: seconds ?? 0 }, 'timeout')}
        />
        <Switch
          label={t('Retry failed requests')}
          hint={t('Retries 429, 5xx and connection errors, and respects Retry-After.')}
          checked={settings.automatic_retries}
          onChange={(automatic_retries) => set({ automatic_retries })}
        />
        <Field
          label={t('Run name')}
          optional
          hint={t('A template, for example {{ web1.order_id }}. It helps you find runs in the list.')}
          error={errors['settings.dynamic_title']}
        >
          <TextInput
            mono
            value={settings.dynamic_title ?? ''}
            placeholder={t('Order {{ web1.order_id }}')}
            onChange={(title) => set({ dynamic_title: title === '' ? null : title }, 'title')}
          />
        </Field>
        <Field label={t('On failure, run flow')} optional error={errors['settings.error_handling_flow_id']}>
          <Select
            value={settings.error_handling_flow_id ?? NONE}
            onChange={(id) => set({ error_handling_flow_id: id === NONE ? null : id })}
            options={[
              { value: NONE, label: t('No flow') },
              ...flows
                .filter(({ id }) => id !== flow?.id)
                .map(({ id, name }) => ({ value: id, label: name })),
            ]}
          />
        </Field>
      </Card>
      <Card stacked title={t('Tests')}>
        <Switch
          label={t('Tests must pass before a version goes live')}
          hint={t('Otherwise, a failing test only leads to a warning.')}
          checked={settings.require_tests}
          onChange={(require_tests) => set({ require_tests })}
        />
      </Card>
      <AlarmsCard
        flowId={flow?.id ?? null}
        alarms={settings.alarms}
        dirty={dirty}
        errors={errors}
        onChange={(alarms) => set({ alarms }, 'alarms')}
      />
      <McpCard
        tool={settings.mcp_tool}
        errors={errors}
        onChange={(mcp_tool) => set({ mcp_tool }, 'mcp_tool')}
      />
      <Card stacked title={t('History')}>
        <NumberField
          label={t('Keep runs for (days)')}
          hint={t('0 deletes runs as soon as they finish.')}
          value={settings.data_retention_days}
          error={errors['settings.data_retention_days']}
          onChange={(days) => set({ data_retention_days: days ?? 0 }, 'retention')}
        />
        <Switch
          label={t('Log all steps')}
          hint={t('If off, only failed steps are kept.')}
          checked={settings.log_all_steps}
          onChange={(log_all_steps) => set({ log_all_steps })}
        />
        <Switch
          label={t('Record calls')}
          hint={t('Keeps whole calls, up to 3 MB per run, so that every run can become a test.')}
          checked={settings.record_calls}
          onChange={(record_calls) => set({ record_calls })}
        />
      </Card>
      {flow === null ? null : <DeleteFlow id={flow.id} name={draft.name} />}
    </Column>
  )
}

const NONE = 'none'

function DeleteFlow({ id, name }: Pick<Flow, 'id' | 'name'>) {
  const navigate = useNavigate()
  const api = useApi()
  const [asking, setAsking] = useState(false)
  return (
    <div>
      <Button icon={Trash2} needs={deleteFlowRoute} className="text-error" onClick={() => setAsking(true)}>
        {t('Delete flow')}
      </Button>
      <ConfirmDialog
        open={asking}
        title={t('Delete “{{name}}”?', { name })}
        action={t('Delete flow')}
        onClose={() => setAsking(false)}
        onConfirm={async () => {
          const text = t('Flow “{{name}}” deleted', { name })
          deleteWithUndo(api, deleteFlowRoute, { params: { id } }, { id, name, text })
          await navigate({ to: '/flows' })
        }}
      >
        {t(
          'This deletes the flow, all its versions and its run history. Its webhook will return 404. You can undo this for ten seconds.',
        )}
      </ConfirmDialog>
    </div>
  )
}

function TagsInput({
  value,
  onChange,
}: {
  readonly value: readonly string[]
  readonly onChange: (tags: string[]) => void
}) {
  const [text, setText] = useState(value.join(', '))
  return (
    <TextInput
      value={text}
      onChange={(next) => {
        setText(next)
        onChange(next.split(',').flatMap((tag) => (tag.trim() === '' ? [] : [tag.trim()])))
      }}
    />
  )
}

interface NumberFieldProps {
  readonly label: string
  readonly hint?: string
  readonly value: number | null
  readonly error: string | undefined
  readonly onChange: (value: number | null) => void
}

function NumberField({ label, hint, value, error, onChange }: NumberFieldProps) {
  return (
    <Field label={label} error={error} hint={hint}>
      <TextInput
        inputMode="numeric"
        className="w-40"
        value={value === null ? '' : String(value)}
        onChange={(text) => {
          const digits = text.replace(/\D/g, '')
          onChange(digits === '' ? null : Number(digits))
        }}
      />
    </Field>
  )
}

type McpTool = FlowSettings['mcp_tool']

interface McpCardProps {
  readonly tool: McpTool
  /** Keyed by their path: `settings.mcp_tool.input_schema`. */
  readonly errors: Readonly<Record<string, string | undefined>>
  readonly onChange: (tool: McpTool) => void
}

/** Whether AI clients see the flow as a tool, and the input they have to send. */
function McpCard({ tool, errors, onChange }: McpCardProps) {
  const path = Object.keys(errors).find((name) => name.startsWith('settings.mcp_tool'))
  return (
    <Card stacked title={t('AI clients')}>
      <Switch
        label={t('Offer as a tool')}
        hint={t(
          'AI clients see the flow with its name and description if the MCP server is turned on in Settings.',
        )}
        checked={tool !== null}
        onChange={(on) => onChange(on ? { input_schema: null } : null)}
      />
      {tool === null ? null : (
        <JsonField
          label={t('Input schema')}
          hint={t(
            'JSON Schema of the input, for example {"properties": {"order_id": {"type": "integer"}}, "required": ["order_id"]}. Leave empty to accept any object.',
          )}
          error={path === undefined ? undefined : errors[path]}
          value={tool.input_schema}
          onChange={(schema) => onChange({ input_schema: schema as NonNullable<McpTool>['input_schema'] })}
        />
      )}
    </Card>
  )
}

interface AlarmsCardProps {
  /** Null until the flow is stored. */
  readonly flowId: string | null
  readonly alarms: FlowSettings['alarms']
  readonly dirty: boolean
  /** Keyed by their path: `settings.alarms.flow_id`. */
  readonly errors: Readonly<Record<string, string | undefined>>
  readonly onChange: (alarms: FlowSettings['alarms']) => void
}

function AlarmsCard({ flowId, alarms, dirty, errors, onChange }: AlarmsCardProps) {
  const email = Object.keys(errors).find((path) => path.startsWith('settings.alarms.email_to'))
  return (
    <Card stacked title={t('Alarms')}>
      <Field
        label={t('Notify me')}
        hint={t(
          'You get alarms only while the flow is active, at most one every ten minutes, and one when the flow recovers.',
        )}
      >
        <Select
          value={alarms === null ? 'default' : 'own'}
          onChange={(choice) => onChange(choice === 'own' ? DEFAULT_ALARMS : null)}
          options={[
            { value: 'default', label: t('Same as in Settings') },
            { value: 'own', label: t('Custom for this flow') },
          ]}
        />
      </Field>
      {alarms === null ? null : (
        <AlarmFields
          alarms={alarms}
          exceptFlow={flowId ?? undefined}
          errors={{
            silent_after_minutes: errors['settings.alarms.silent_after_minutes'],
            email_to: email === undefined ? undefined : errors[email],
            flow_id: errors['settings.alarms.flow_id'],
          }}
          onChange={onChange}
        />
      )}
      {flowId === null ? null : <TestAlarm flowId={flowId} dirty={dirty} />}
    </Card>
  )
}
