import { FileUp, X } from '../../../lib/icons.tsx'
import { AppError } from '../../../../shared/contract/base/errors.ts'
import { LIMITS } from '../../../../shared/contract/base/limits.ts'
import { quoted } from '../../../../shared/contract/base/message.ts'
import { createFileUploadRoute, readFileUploadRoute } from '../../../../shared/contract/file-uploads.ts'
import { useApi } from '../../../api/provider.tsx'
import { resource, useResource } from '../../../api/resource.ts'
import { IconButton } from '../../../components/controls/button.tsx'
import { Field } from '../../../components/controls/field.tsx'
import { FileButton } from '../../../components/controls/file-button.tsx'
import { attempt } from '../../../components/screen/toast.tsx'
import { t } from '../../../lib/i18n.ts'
import { frameOf } from '../fields/form-fields.tsx'
import type { StepFormProps } from '../fields/form-props.ts'

const TYPES = ['image/png', 'image/jpeg', 'image/gif', 'image/webp']

/** The image above the heading of a page. It is uploaded here and stored by its ID. */
export function LogoField(props: StepFormProps) {
  const api = useApi()
  const { config, onChange } = props
  const frame = frameOf(props, 'logo_file_id')
  const id = typeof config.logo_file_id === 'string' ? config.logo_file_id : ''
  const upload = (file: File) =>
    attempt(t('Couldn’t upload “{{name}}”', { name: file.name }), async () => {
      if (!TYPES.includes(file.type) || file.size > LIMITS.logoBytes)
        throw new AppError('validation', quoted(t('PNG, JPEG, GIF or WebP, at most 256 kB.')))
      const uploaded = await api.upload(createFileUploadRoute, { query: { filename: file.name }, file })
      onChange({ logo_file_id: uploaded.id })
    })
  return (
    <Field {...frame}>
      <div role="group" aria-label={frame.label} className="flex min-w-0 items-center gap-2">
        {id === '' ? null : <LogoName id={id} />}
        <FileButton
          icon={FileUp}
          needs={createFileUploadRoute}
          label={t('Logo to upload')}
          accept={TYPES.join(',')}
          onFile={(file) => void upload(file)}
        >
          {id === '' ? t('Upload logo') : t('Replace logo')}
        </FileButton>
        {id === '' ? null : (
          <IconButton icon={X} label={t('Remove logo')} onClick={() => onChange({ logo_file_id: '' })} />
        )}
      </div>
    </Field>
  )
}

function LogoName({ id }: { readonly id: string }) {
  const { data: file, failure } = useResource(
    resource(readFileUploadRoute, { nouns: ['file_upload'], params: { id } }),
  )
  return (
    <span className={failure === null ? 'min-w-0 truncate' : 'min-w-0 truncate text-error'}>
      {failure === null ? file?.filename : t('The file is gone')}
    </span>
  )
}
