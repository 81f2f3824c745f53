import type { Plugin } from '../../../shared/contract/plugins/plugins.ts'
import { type State, StatusBadge } from '../../components/values/status-badge.tsx'
import { CopyIcon } from '../../components/values/copy-button.tsx'
import { type English, english, t } from '../../lib/i18n.ts'

const STATES: { readonly [S in Plugin['status']]: readonly [State, English] } = {
  ready: ['ok', english('Confirmed')],
  unconfirmed: ['needs_authorization', english('Not confirmed')],
  changed: ['in_doubt', english('Changed')],
  broken: ['error', english('Broken')],
}

export function PluginState({ status }: Pick<Plugin, 'status'>) {
  const [state, word] = STATES[status]
  return <StatusBadge state={state} label={t(word)} />
}

/** The command that adds a plug-in. */
export function AddCommand({ folder = 'FOLDER' }: { readonly folder?: string }) {
  const command = `millrace plugin add ${folder}`
  return (
    <span className="inline-flex items-center gap-1 rounded border border-line bg-sunken py-0.5 pr-1 pl-2.5">
      <code className="text-code">{command}</code>
      <CopyIcon label={t('Copy command')} text={command} />
    </span>
  )
}
