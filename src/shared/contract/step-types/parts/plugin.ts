/** The common parts of plug-in steps and triggers. */
import { jsonObject, text } from '../../base/common.ts'
import { template } from './fields.ts'
import type { Config } from './step-type.ts'

export const pluginFields = {
  plugin: text(40).describe('Name of the plug-in, as `GET /v1/plugins` lists it.'),
  hash: text(64)
    .optional()
    .describe(
      'SHA-256 of the files of the plug-in that the step was made with, which saving fills in. If the files here differ, the flow has a warning.',
    ),
  input: jsonObject
    .default({})
    .describe("Values of its fields by name. The plug-in's manifest lists the fields."),
  auth_id: template
    .nullable()
    .optional()
    .describe('ID of the connector auth that its requests can use, if it has a field for one.'),
} as const

export const pluginAuthFace = {
  label: 'Connector auth',
  kind: 'auth',
  optional: true,
  when: ({ auth_id: id }: Config) => Boolean(id),
} as const
