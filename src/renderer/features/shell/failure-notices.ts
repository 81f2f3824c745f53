import { useLocation, useNavigate } from '@tanstack/react-router'
import { useEffect, useRef } from 'react'
import { listFlowRunsRoute } from '../../../shared/contract/flow-runs.ts'
import { readFlowRoute } from '../../../shared/contract/flows.ts'
import type { LiveEvent } from '../../../shared/contract/host.ts'
import type { Api } from '../../api/create-api.ts'
import { useApi } from '../../api/provider.tsx'
import { announce, announceFailedRun, dismissFailedRun } from '../../components/screen/toast.tsx'
import { t, tn } from '../../lib/i18n.ts'
import { setTitleBadge } from '../../lib/window-title.ts'

/** A silent flow, a missed start, a flow that works again, or a test. */
interface AlarmNotice {
  readonly kind: string
  readonly flowId: string | null
  readonly flowName: string
}

/** Runs of one flow that failed. */
interface Notice {
  readonly flowId: string
  readonly flowName: string
  readonly count: number
  /** The newest of them. */
  readonly runId: string
}

/**
 * Announces failed runs in a toast, in the title until a run is opened, and by the browser if allowed, but not if the
 * flow or the run is already on screen.
 */
export function useFailureNotices(): void {
  const api = useApi()
  const navigate = useNavigate()
  const path = useLocation({ select: ({ pathname }) => pathname })
  const latest = useRef(path)
  const unseen = useRef(0)
  /** The flows with a toast about a failed run, keyed by run. */
  const told = useRef(new Map<string, string>())
  useEffect(() => {
    latest.current = path
    if (path.startsWith('/flows/')) dismissFailedRun(path.slice('/flows/'.length))
    dismissRun(told.current, path.slice('/runs/'.length))
    if (!path.startsWith('/runs')) return
    unseen.current = 0
    setTitleBadge(0)
  }, [path])

  useEffect(() => {
    const open = (runId: string) => void navigate({ to: '/runs/$runId', params: { runId } })
    const openFlow = (flowId: string) => void navigate({ to: '/flows/$flowId', params: { flowId } })
    const tellAlarm = ({ kind, flowId, flowName }: AlarmNotice) => {
      const text = alarmText(kind, flowName)
      if (flowId === null || kind === 'recovered' || kind === 'test') announce(text)
      else announceFailedRun(flowId, text, t('Open flow'), () => openFlow(flowId))
      if (document.visibilityState !== 'visible')
        notify(text, flowId ?? 'test', () => (flowId === null ? undefined : openFlow(flowId)))
    }
    const stop = followFailures(api, tellAlarm, ({ flowId, flowName, count, runId }) => {
      const isVisible = document.visibilityState === 'visible'
      if (isVisible && [`/flows/${flowId}`, `/runs/${runId}`].includes(latest.current)) return
      unseen.current += count
      setTitleBadge(unseen.current)
      const text =
        count === 1
          ? t('A run of “{{flowName}}” failed', { flowName })
          : tn(count, '{{count}} run of “{{flowName}}” failed', '{{count}} runs of “{{flowName}}” failed', {
              flowName,
            })
      told.current.set(runId, flowId)
      announceFailedRun(flowId, text, t('Open run'), () => open(runId))
      if (!isVisible) notify(text, flowId, () => open(runId))
    })
    // The run was resumed or deleted, so its failure is no longer news.
    const stopRuns = api.live.subscribe(['flow_run'], ({ id, type, status }) => {
      const isOver = type === 'deleted' || (typeof status === 'string' && status !== 'error')
      if (id !== null && isOver) dismissRun(told.current, id)
    })
    return () => {
      stop()
      stopRuns()
    }
  }, [api, navigate])
}

function dismissRun(told: Map<string, string>, runId: string): void {
  const flowId = told.get(runId)
  if (flowId === undefined) return
  told.delete(runId)
  // A newer failure of the same flow has taken its place.
  if (![...told.values()].includes(flowId)) dismissFailedRun(flowId)
}

/** Also reports failures that happened while the page wasn't connected. */
function followFailures(
  api: Pick<Api, 'call' | 'live'>,
  tellAlarm: (notice: AlarmNotice) => void,
  tell: (notice: Notice) => void,
): () => void {
  let heardUntil = new Date().toISOString()
  let isFirst = true

  async function catchUp(): Promise<void> {
    const since = heardUntil
    heardUntil = new Date().toISOString()
    const query = { filter: ['status,eq,error', `finished_at,gt,${since}`], per_page: '100' }
    const runs = await api.call(listFlowRunsRoute, { query }).catch(() => [])
    for (const [flowId, failed] of Map.groupBy(runs, (run) => run.flow_id)) {
      const [newest] = failed
      if (newest === undefined) continue
      const flow = await api.call(readFlowRoute, { params: { id: flowId } }).catch(() => null)
      tell({ flowId, flowName: flow?.name ?? newest.title, count: failed.length, runId: newest.id })
    }
  }

  return api.live.subscribe(['notice'], (event) => {
    if (event.noun === null) {
      if (!isFirst) void catchUp()
      isFirst = false
      return
    }
    const alarm = readAlarm(event)
    if (alarm !== null) return tellAlarm(alarm)
    heardUntil = new Date().toISOString()
    const notice = readNotice(event)
    if (notice !== null) tell(notice)
  })
}

function readAlarm({ kind, flow_id: flowId, flow_name: flowName }: LiveEvent): AlarmNotice | null {
  if (typeof kind !== 'string' || kind === 'failed') return null
  return {
    kind,
    flowId: typeof flowId === 'string' ? flowId : null,
    flowName: typeof flowName === 'string' ? flowName : '',
  }
}

function alarmText(kind: string, flowName: string): string {
  if (kind === 'silent') return t('“{{flowName}}” has been silent for too long', { flowName })
  if (kind === 'missed') return t('“{{flowName}}” missed its scheduled time', { flowName })
  if (kind === 'recovered') return t('“{{flowName}}” works again', { flowName })
  return t('This is a test alarm')
}

function readNotice({ id, flow_id: flowId, flow_name: flowName, count }: LiveEvent): Notice | null {
  if (id === null || typeof flowId !== 'string') return null
  return { flowId, flowName: String(flowName), count: Number(count), runId: id }
}

/** The desktop app sends its own notifications. */
function notify(text: string, flowId: string, onClick: () => void): void {
  if (window.desktop !== undefined || typeof Notification === 'undefined') return
  if (Notification.permission !== 'granted') return
  const notification = new Notification('Millrace', { body: text, tag: flowId })
  notification.addEventListener('click', () => {
    window.focus()
    onClick()
    notification.close()
  })
}
