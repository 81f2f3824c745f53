import { useRef } from 'react'
import { FileUp } from '../../../lib/icons.tsx'
import { AppError } from '../../../../shared/contract/base/errors.ts'
import { LIMITS } from '../../../../shared/contract/base/limits.ts'
import { quoted } from '../../../../shared/contract/base/message.ts'
import { createFileUploadRoute } from '../../../../shared/contract/file-uploads.ts'
import { useApi } from '../../../api/provider.tsx'
import { Button } from '../../../components/controls/button.tsx'
import { attempt } from '../../../components/screen/toast.tsx'
import { t } from '../../../lib/i18n.ts'
import { FormFields, frameOf } from '../fields/form-fields.tsx'
import type { StepFormProps } from '../fields/form-props.ts'
import { PageFields } from '../fields/page-fields.tsx'
import { FormCard } from '../webhook/form-card.tsx'

const TYPES = ['image/png', 'image/jpeg', 'image/gif', 'image/webp']

/** An uploaded image, by its ID. */
function LogoField(props: StepFormProps) {
  const api = useApi()
  const input = useRef<HTMLInputElement>(null)
  const { config, onChange } = props
  const isSet = typeof config.logo_file_id === 'string' && config.logo_file_id !== ''
  const upload = (file: File) =>
    attempt(t('Couldn’t upload “{{name}}”', { name: file.name }), async () => {
      if (!TYPES.includes(file.type) || file.size > LIMITS.logoBytes)
        throw new AppError('validation', quoted(t('PNG, JPEG, GIF or WebP, at most 256 kB.')))
      const { id } = await api.upload(createFileUploadRoute, { query: { filename: file.name }, file })
      onChange({ logo_file_id: id })
    })
  return (
    <div className="flex flex-col gap-2">
      <FormFields {...props} only={['logo_file_id']} />
      <div>
        <Button icon={FileUp} needs={createFileUploadRoute} onClick={() => input.current?.click()}>
          {isSet ? t('Replace logo') : t('Upload logo')}
        </Button>
      </div>
      <input
        ref={input}
        type="file"
        hidden
        accept={TYPES.join(',')}
        aria-label={t('Logo to upload')}
        onChange={({ target }) => {
          const [file] = target.files ?? []
          if (file !== undefined) void upload(file)
          target.value = ''
        }}
      />
    </div>
  )
}

export function FormTriggerForm(props: StepFormProps) {
  const { step, config, onChange } = props
  return (
    <>
      <FormCard refId={step.ref_id} />
      <FormFields {...props} only={['title', 'description']} />
      <LogoField {...props} />
      <FormFields {...props} only={['logo_alt']} />
      <PageFields
        {...frameOf(props, 'fields')}
        value={config.fields}
        place={`${step.ref_id}.email`}
        onChange={(fields) => onChange({ fields })}
      />
      <FormFields
        {...props}
        only={['submit_label', 'response', 'response_text', 'redirect_url', 'response_body']}
      />
    </>
  )
}
