import { useNavigate, useParams } from '@tanstack/react-router'
import { useEffect, useState } from 'react'
import {
  BookOpen,
  Cable,
  CircleQuestionMark,
  CornerDownRight,
  FileInput,
  FileUp,
  History,
  Keyboard,
  KeyRound,
  Moon,
  Pause,
  Play,
  Plus,
  Radio,
  Settings2,
  Sun,
  SunMoon,
  Workflow,
} from '../../lib/icons.tsx'
import { createConnectorRoute } from '../../../shared/contract/connectors.ts'
import { createFlowRoute, runFlowRoute, updateFlowRoute } from '../../../shared/contract/flows.ts'
import type { Flow } from '../../../shared/contract/flows.ts'
import { readSettingsRoute } from '../../../shared/contract/settings.ts'
import { createTokenRoute } from '../../../shared/contract/tokens.ts'
import { CONNECTOR_AUTHS, CONNECTORS, FLOWS } from '../../api/lists.ts'
import { useApi } from '../../api/provider.tsx'
import { useResource } from '../../api/resource.ts'
import { mayCall } from '../../components/controls/needs.ts'
import { isOpenTo } from '../../components/screen/open-screens.ts'
import { announce, announceFailure } from '../../components/screen/toast.tsx'
import { useShortcutList } from '../../components/screen/shortcuts.tsx'
import { stateWord } from '../../components/values/status-badge.tsx'
import { english, t } from '../../lib/i18n.ts'
import { stepsWithin } from '../../lib/steps-within.ts'
import { HELP_INDEX, useHelpStore } from './help/help-store.ts'
import { searchSections, type Section } from '../../../shared/docs.ts'
import { SCREENS } from './navigation.ts'
import type { PaletteEntry } from './palette-entries.ts'
import { chooseTheme } from './program-state.ts'

/** Everything that can be opened or done from here, in the order in which it is shown before anything is typed. */
export function usePaletteEntries(
  found: readonly PaletteEntry[],
): (typed: string) => readonly PaletteEntry[] {
  const ofScreen = useScreenEntries()
  const ofProgram = useProgramEntries()
  const ofRecords = useRecordEntries()
  const ofFlow = useStepEntries()
  const ofHelp = useHelpEntries()
  const api = useApi()
  return (typed) =>
    [...ofScreen(), ...ofFlow(), ...ofProgram(), ...ofRecords(), ...found, ...ofHelp(typed)].filter(
      ({ needs }) => needs === undefined || mayCall(api, needs),
    )
}

/** Sections of the documentation that match the typed text. */
function useHelpEntries(): (typed: string) => PaletteEntry[] {
  const [sections, setSections] = useState<readonly Section[]>([])
  useEffect(() => void import('./help/docs.ts').then(({ SECTIONS }) => setSections(SECTIONS)), [])
  const opened = useHelpStore((state) => state.opened)
  return (typed) =>
    searchSections(sections, typed).map(({ doc, docTitle, heading }): PaletteEntry => ({
      id: `help ${doc} ${heading}`,
      group: 'help',
      label: heading.replaceAll('`', ''),
      ...(heading === docTitle ? {} : { detail: docTitle }),
      // It was found by its text, which is not searched a second time.
      words: typed,
      icon: BookOpen,
      run: () => opened({ reading: { doc, heading } }),
    }))
}

/** The commands of the current screen: its shortcuts, except those that only move a selection. */
function useScreenEntries(): () => PaletteEntry[] {
  const shortcuts = useShortcutList()
  return () =>
    shortcuts()
      .filter(
        ({ keys, group }) => group !== t('Go to') && keys !== 'mod+k' && keys !== '?' && !MOVES.test(keys),
      )
      .map(({ keys, label, group, run }): PaletteEntry => ({
        id: `key ${group} ${keys}`,
        group: 'screen',
        label,
        icon: Keyboard,
        keys,
        run,
      }))
}

const MOVES = /^(?:alt\+)?(?:[jk]|up|down|left|right)$/

