import { getRouteApi, useNavigate } from '@tanstack/react-router'
import { Download, FileUp, Files, Trash2 } from '../../lib/icons.tsx'
import { useMemo, useRef, useState } from 'react'
import {
  createFileUploadRoute,
  deleteFileUploadRoute,
  readFileContentRoute,
} from '../../../shared/contract/file-uploads.ts'
import type { FileUpload } from '../../../shared/contract/file-uploads.ts'
import type { Flow } from '../../../shared/contract/flows.ts'
import { FLOWS, SETTINGS } from '../../api/lists.ts'
import { useApi } from '../../api/provider.tsx'
import { useResource } from '../../api/resource.ts'
import { IconButton } from '../../components/controls/button.tsx'
import { CopyIcon } from '../../components/values/copy-button.tsx'
import { actionsColumn, timeColumn } from '../../components/values/columns.tsx'
import { DataTable, RowLink } from '../../components/values/data-table.tsx'
import type { Column } from '../../components/values/data-table.tsx'
import { ConfirmDialog } from '../../components/screen/confirm-dialog.tsx'
import { EmptyState } from '../../components/screen/empty-state.tsx'
import { Filtered, NoMatches, SearchInput, useAddButton } from '../../components/screen/list-screen.tsx'
import { Page, Toolbar } from '../../components/screen/page.tsx'
import { useFileDrop } from '../../components/screen/use-file-drop.ts'
import { announce, attempt, deleteWithUndo } from '../../components/screen/toast.tsx'
import { formatBytes, plural } from '../../lib/format.ts'
import { english, t } from '../../lib/i18n.ts'
import { saveBlob } from '../../lib/save-file.ts'
import { stepsWithin } from '../../lib/steps-within.ts'
import { FileDialog } from './file-dialog.tsx'
import { FILE_UPLOADS, useUploads } from './file-uploads-store.ts'

const route = getRouteApi('/files')

/** Files that flows send and read by their ID. */
export function FileUploadsPage() {
  const { q = '', edit } = route.useSearch()
  const navigate = useNavigate({ from: '/files' })
  const api = useApi()
  const { data: files, failure, reload } = useResource(FILE_UPLOADS)
  const limit = useResource(SETTINGS).data?.file_limit_bytes ?? null
  const [deleting, setDeleting] = useState<FileUpload | null>(null)
  const upload = useUpload()
  const input = useRef<HTMLInputElement>(null)
  const drop = useFileDrop(upload)

  const uploadButton = useAddButton({
    label: t('Upload files'),
    group: t('Files'),
    icon: FileUp,
    needs: createFileUploadRoute,
    onClick: () => input.current?.click(),
  })
  const columns = useMemo(() => fileColumns(setDeleting), [])
  const edited = files?.find(({ id }) => id === edit)

  return (
    <Page title={t('Files')} actions={files?.length === 0 ? null : uploadButton}>
      <input
        ref={input}
        type="file"
        multiple
        hidden
        aria-label={t('Files to upload')}
        onChange={({ target }) => {
          upload([...(target.files ?? [])])
          target.value = ''
        }}
      />
      <Toolbar>
        <SearchInput
          label={t('Search files')}
          placeholder={t('Search by name or type')}
          value={q}
          onChange={(text) => void navigate({ search: text === '' ? {} : { q: text }, replace: true })}
        />
        <Sending />
        <output className="ml-auto text-sm text-muted">
          {files === null ? '' : plural(files.length, 'file')}
          {limit === null ? '' : t(', up to {{bytes}} each', { bytes: formatBytes(limit) })}
        </output>
      </Toolbar>
      <div
        {...drop.handlers}
        className={`flex min-h-0 flex-1 flex-col ${drop.over ? 'outline-2 -outline-offset-4 outline-accent outline-dashed' : ''}`}
      >
        <Filtered
          value={files}
          failure={failure}
          what={t('the files')}
          onRetry={() => void reload()}
          matches={({ filename, content_type: type }) =>
            `${filename} ${type}`.toLowerCase().includes(q.toLowerCase())
          }
          empty={
            <EmptyState
              icon={Files}
              example={['prices.csv', 'text/csv', '48 kB']}
              title={t('No files yet')}
              action={uploadButton}
            >
              {t(
                'Drop files here. Flows use them by ID, for example as attachments. Files that arrive with a webhook or a response belong to their run and aren’t listed.',
              )}
            </EmptyState>
          }
          none={
            <NoMatches title={t('No files match')} to="/files" all={t('Show all files')}>
              {t('None of the {{files}} has “{{q}}” in its name or type.', {
                files: plural(files?.length ?? 0, 'file'),
                q,
              })}
            </NoMatches>
          }
        >
          {(rows) => <DataTable label={t('Files')} noun={t('file')} columns={columns} rows={rows} />}
        </Filtered>
      </div>
      {edited === undefined ? null : (
        <FileDialog
          key={edit}
          file={edited}
          onClose={() => void navigate({ search: q === '' ? {} : { q }, replace: true })}
        />
      )}
      <ConfirmDialog
        open={deleting !== null}
        title={t('Delete “{{filename}}”?', { filename: deleting?.filename ?? '' })}
        action={t('Delete file')}
        onClose={() => setDeleting(null)}
        onConfirm={() => {
          if (deleting === null) return
          const { id, filename } = deleting
          const text = t('File “{{filename}}” deleted', { filename })
          deleteWithUndo(api, deleteFileUploadRoute, { params: { id } }, { id, name: filename, text })
        }}
      >
        {t('The content is deleted permanently. Steps that use this file’s ID will fail.')}
        {deleting === null ? null : <UsedBy id={deleting.id} />}
      </ConfirmDialog>
    </Page>
  )
}

