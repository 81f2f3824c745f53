import { doc } from '../../base/doc.ts'
import { z } from 'zod'
import { json, jsonObject, text } from '../../base/common.ts'
import { WHEN_IN_DOUBT } from '../../base/pagination-config.ts'
import { template, flag } from '../parts/fields.ts'
import { forEach, forEachFaces, hasForEach, withForEach } from '../parts/for-each.ts'
import { whenInDoubt } from '../parts/faces.ts'
import { stepType, shown } from '../parts/step-type.ts'

export const connectorAction = stepType({
  family: 'calls',
  label: 'Connector action',
  purpose: 'Calls a connector’s API and can read all pages',
  words: 'api app integration service call',
  icon: 'cable',
  refId: 'action',
  reaches: () => 'connector',
  config: z
    .strictObject({
      connector_id: text(200).describe('ID of the connector.'),
      action: text(100).describe("Name of the connector's action, such as `list_orders`."),
      auth_id: template
        .nullable()
        .optional()
        .describe(
          'ID of the connector auth whose credentials are used, or a template that returns one. If null or absent, the call is sent without credentials.',
        ),
      dynamic_auth_id: template
        .nullable()
        .optional()
        .describe(
          'Template that returns the ID of a connector auth, for one flow with many accounts. Used instead of `auth_id`.',
        ),
      input: jsonObject
        .default({})
        .describe("Values of the action's form fields by name. Strings are templates."),
      input_names: z
        .record(z.string(), z.record(z.string(), text(1_000)))
        .optional()
        .describe(
          'Names of the records chosen in look-up fields, by field and ID. The app shows them next to the IDs; runs ignore them.',
        ),
      retrieve_all_data: flag
        .optional()
        .describe(
          'True reads all pages and returns one list of records. False reads only the first response. Default: whether the action supports pagination.',
        ),
      max_pages: z
        .int()
        .min(1)
        .optional()
        .describe(
          'Stop after this many pages, with the warning `cut_by_max_pages`. If absent, the whole list is read.',
        ),
      when_in_doubt: z
        .enum(WHEN_IN_DOUBT)
        .optional()
        .describe(
          'What happens to a list that may be incomplete: `warn` returns it with a warning, `fail` fails the step with `list_in_doubt`. Default: the program setting `when_in_doubt`.',
        ),
      ...forEach,
    })
    .meta(
      doc('Calls an action of a connector, page by page if it returns a list.', {
        connector_id: 'f306cd0c-aa4f-4195-8fec-ae5b83201da5',
        action: 'list_orders',
        retrieve_all_data: true,
      }),
    ),
  fields: {
    connector_id: { label: 'Connector' },
    action: { label: 'Action' },
    auth_id: { label: 'Connector auth' },
    dynamic_auth_id: {
      label: 'Connector auth ID',
      initial: '',
      kind: 'template',
      hint: 'A template that returns the ID of a connector auth, for example from the webhook’s query string.',
      placeholder: '{{ web1.auth_id }}',
    },
    input: { label: 'Input', noun: 'value' },
    input_names: { label: 'Names of chosen records', plain: true },
    retrieve_all_data: {
      label: 'Retrieve all data',
      hint: 'Reads page after page and returns one flat list of records.',
    },
    max_pages: { label: 'Max pages', optional: true, hint: 'Stops after this many pages, with a warning.' },
    when_in_doubt: whenInDoubt,
    ...forEachFaces,
  },
  result: json.describe('The response body, or one list with the records of all pages.'),
  resultOf: (config) => (hasForEach(config) ? z.array(json) : undefined),
  sample: { config: { connector_id: 'f306cd0c-aa4f-4195-8fec-ae5b83201da5', action: 'list_contacts' } },
  summary: (config, { t }) => withForEach(shown(config.action, t('choose an action')), config, t),
})
