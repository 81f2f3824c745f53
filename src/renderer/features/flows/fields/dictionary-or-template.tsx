import { Button } from '../../../components/controls/button.tsx'
import { t } from '../../../lib/i18n.ts'
import { asDictionary } from './form-props.ts'
import { TemplateDictionary, TemplateField } from './template-field.tsx'

interface DictionaryOrTemplateProps {
  readonly refId: string
  /** Its place, which determines what its templates can read. */
  readonly field: string
  readonly label: string
  readonly noun: string
  readonly hint?: string
  readonly error?: string | undefined
  readonly value: unknown
  readonly onChange: (value: unknown) => void
}

/** Names with values, or one template that returns the whole object. */
export function DictionaryOrTemplate(props: DictionaryOrTemplateProps) {
  const { refId, field, label, noun, hint, error, value, onChange } = props
  if (typeof value !== 'string')
    return (
      <TemplateDictionary
        refId={refId}
        field={field}
        typed
        label={label}
        noun={noun}
        hint={hint}
        error={error}
        value={asDictionary(value)}
        onChange={onChange}
        aside={
          <Button look="quiet" className="h-6" onClick={() => onChange('{{  }}')}>
            {t('Enter as one template')}
          </Button>
        }
      />
    )
  return (
    <TemplateField
      refId={refId}
      field={field}
      label={label}
      hint={t('A template that returns an object.')}
      error={error}
      rows={3}
      value={value}
      onChange={onChange}
      aside={
        <Button look="quiet" className="h-6" onClick={() => onChange({})}>
          {t('Enter names and values')}
        </Button>
      }
    />
  )
}