function useProgramEntries(): () => PaletteEntry[] {
  const navigate = useNavigate()
  const helpOpened = useHelpStore((state) => state.opened)
  const api = useApi()
  return () => [
    {
      id: 'new flow',
      group: 'do',
      label: t('New flow'),
      needs: createFlowRoute,
      words: 'create add workflow',
      icon: Plus,
      run: () => void navigate({ to: '/flows', search: { create: true } }),
    },
    {
      id: 'import flow',
      group: 'do',
      label: t('Import flows'),
      needs: createFlowRoute,
      words: 'n8n file upload',
      icon: FileUp,
      run: () => void navigate({ to: '/flows', search: { import: true } }),
    },
    {
      id: 'new connector',
      group: 'do',
      label: t('New connector'),
      needs: createConnectorRoute,
      words: 'create add api',
      icon: Plus,
      run: () => void navigate({ to: '/connectors', search: { create: true } }),
    },
    {
      id: 'import connector',
      group: 'do',
      label: t('Import connector'),
      needs: createConnectorRoute,
      words: 'openapi postman curl swagger',
      icon: FileInput,
      run: () => void navigate({ to: '/connectors', search: { import: true } }),
    },
    {
      id: 'new token',
      group: 'do',
      label: t('Create access token'),
      needs: createTokenRoute,
      words: 'new personal access api',
      icon: Plus,
      run: () => void navigate({ to: '/tokens', search: { create: true } }),
    },
    ...THEMES.map(([theme, label, icon]): PaletteEntry => ({
      id: `theme ${theme}`,
      group: 'do',
      label: t(label),
      words: 'theme colours mode',
      icon,
      run: () => void chooseTheme(api, theme),
    })),
    {
      id: 'shortcuts',
      group: 'do',
      label: t('Keyboard shortcuts'),
      words: 'keys keyboard help',
      icon: Keyboard,
      keys: '?',
      run: () => helpOpened({ allKeys: true }),
    },
    {
      id: 'help',
      group: 'do',
      label: t('Help'),
      words: 'docs documentation manual guide getting started',
      icon: CircleQuestionMark,
      run: () => helpOpened({ reading: HELP_INDEX }),
    },
    ...SETTINGS.map(([label, words]): PaletteEntry => ({
      id: `setting ${words}`,
      group: 'settings',
      label: t(label),
      needs: readSettingsRoute,
      words,
      icon: Settings2,
      run: () => void navigate({ to: '/settings', hash: t(label) }),
    })),
    ...SCREENS.filter(({ to }) => isOpenTo(api, to)).map(({ to, label, icon, keys }): PaletteEntry => ({
      id: to,
      group: 'go',
      label: t(label),
      ...(OTHER_WORDS[to] === undefined ? {} : { words: OTHER_WORDS[to] }),
      icon,
      keys,
      run: () => void navigate({ to }),
    })),
  ]
}

const THEMES = [
  ['light', english('Light theme'), Sun],
  ['dark', english('Dark theme'), Moon],
  ['system', english('System theme'), SunMoon],
] as const

/** Other words for a screen. */
const OTHER_WORDS: Readonly<Record<string, string>> = {
  '/auths': 'credentials connections accounts',
  '/tokens': 'personal access tokens api keys',
  '/data-tables': 'data tables rows records lookup store database spreadsheet',
  '/env-variables': 'env environment variables secrets',
  '/pagination': 'paging pages',
  '/reference': 'docs documentation openapi',
  '/doctor': 'doctor health check diagnose examine',
  '/files': 'uploads',
  '/plugins': 'plugins extensions addons packages confirm',
  '/logs': 'log errors api calls audit',
}

