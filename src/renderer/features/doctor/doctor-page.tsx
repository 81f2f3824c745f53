import { CircleAlert, CircleCheck, CircleX, RotateCw } from '../../lib/icons.tsx'
import type { LucideIcon } from '../../lib/icons.tsx'
import { useState } from 'react'
import { type DoctorFinding, examineRoute } from '../../../shared/contract/doctor.ts'
import { writeBackupRoute } from '../../../shared/contract/data-folder.ts'
import { DATA_FOLDER } from '../../api/lists.ts'
import { resource, useResource } from '../../api/resource.ts'
import { BackupDialog } from '../../components/screen/backup-dialog.tsx'
import { Button } from '../../components/controls/button.tsx'
import { CopyButton } from '../../components/values/copy-button.tsx'
import { Loaded } from '../../components/screen/loaded.tsx'
import { Card, Column, Page } from '../../components/screen/page.tsx'
import { Time } from '../../components/values/time.tsx'
import { SettingsLinks } from '../../components/screen/screen-links.tsx'
import { Trans } from '../../lib/trans.tsx'
import { plural } from '../../lib/format.ts'
import { t } from '../../lib/i18n.ts'
import { CHECK_NAMES, examinationText, formatFinding, REASONS, STATE_WORDS } from './doctor-words.ts'

/** Examined once, when the screen opens. */
const EXAMINATION = resource(examineRoute, { nouns: [] })

/** Millrace's findings about itself, with what to do about each problem. */
export function DoctorPage() {
  const { data: examination, failure, reload } = useResource(EXAMINATION)
  const [isAgain, setIsAgain] = useState(false)
  const { data: folder } = useResource(DATA_FOLDER)
  const [isBackingUp, setIsBackingUp] = useState(false)
  const busy = isAgain || (examination === null && failure === null)

  async function examine() {
    setIsAgain(true)
    await reload()
    setIsAgain(false)
  }

  return (
    <Page
      title={t('Diagnostics')}
      actions={
        <>
          {examination === null ? null : (
            <CopyButton label={t('Copy as text')} text={() => examinationText(examination)} />
          )}
          <Button look="primary" icon={RotateCw} busy={busy} onClick={() => void examine()}>
            {t('Run again')}
          </Button>
        </>
      }
    >
      <SettingsLinks />
      <Column label={t('Diagnostics')}>
        <Loaded
          value={examination}
          failure={failure}
          what={t('the diagnostics')}
          onRetry={() => void examine()}
        >
          {({ findings, examined_at: at }) => (
            <Card title={summaryOf(findings)}>
              <ul>
                {findings.map((finding) => (
                  <Finding key={finding.check} finding={finding} onBackUp={() => setIsBackingUp(true)} />
                ))}
              </ul>
              <p role="status" className="border-t border-line px-4 py-2 text-muted">
                <Trans text="Checked <time/>. Nothing was changed." parts={{ time: <Time at={at} /> }} />
              </p>
            </Card>
          )}
        </Loaded>
      </Column>
      {isBackingUp && folder !== null ? (
        <BackupDialog free={folder.backup_path} onClose={() => setIsBackingUp(false)} />
      ) : null}
    </Page>
  )
}

const LOOKS: { readonly [S in DoctorFinding['state']]: readonly [LucideIcon, string] } = {
  ok: [CircleCheck, 'text-success'],
  warning: [CircleAlert, 'text-retrying'],
  problem: [CircleX, 'text-error'],
}

interface FindingProps {
  readonly finding: DoctorFinding
  readonly onBackUp: () => void
}

function Finding({ finding, onBackUp }: FindingProps) {
  const [Icon, tone] = LOOKS[finding.state]
  const words = finding.reason === null ? null : REASONS[finding.reason]
  return (
    <li className="grid grid-cols-[1rem_9rem_minmax(0,1fr)] gap-x-3 max-sm:grid-cols-[1rem_minmax(0,1fr)] max-sm:*:last:col-start-2 border-b border-line px-4 py-2 last:border-b-0">
      <Icon size={15} className={`mt-0.5 ${tone}`} role="img" aria-label={t(STATE_WORDS[finding.state])} />
      <span className="text-muted">{t(CHECK_NAMES[finding.check])}</span>
      <div className="flex min-w-0 flex-col gap-0.5">
        <span className="tabular [overflow-wrap:anywhere]">{formatFinding(finding)}</span>
        {words === null ? null : (
          <p>
            {t(words.what)}{' '}
            {words.advice === null ? null : <span className="text-muted">{t(words.advice)}</span>}
          </p>
        )}
        {finding.reason === 'no_backup' || finding.reason === 'backup_old' ? (
          <Button className="mt-1 self-start" needs={writeBackupRoute} onClick={onBackUp}>
            {t('Back up')}
          </Button>
        ) : null}
      </div>
    </li>
  )
}

function summaryOf(findings: readonly DoctorFinding[]): string {
  const problems = findings.filter(({ state }) => state === 'problem').length
  const warnings = findings.filter(({ state }) => state === 'warning').length
  const counts = [
    ...(problems > 0 ? [plural(problems, 'problem')] : []),
    ...(warnings > 0 ? [plural(warnings, 'warning')] : []),
  ]
  return counts.length === 0 ? t('No problems found') : counts.join(', ')
}
