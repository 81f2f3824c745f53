import { useNavigate } from '@tanstack/react-router'
import { ChevronDown, RotateCw } from '../../lib/icons.tsx'
import { useRef, useState } from 'react'
import { replayFlowRunRoute } from '../../../shared/contract/flow-runs.ts'
import type { FlowRun } from '../../../shared/contract/flow-runs.ts'
import { Button } from '../../components/controls/button.tsx'
import { Menu } from '../../components/controls/menu.tsx'
import { useShortcut } from '../../components/screen/shortcuts.tsx'
import { announceFailure } from '../../components/screen/toast.tsx'
import { t } from '../../lib/i18n.ts'

interface ReplayMenuProps {
  readonly run: FlowRun
  /** Null for a flow that was deleted. */
  readonly currentVersion: number | null
  readonly onReplay: (version: number, record: boolean) => Promise<string>
}

/** Replays a run, on the flow's current version or on the one it ran on. */
export function ReplayMenu({ run, currentVersion, onReplay }: ReplayMenuProps) {
  const navigate = useNavigate()
  const button = useRef<HTMLSpanElement>(null)
  const [busy, setBusy] = useState(false)
  useShortcut({ keys: 'r', label: t('Replay run'), group: t('Runs'), needs: replayFlowRunRoute }, () =>
    button.current?.querySelector('button')?.click(),
  )

  async function replay(version: number, record = false) {
    setBusy(true)
    try {
      const runId = await onReplay(version, record)
      await navigate({ to: '/runs/$runId', params: { runId } })
    } catch (error) {
      announceFailure(t('Couldn’t replay run'), error)
    } finally {
      setBusy(false)
    }
  }

  const { flow_version: recorded } = run
  const current = currentVersion ?? recorded
  return (
    <span ref={button} className="flex">
      <Menu
        trigger={
          <Button look="primary" icon={RotateCw} busy={busy}>
            {t('Replay')}
            <ChevronDown size={14} aria-hidden className="-mr-1" />
          </Button>
        }
        groups={[
          [
            {
              label: t('Version {{version}} · current', { version: current }),
              needs: replayFlowRunRoute,
              hint: t('Runs again with the same input. External actions are repeated.'),
              onSelect: () => void replay(current),
            },
            ...(recorded === current
              ? []
              : [
                  {
                    label: t('Version {{version}} · original', { version: recorded }),
                    needs: replayFlowRunRoute,
                    onSelect: () => void replay(recorded),
                  },
                ]),
            {
              label: t('Replay and record'),
              needs: replayFlowRunRoute,
              hint: t('Keeps whole calls, up to 3 MB, so that the run can become a test.'),
              onSelect: () => void replay(current, true),
            },
          ],
        ]}
      />
    </span>
  )
}
