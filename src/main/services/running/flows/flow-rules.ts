/** The rules for saving a flow, and the warnings for its author. */
import { AppError, fieldErrors } from '../../../../shared/contract/base/errors.ts'
import { say, spoken } from '../../../../shared/contract/base/message.ts'
import type { SaveWarning } from '../../../../shared/contract/base/save-warnings.ts'
import type { Flow, FlowPatch } from '../../../../shared/contract/flows.ts'
import { triggersOf } from '../../../../shared/contract/step-types/index.ts'
import type { Store } from '../../../store/index.ts'
import { requireTemplates } from '../../keeping/saving/require-templates.ts'
import { authsNamedIn } from './flow-steps.ts'

export function createFlowRules(store: Pick<Store, 'flows' | 'connectorAuths'>) {
  function requireSoundSettings({ settings }: FlowPatch, before: Flow | null): void {
    requireTemplates({ 'settings.dynamic_title': settings?.dynamic_title })
    requireOtherFlow(
      HANDLER,
      settings?.error_handling_flow_id,
      before,
      before?.settings.error_handling_flow_id,
    )
    requireOtherFlow(ALARM_FLOW, settings?.alarms?.flow_id, before, before?.settings.alarms?.flow_id)
  }

  /** A flow that has been deleted in the meantime must not block all other changes. */
  function requireOtherFlow(
    field: string,
    id: string | null | undefined,
    flow: Flow | null,
    former: string | null | undefined,
  ): void {
    if (!id || id === former) return
    if (id === flow?.id)
      throw fieldErrors({ [field]: [say('is the flow itself; choose another flow, or null')] })
    if (store.flows.get(id) === null)
      throw fieldErrors({ [field]: [say('there is no flow "{{id}}"; choose another one, or null', { id })] })
  }

  /** A run has the rights of the flow's owner, which nobody else must borrow. */
  function requireAuths({ id, steps }: Flow, author: string): void {
    if (store.flows.ownerOf(id) === author) return
    for (const { ref_id: ref, auth_id: authId } of authsNamedIn(steps)) {
      if (store.connectorAuths.get(authId, author) !== null) continue
      throw fieldErrors({
        [`steps.${ref}.config.auth_id`]: [
          say(
            'isn\'t a connector auth that you can use: "{{id}}"; the flow\'s owner can change these steps',
            { id: authId },
          ),
        ],
      })
    }
  }

  return { requireSoundSettings, requireAuths }
}

/** Few flows are tools, so the code that checks their schemas is loaded with the first one. */
export async function requireTool({ mcp_tool: tool }: NonNullable<FlowPatch['settings']>): Promise<void> {
  if (!tool?.input_schema) return
  const { requireToolSchema } = await import('./tool-schema.ts')
  requireToolSchema(tool.input_schema)
}

/** A service that signs its requests can't send our token. */
export function signedAndToken({ steps, settings }: Flow): SaveWarning[] {
  const webhook = triggersOf(steps).find(({ type }) => type === 'webhook')
  if (!webhook?.config['signature'] || !settings.webhook_token_enabled) return []
  return [
    {
      severity: 'hint',
      code: 'signed_and_token',
      message:
        "Callers must send the flow's token in addition to their signature, which services such as GitHub can't do; set settings.webhook_token_enabled to false if the signature is enough",
      field: 'settings.webhook_token_enabled',
      line: null,
      column: null,
    },
  ]
}

const HANDLER = 'settings.error_handling_flow_id'
const ALARM_FLOW = 'settings.alarms.flow_id'

/** @param names of the tests that fail */
export function untested({ name }: Pick<Flow, 'name'>, names: readonly string[]): AppError {
  return new AppError(
    'conflict',
    say(
      'The flow "{{name}}" isn\'t changed, because its tests must pass before a version goes live, and these fail: {{tests}}. Run them in its Tests tab, or turn off "require_tests"',
      { name, tests: listed(names) },
    ),
  )
}

export function testsFail(names: readonly string[]): SaveWarning {
  return {
    severity: 'warning',
    code: 'tests_fail',
    ...spoken(say('These tests fail with the steps that are live now: {{tests}}', { tests: listed(names) })),
    field: 'steps',
    line: null,
    column: null,
  }
}

function listed(names: readonly string[]): string {
  const more = names.length - MOST_NAMED
  return [
    ...names.slice(0, MOST_NAMED).map((name) => `"${name}"`),
    ...(more > 0 ? [`${more} more`] : []),
  ].join(', ')
}

const MOST_NAMED = 10