/**
 * The flows whose steps use the file. Those that only show it as a logo are listed separately, because they still work
 * without it.
 */
function UsedBy({ id }: { readonly id: string }) {
  const using = (useResource(FLOWS).data ?? []).filter(({ steps }) => JSON.stringify(steps).includes(id))
  const isLogo = ({ steps }: Flow) => stepsWithin(steps).some(({ config }) => config.logo_file_id === id)
  const namesOf = (flows: readonly Flow[]) => flows.map(({ name }) => `“${name}”`).join(', ')
  const [logos, others] = [using.filter(isLogo), using.filter((flow) => !isLogo(flow))]
  return (
    <>
      {logos.length === 0 ? null : (
        <p className="mt-2">{t('It’s the logo on the pages of {{flows}}.', { flows: namesOf(logos) })}</p>
      )}
      {others.length === 0 ? null : (
        <p className="mt-2">{t('It’s used by {{flows}}.', { flows: namesOf(others) })}</p>
      )}
    </>
  )
}

/** Uploads files one after another; each reports its own result. */
function useUpload(): (files: readonly File[]) => void {
  const upload = useUploads((state) => state.upload)
  return (files) =>
    void files.reduce(async (before, file) => {
      await before
      await attempt(t('Couldn’t upload “{{name}}”', { name: file.name }), async () =>
        announce(t('“{{filename}}” uploaded', { filename: (await upload(file)).filename })),
      )
    }, Promise.resolve())
}

function Sending() {
  const sending = useUploads((state) => state.sending)
  return (
    <span role="status" className="min-w-0 truncate text-sm text-muted">
      {sending.length === 0 ? '' : t('Uploading {{sending}}…', { sending: sending.join(', ') })}
    </span>
  )
}

function fileColumns(onDelete: (file: FileUpload) => void): readonly Column<FileUpload>[] {
  return [
    {
      id: 'filename',
      header: english('Name'),
      width: 'minmax(12rem, 2fr)',
      sortBy: (file) => file.filename.toLowerCase(),
      cell: (file) => (
        <RowLink to="/files" search={{ edit: file.id }}>
          {file.filename}
        </RowLink>
      ),
    },
    {
      id: 'content_type',
      header: english('Type'),
      width: 'minmax(8rem, 1fr)',
      yields: 1,
      sortBy: (file) => file.content_type,
      cell: (file) => <span className="text-muted">{file.content_type}</span>,
    },
    {
      id: 'size',
      header: english('Size'),
      width: '6rem',
      yields: 3,
      align: 'end',
      sortBy: (file) => file.size,
      cell: (file) => formatBytes(file.size),
    },
    timeColumn('created_at', english('Uploaded'), { width: '7rem', yields: 2 }),
    actionsColumn('6rem', (file) => <RowActions file={file} onDelete={() => onDelete(file)} />),
  ]
}

function RowActions({ file, onDelete }: { readonly file: FileUpload; readonly onDelete: () => void }) {
  const api = useApi()
  const save = () =>
    attempt(t('Couldn’t download “{{filename}}”', { filename: file.filename }), async () =>
      saveBlob(file.filename, await api.download(readFileContentRoute, { params: { id: file.id } })),
    )
  return (
    <>
      <CopyIcon label={t('Copy ID of {{filename}}', { filename: file.filename })} text={file.id} />
      <IconButton
        small
        label={t('Download {{filename}}', { filename: file.filename })}
        icon={Download}
        onClick={() => void save()}
      />
      <IconButton
        small
        label={t('Delete {{filename}}', { filename: file.filename })}
        icon={Trash2}
        needs={deleteFileUploadRoute}
        onClick={onDelete}
      />
    </>
  )
}
