/** What steps and triggers of plug-ins have in common. */
import { jsonObject, text } from '../../base/common.ts'

export const pluginFields = {
  plugin: text(40).describe('Name of the plug-in, as `GET /v1/plugins` lists it.'),
  hash: text(64)
    .optional()
    .describe(
      'SHA-256 of the files of the plug-in that the step was made with, which saving fills in. If the plug-in here has others, the flow has a warning.',
    ),
  input: jsonObject
    .default({})
    .describe("Values of its fields by name. Which fields there are is in the plug-in's manifest."),
} as const