/** The settings, and other words for them. */
const SETTINGS = [
  [english('Language'), 'english german deutsch sprache'],
  [english('Alarms'), 'alert notify email failed silent missed hook'],
  [english('Limit webhook request rate'), 'rate limit webhook 429'],
  [english('Max webhook body (MB)'), 'size limit 413'],
  [english('Max concurrent runs'), 'concurrency parallel workers'],
  [english('Max pages per list'), 'pagination limit'],
  [english('Allowed folders'), 'files directory path'],
  [english('MCP server'), 'ai claude cursor tools'],
  [english('Expose the full API through proxies'), 'expose tunnel public'],
  [english('Single-key shortcuts (e.g. G F)'), 'keyboard keys'],
  [english('Full-text search index'), 'search index'],
  [english('Limit history size'), 'retention disk megabytes'],
  [english('Public URL'), 'public url tunnel proxy'],
  [english('Port'), 'listen address 4747'],
  [english('Data folder'), 'backup restore disk size'],
] as const

/** The steps of the open flow. */
function useStepEntries(): () => PaletteEntry[] {
  const navigate = useNavigate()
  const flows = useResource(FLOWS).data ?? []
  const flowId = useParams({ strict: false, select: (params) => params.flowId })
  return () =>
    stepsWithin(flows.find(({ id }) => id === flowId)?.steps ?? []).map(({ ref_id: refId, title }) => ({
      id: `step ${refId}`,
      group: 'steps',
      label: title === undefined || title === '' ? refId : title,
      ...(title === undefined || title === '' ? {} : { detail: refId }),
      icon: CornerDownRight,
      run: () =>
        void navigate({
          to: '/flows/$flowId',
          params: { flowId: flowId ?? '' },
          search: { step: refId },
        }),
    }))
}

function useRecordEntries(): () => PaletteEntry[] {
  const navigate = useNavigate()
  const api = useApi()
  const flows = useResource(FLOWS).data ?? []
  const connectors = useResource(CONNECTORS).data ?? []
  const auths = useResource(CONNECTOR_AUTHS).data ?? []

  function commandsOf(flow: Flow): PaletteEntry[] {
    const { id, name, status } = flow
    const next = status === 'active' ? 'paused' : 'active'
    const label =
      next === 'paused' ? t('Pause “{{name}}”', { name }) : t('Switch “{{name}}” to active', { name })
    const changed = t('“{{name}}” is now {{status}}', { name, status: stateWord(next) })
    return [
      {
        id: `test ${id}`,
        group: 'do',
        label: t('Test “{{name}}”', { name }),
        needs: runFlowRoute,
        words: 'run try',
        icon: Play,
        run: () => void navigate({ to: '/flows/$flowId', params: { flowId: id }, search: { test: true } }),
      },
      {
        id: `${next} ${id}`,
        group: 'do',
        label,
        needs: updateFlowRoute,
        words: next === 'paused' ? 'stop deactivate' : 'activate start',
        icon: next === 'paused' ? Pause : Radio,
        run: () =>
          void api.call(updateFlowRoute, { params: { id }, body: { status: next } }).then(
            () => announce(changed),
            (error: unknown) => announceFailure(t('Couldn’t change flow'), error),
          ),
      },
    ]
  }

  return () => [
    ...flows.map(({ id, name, status, tags }): PaletteEntry => ({
      id,
      group: 'flows',
      label: name,
      detail: stateWord(status),
      words: tags.join(' '),
      icon: Workflow,
      run: () => void navigate({ to: '/flows/$flowId', params: { flowId: id } }),
    })),
    ...flows.map(({ id, name }): PaletteEntry => ({
      id: `runs ${id}`,
      group: 'runs',
      label: t('Runs of “{{name}}”', { name }),
      icon: History,
      run: () => void navigate({ to: '/runs', search: { flow: id } }),
    })),
    ...flows.flatMap((flow) => commandsOf(flow)),
    ...connectors.map(({ id, name }): PaletteEntry => ({
      id,
      group: 'connectors',
      label: name,
      icon: Cable,
      run: () => void navigate({ to: '/connectors/$connectorId', params: { connectorId: id } }),
    })),
    ...auths.map(({ id, name, tags }): PaletteEntry => ({
      id,
      group: 'auths',
      label: name,
      words: tags.join(' '),
      icon: KeyRound,
      run: () => void navigate({ to: '/auths/$authId', params: { authId: id } }),
    })),
  ]
}
