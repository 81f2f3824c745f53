/** The unsaved state of an action and its connector on the screen, which can be tried before it is saved. */
import { z } from 'zod'
import { text } from './base/common.ts'
import { actionPatch, connectorPatch } from './connectors.ts'

/** The fields of an action that define its call. */
export const actionCallPatch = z.strictObject(
  actionPatch.pick({
    method: true,
    endpoint: true,
    query: true,
    headers: true,
    body: true,
    supports_automatic_pagination: true,
  }).shape,
)

export const unsavedAction = z
  .strictObject(actionCallPatch.required({ method: true, endpoint: true }).shape)
  .extend({ name: text(100).optional().describe('Name of the action, for the sentence about the result.') })
  .describe('The action to call. It does not have to be saved.')
export type UnsavedAction = z.output<typeof unsavedAction>

export const connectorCallPatch = z
  .strictObject(
    connectorPatch.pick({
      base_domain: true,
      header: true,
      url_token_extension: true,
      pagination_config: true,
      allowed_origins: true,
    }).shape,
  )
  .describe('Connector fields to try instead of the stored ones, so that unsaved edits can be tested.')
