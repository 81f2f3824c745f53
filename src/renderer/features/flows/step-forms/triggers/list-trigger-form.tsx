import { english } from '../../../../lib/i18n.ts'
import { readSchemaFields } from '../../../../lib/schema-fields.ts'
import { ActionChoice, ActionInput, useChosenAction } from '../../fields/action-fields.tsx'
import { AuthField } from '../../fields/auth-field.tsx'
import { FormControl, type FormField } from '../../fields/form-of.tsx'
import { asDictionary, asTemplate, type StepFormProps } from '../../fields/form-props.ts'
import { InDoubtField } from '../calls/in-doubt-field.tsx'
import { PollingFields } from './polling-fields.tsx'

const SOURCE: FormField = {
  kind: 'choice',
  name: 'source',
  label: english('Look at'),
  initial: 'action',
  options: {
    action: [
      english('A list of a connector'),
      english('Orders, contacts, tickets: any action that returns a list'),
    ],
    feed: [english('A feed'), english('RSS, Atom or JSON Feed')],
  },
}

const URL_FIELD: FormField = {
  kind: 'template',
  name: 'url',
  label: english('Feed URL'),
  placeholder: 'https://example.com/feed.xml',
}

const RECORDS: FormField = {
  kind: 'text',
  name: 'records',
  label: english('List in the response'),
  hint: english('JSONPath of the list, for an action without pagination.'),
  optional: true,
  placeholder: '$.items',
}

const MAX_PAGES: FormField = {
  kind: 'number',
  name: 'max_pages',
  label: english('Max pages'),
  optional: true,
}

export function ListTriggerForm(props: StepFormProps) {
  const { step, config, onChange, errorOf } = props
  const { connector, action } = useChosenAction(config)
  const isFeed = config.source === 'feed'
  const isPaged = action?.supports_automatic_pagination === true
  return (
    <>
      <FormControl field={SOURCE} {...props} />
      {isFeed ? (
        <FormControl field={URL_FIELD} {...props} />
      ) : (
        <ActionChoice config={config} onChange={onChange} errorOf={errorOf} />
      )}
      <AuthField
        refId={step.ref_id}
        {...(isFeed ? {} : { connectorId: asTemplate(config.connector_id) })}
        {...(isFeed ? { address: asTemplate(config.url) } : {})}
        value={config.auth_id}
        error={errorOf('auth_id')}
        onChange={(auth_id) => onChange({ auth_id })}
      />
      {isFeed ? null : (
        <ActionInput
          connector={connector}
          fields={readSchemaFields(action?.ui_form_schema)}
          refId={step.ref_id}
          value={asDictionary(config.input)}
          error={errorOf('input')}
          onChange={(input) => onChange({ input })}
        />
      )}
      {isFeed || action === undefined ? null : (
        <FormControl field={isPaged ? MAX_PAGES : RECORDS} {...props} />
      )}
      {!isFeed && isPaged ? <InDoubtField {...props} /> : null}
      <PollingFields {...props} />
    </>
  )
}
