import { Link } from '@tanstack/react-router'
import { HardDrive, TriangleAlert } from '../../lib/icons.tsx'
import { DATA_FOLDER } from '../../api/lists.ts'
import { useResource } from '../../api/resource.ts'
import { Card } from '../../components/screen/page.tsx'
import { formatBytes } from '../../lib/format.ts'
import { t } from '../../lib/i18n.ts'

const LITTLE_BYTES = 1_073_741_824

/** The disk space used by Millrace, and whether there is room for more. */
export function DiskUsed() {
  const { data: folder } = useResource(DATA_FOLDER)
  if (folder === null) return null
  const used = folder.database_bytes + folder.files_bytes + folder.backups_bytes
  const isLow = folder.disk_free_bytes < LITTLE_BYTES
  const Icon = isLow ? TriangleAlert : HardDrive
  return (
    <Card
      title={t('Disk')}
      aside={
        <Link to="/settings" hash={t('Data folder')} className="rounded-sm text-accent-text hover:underline">
          {t('Data folder')}
        </Link>
      }
    >
      <div className="flex items-start gap-2.5 px-4 py-2.5">
        <Icon size={14} aria-hidden className={isLow ? 'mt-1 text-retrying' : 'mt-1 text-muted'} />
        <div className="min-w-0 flex-1">
          <p>
            {t('{{used}} used, {{free}} free on disk', {
              used: formatBytes(used),
              free: formatBytes(folder.disk_free_bytes),
            })}
          </p>
          <p className="text-sm text-muted">
            {t('Runs and settings: {{database}}, files: {{files}}, backups: {{backups}}', {
              database: formatBytes(folder.database_bytes),
              files: formatBytes(folder.files_bytes),
              backups: formatBytes(folder.backups_bytes),
            })}
          </p>
          {isLow ? (
            <p className="text-sm text-retrying">
              {t('Disk space is low. Keep runs for fewer days, or move the data folder.')}
            </p>
          ) : null}
        </div>
      </div>
    </Card>
  )
}
