import { useState } from 'react'
import { updateFileUploadRoute } from '../../../shared/contract/file-uploads.ts'
import type { FileUpload } from '../../../shared/contract/file-uploads.ts'
import { useApi } from '../../api/provider.tsx'
import { cached } from '../../api/resource.ts'
import { CopyIcon } from '../../components/values/copy-button.tsx'
import { Field, TextInput } from '../../components/controls/field.tsx'
import { SaveDialog } from '../../components/screen/save-dialog.tsx'
import { formatBytes } from '../../lib/format.ts'
import { t } from '../../lib/i18n.ts'
import { FILE_UPLOADS } from './file-uploads-store.ts'

/** The details of a file; its name and type can be changed, its content can't. */
export function FileDialog({ file, onClose }: { readonly file: FileUpload; readonly onClose: () => void }) {
  const api = useApi()
  const [draft, setDraft] = useState({ filename: file.filename, content_type: file.content_type })
  return (
    <SaveDialog
      title={file.filename}
      action={t('Save file')}
      failed={t('Couldn’t save file')}
      saved={t('File “{{filename}}” saved', { filename: draft.filename })}
      onSave={async () => {
        const saved = api.call(updateFileUploadRoute, { params: { id: file.id }, body: draft })
        await cached(api, FILE_UPLOADS).getState().after(saved)
      }}
      onClose={onClose}
    >
      {(errors) => (
        <>
          <Field label={t('Name')} error={errors['filename']?.[0]}>
            <TextInput value={draft.filename} onChange={(filename) => setDraft({ ...draft, filename })} />
          </Field>
          <Field label={t('Content type')} error={errors['content_type']?.[0]}>
            <TextInput
              mono
              value={draft.content_type}
              onChange={(content_type) => setDraft({ ...draft, content_type })}
            />
          </Field>
          <dl className="grid grid-cols-[6rem_minmax(0,1fr)] items-baseline gap-x-4 gap-y-1 text-sm">
            <dt className="text-muted">{t('Size')}</dt>
            <dd>{formatBytes(file.size)}</dd>
            <dt className="text-muted">{t('ID')}</dt>
            <dd className="flex items-center gap-1">
              <code className="min-w-0 break-all">{file.id}</code>
              <CopyIcon label={t('Copy ID')} text={file.id} />
            </dd>
            <dt className="text-muted">{t('SHA-256')}</dt>
            <dd className="flex items-center gap-1">
              <code className="min-w-0 break-all">{file.sha256}</code>
              <CopyIcon label={t('Copy hash')} text={file.sha256} />
            </dd>
          </dl>
        </>
      )}
    </SaveDialog>
  )
}
