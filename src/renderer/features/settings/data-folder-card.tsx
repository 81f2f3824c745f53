import { useMemo, useState } from 'react'
import type { ReactNode } from 'react'
import type { DataFolder } from '../../../shared/contract/data-folder.ts'
import { readFiguresRoute } from '../../../shared/contract/figures/figures.ts'
import { DATA_FOLDER } from '../../api/lists.ts'
import { resource, useResource } from '../../api/resource.ts'
import { Chart } from '../../components/charts/chart.tsx'
import { chartOfFigures } from '../../components/charts/figures-data.ts'
import { type Tone, TONES } from '../../components/charts/series.ts'
import { cx } from '../../lib/cx.ts'
import { BackupDialog } from '../../components/screen/backup-dialog.tsx'
import { ErrorNotice } from '../../components/screen/error-notice.tsx'
import { Button } from '../../components/controls/button.tsx'
import { CopyIcon } from '../../components/values/copy-button.tsx'
import { Card } from '../../components/screen/page.tsx'
import { Time } from '../../components/values/time.tsx'
import { Trans } from '../../lib/trans.tsx'
import { formatBytes, plural } from '../../lib/format.ts'
import { english, t } from '../../lib/i18n.ts'
import type { English } from '../../lib/i18n.ts'
import { RestoreDialog } from './restore-dialog.tsx'

/** Where the data is, how large it is, and how to take it to another computer. */
export function DataFolderCard() {
  const { data: folder, failure, reload } = useResource(DATA_FOLDER)
  const [backingUp, setBackingUp] = useState(false)
  const [restoring, setRestoring] = useState(false)
  if (folder === null)
    return failure === null ? null : (
      <ErrorNotice error={failure} title={t('Couldn’t read the data folder')} onRetry={() => void reload()} />
    )
  const [newest] = folder.backups
  return (
    <Card
      title={t('Data folder')}
      aside={
        <span className="flex flex-wrap gap-2">
          <Button look="quiet" onClick={() => setRestoring(true)}>
            {t('Restore')}
          </Button>
          <Button onClick={() => setBackingUp(true)}>{t('Back up')}</Button>
        </span>
      }
    >
      {restoring ? <RestoreDialog folder={folder} onClose={() => setRestoring(false)} /> : null}
      {backingUp ? <BackupDialog free={folder.backup_path} onClose={() => setBackingUp(false)} /> : null}
      <SizeBar folder={folder} />
      <dl className="grid grid-cols-[10rem_minmax(0,1fr)] items-start gap-x-4 gap-y-1.5 p-4 max-sm:grid-cols-1">
        <Row name={t('Folder')}>
          <code className="min-w-0 truncate text-code">{folder.path}</code>
          <CopyIcon label={t('Copy folder path')} text={folder.path} />
        </Row>
        <Row name={t('Database')} tone="main">
          {formatBytes(folder.database_bytes)}
          {folder.free_bytes === 0 ? null : (
            <span className="text-muted">
              {t('{{bytes}} of it reusable for new runs', { bytes: formatBytes(folder.free_bytes) })}
            </span>
          )}
        </Row>
        <Row name={t('Files')} tone="second">
          {formatBytes(folder.files_bytes)}
        </Row>
        <Row name={t('Backups')} tone="quiet">
          {newest === undefined ? (
            t('No backups yet. One is created each day that Millrace runs.')
          ) : (
            <>
              {plural(folder.backups.length, 'backup')}, {formatBytes(folder.backups_bytes)}
              <span className="text-muted">
                <Trans text="newest: <time/>" parts={{ time: <Time at={newest.created_at} /> }} />
              </span>
            </>
          )}
        </Row>
        <Row name={t('Free disk space')}>{formatBytes(folder.disk_free_bytes)}</Row>
        <Row name={t('Secrets')}>{t(SECRETS[folder.secrets])}</Row>
      </dl>
      <SizesOverTime />
      <p className="border-t border-line px-4 py-3 text-muted">
        <Trans
          text="<code/> copies the database while Millrace is running, <code2/> restores a copy, and <code3/> exports the key to its secrets."
          parts={{
            code: <code>millrace backup FILE</code>,
            code2: <code>millrace restore FILE</code>,
            code3: <code>millrace key export</code>,
          }}
        />
      </p>
    </Card>
  )
}

const SECRETS: { readonly [S in DataFolder['secrets']]: English } = {
  readable: english('encrypted in the database, with a key that is stored outside this folder'),
  needs_key: english(
    'some were encrypted with another key: import it with millrace key import, or enter the secrets again',
  ),
  locked: english('can’t be stored: Millrace has no key'),
}

/** The used space by kind of data; the figures are below. Space that new runs can reuse is hatched. */
function SizeBar({ folder }: { readonly folder: DataFolder }) {
  const parts = [
    { tone: 'main', bytes: folder.database_bytes - folder.free_bytes },
    { tone: 'doubt', bytes: folder.free_bytes },
    { tone: 'second', bytes: folder.files_bytes },
    { tone: 'quiet', bytes: folder.backups_bytes },
  ] as const
  return (
    <div aria-hidden className="flex gap-px px-4 pt-4">
      {parts.map(({ tone, bytes }) =>
        bytes <= 0 ? null : (
          <span
            key={tone}
            data-part={tone}
            className={cx('h-3 min-w-1 rounded-sm', TONES[tone].ground)}
            style={{ flexGrow: bytes }}
          />
        ),
      )}
    </div>
  )
}

const DAYS = 30
const DAY_MS = 86_400_000
const SIZES = resource(readFiguresRoute, {
  nouns: [],
  query: (now) => ({
    of: 'disk',
    bucket: 'day',
    from: new Date((Math.floor(now / DAY_MS) - DAYS + 1) * DAY_MS).toISOString(),
  }),
})

function SizesOverTime() {
  const { data: figures, failure, reload } = useResource(SIZES)
  const data = useMemo(() => figures && chartOfFigures(figures), [figures])
  return (
    <div className="border-t border-line px-4 py-3">
      <h3 className="pb-2 font-medium">{t('Size in the last 30 days')}</h3>
      <Chart
        data={data}
        failure={failure}
        onRetry={() => void reload()}
        label={t('Size in the last 30 days')}
        unit="bytes"
        none={t('Nothing has been measured yet. Millrace measures the folder once an hour.')}
      />
    </div>
  )
}

function Row({
  name,
  tone,
  children,
}: {
  readonly name: string
  readonly tone?: Tone
  readonly children: ReactNode
}) {
  return (
    <>
      <dt className="flex items-center gap-2 text-muted">
        {tone === undefined ? null : <span className={cx('size-2.5 rounded-xs', TONES[tone].ground)} />}
        {name}
      </dt>
      <dd className="flex min-w-0 flex-wrap items-center gap-x-2">{children}</dd>
    </>
  )
}
