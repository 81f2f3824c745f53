import { Field } from '../../../../components/controls/field.tsx'
import { Select } from '../../../../components/controls/select.tsx'
import { t } from '../../../../lib/i18n.ts'
import { asTemplate, type StepFormProps } from '../../fields/form-props.ts'

/** What happens to a list that may be incomplete. */
export function InDoubtField({
  config,
  onChange,
  errorOf,
}: Pick<StepFormProps, 'config' | 'onChange' | 'errorOf'>) {
  return (
    <Field
      label={t('When in doubt')}
      hint={t('If the list may be incomplete.')}
      className="max-w-60"
      error={errorOf('when_in_doubt')}
    >
      <Select
        label={t('When in doubt')}
        value={asTemplate(config.when_in_doubt)}
        options={[
          { value: '', label: t('As in the settings') },
          { value: 'warn', label: t('Return it with a warning') },
          { value: 'fail', label: t('Fail') },
        ]}
        onChange={(when_in_doubt) => onChange({ when_in_doubt: when_in_doubt || undefined })}
      />
    </Field>
  )
}
