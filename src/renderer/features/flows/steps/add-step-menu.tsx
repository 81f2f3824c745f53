import { Combobox } from '@base-ui/react/combobox'
import { ArrowLeft, BookOpen, Ellipsis, Search } from '../../../lib/icons.tsx'
import { useDeferredValue, useEffect, useRef, useState } from 'react'
import type { ConnectorAuth } from '../../../../shared/contract/connector-auths.ts'
import { type Connector, needsAuth } from '../../../../shared/contract/connectors.ts'
import { STEP_DEFINITIONS, HTTP_TRIGGER_TYPES } from '../../../../shared/contract/step-types/index.ts'
import { requestTrigger } from '../../../../shared/request-trigger.ts'
import { focusAtOnce } from '../../../components/controls/popup-focus.tsx'
import { announceFailure } from '../../../components/screen/toast.tsx'
import {
  actionId,
  type Addition,
  additionOf,
  type Entry,
  isTrigger,
} from '../../../components/services/catalogue.ts'
import { type EntryGroup, groupFound, type MoreEntry } from '../../../components/services/group-entries.ts'
import { usePlantSample } from '../../../components/services/plant-sample.ts'
import { ServiceMark } from '../../../components/services/service-mark.tsx'
import {
  recentEntries,
  rememberEntry,
  useAuthsMeant,
  useCatalogue,
} from '../../../components/services/use-catalogue.ts'
import { t } from '../../../lib/i18n.ts'
import { walkSteps } from '../model/step-tree.ts'
import { useEditor, usePlugins } from '../state/editor-context.tsx'
import { STEP_GROUPS } from '../step-types/face.ts'

interface AddStepMenuProps {
  readonly trigger: React.ReactElement<Record<string, unknown>>
  /** Whether the step would be the first one. Only other triggers can be above a trigger. */
  readonly isFirst: boolean
  /** Whether only triggers can be added. */
  readonly isTrigger?: boolean
  readonly onAdd: (added: Addition) => void
  /** Whether the caller moves the focus after adding a step, so that it doesn't return to the button. */
  readonly leaves?: boolean
}

type Item = Entry | MoreEntry

/** One search over services and their actions, step types, plug-ins and samples. */
export function AddStepMenu({
  trigger,
  isFirst,
  isTrigger: addsTrigger = false,
  onAdd,
  leaves = false,
}: AddStepMenuProps) {
  const hasAdded = useRef(false)
  /** The list continues in the same popup. */
  const stays = useRef(false)
  const search = useRef<HTMLInputElement>(null)
  const [isOpen, setOpen] = useState(false)
  const [query, setQuery] = useState('')
  /** The service whose actions are listed instead of everything else. */
  const [service, setService] = useState<Connector | null>(null)
  const plant = usePlantSample()
  const auths = useAuthsMeant(isOpen)
  const groups = useGroups({ isOpen, isFirst, addsTrigger, query, service, auths })

  function show(next: Connector | null) {
    stays.current = true
    setService(next)
    if (next === null || service === null) setQuery((typed) => (next === null ? '' : typed))
    queueMicrotask(() => search.current?.focus())
  }

  function choose(item: Item) {
    if (item.kind === 'more') return show(service === null ? item.connector : null)
    if (item.kind === 'service') {
      setQuery('')
      return show(item.connector)
    }
    hasAdded.current = true
    rememberEntry(item.id)
    if (item.kind === 'sample')
      plant(item.sample).catch((error: unknown) => announceFailure(t('Couldn’t use sample'), error))
    else onAdd(item.kind === 'action' ? additionOf(item, auths.get(item.connector.id)) : item.added)
  }

  return (
    <Combobox.Root
      items={groups}
      filteredItems={groups}
      value={null}
      open={isOpen}
      inputValue={query}
      onInputValueChange={(typed, { reason }) => {
        if (reason === 'input-change' || reason === 'input-clear') setQuery(typed)
      }}
      onOpenChange={(open) => {
        if (!open && stays.current) {
          stays.current = false
          return
        }
        setOpen(open)
        if (!open) return
        hasAdded.current = false
        stays.current = false
        setService(null)
        setQuery('')
      }}
      onValueChange={(item: Item | null) => {
        // A second click or Enter may still reach the list before it is removed.
        if (item !== null && !hasAdded.current) choose(item)
      }}
      itemToStringLabel={({ label }: Item) => label}
      autoHighlight
    >
      {/* The button opens a searchable list; as a combobox it would claim to hold a value. */}
      <Combobox.Trigger
        role="button"
        render={trigger}
        onKeyDown={(event) => {
          // A letter typed on a closed combobox chooses a value, and here would add a step.
          if (event.key.length === 1 && event.key !== ' ') event.preventBaseUIHandler()
        }}
      />
      <Combobox.Portal>
        <Combobox.Positioner sideOffset={4} align="start" className="z-50">
          <Combobox.Popup
            initialFocus={(by) => by !== 'touch' && focusAtOnce(search.current)}
            finalFocus={() => !(leaves && hasAdded.current)}
            aria-label={t('Services and steps')}
            className="floating flex max-h-[min(36rem,var(--available-height))] w-[min(27rem,94vw)] flex-col overflow-hidden rounded-lg border border-line bg-raised shadow-float"
          >
            <div className="flex items-center gap-2.5 border-b border-line px-3">
              {service === null ? (
                <Search size={15} aria-hidden className="shrink-0 text-muted" />
              ) : (
                <ServiceMark connector={service} />
              )}
              <Combobox.Input
                ref={search}
                aria-label={t('Search services and steps')}
                placeholder={
                  service === null
                    ? t('Search services and steps')
                    : t('Search actions of {{name}}', { name: service.name })
                }
                onKeyDown={(event) => {
                  if (service === null || query !== '' || event.key !== 'Backspace') return
                  show(null)
                  stays.current = false
                }}
                className="h-10 w-full bg-transparent outline-none placeholder:text-muted"
              />
            </div>
            <Combobox.Empty className="px-4 py-5 text-muted empty:hidden">
              {t('Nothing matches “{{query}}”', { query })}
            </Combobox.Empty>
            <Combobox.List className="min-h-0 flex-1 scroll-py-1 overflow-y-auto p-1.5 empty:hidden">
              {(group: EntryGroup) => (
                <Combobox.Group key={group.id} items={group.items} className="not-last:mb-1.5">
                  {group.value === '' ? null : (
                    <Combobox.GroupLabel className="flex items-center gap-2 px-2 pt-1 pb-1 text-sm font-medium text-muted">
                      {group.value}
                      {group.connector === undefined ? null : (
                        <AuthWords connector={group.connector} auth={auths.get(group.connector.id)} />
                      )}
                    </Combobox.GroupLabel>
                  )}
                  <Combobox.Collection>
                    {(item: Item) => (
                      <Choice key={item.id} item={item} within={group.connector !== undefined} />
                    )}
                  </Combobox.Collection>
                </Combobox.Group>
              )}
            </Combobox.List>
          </Combobox.Popup>
        </Combobox.Positioner>
      </Combobox.Portal>
    </Combobox.Root>
  )
}

/** The credentials that a service will be called with. */
function AuthWords({
  connector,
  auth,
}: {
  readonly connector: Connector
  readonly auth: ConnectorAuth | undefined
}) {
  if (auth !== undefined)
    return <span className="ml-auto truncate font-normal">{t('with {{name}}', { name: auth.name })}</span>
  return needsAuth(connector) ? (
    <span className="ml-auto font-normal text-retrying">{t('no connector auth yet')}</span>
  ) : null
}

function Choice({ item, within }: { readonly item: Item; readonly within: boolean }) {
  const isList = item.kind === 'action' && item.action.supports_automatic_pagination
  return (
    <Combobox.Item
      value={item}
      className="flex items-center gap-2.5 rounded px-2 py-1 outline-none select-none data-highlighted:bg-selected"
    >
      <span aria-hidden className="grid size-6 shrink-0 place-items-center">
        <Mark item={item} />
      </span>
      <div className="min-w-0 flex-1">
        <span className="flex items-baseline gap-2">
          <span className="min-w-0 truncate">{item.label}</span>
          {isList ? <span className="shrink-0 text-sm text-muted">{t('all pages')}</span> : null}
        </span>
        {item.kind === 'more' ? null : (
          <p className="truncate text-muted">
            {item.kind === 'action' && !within ? `${item.connector.name} · ` : ''}
            {item.purpose}
          </p>
        )}
      </div>
    </Combobox.Item>
  )
}

function Mark({ item }: { readonly item: Item }) {
  if (item.kind === 'action' || item.kind === 'service')
    return <ServiceMark connector={item.connector} size={22} />
  const Icon =
    item.kind === 'more'
      ? item.id === BACK
        ? ArrowLeft
        : Ellipsis
      : item.kind === 'sample'
        ? BookOpen
        : item.icon
  return <Icon size={16} className="text-muted" />
}

const BACK = 'back'

interface GroupsWanted {
  readonly isOpen: boolean
  readonly isFirst: boolean
  readonly addsTrigger: boolean
  readonly query: string
  readonly service: Connector | null
  readonly auths: ReadonlyMap<string, ConnectorAuth>
}

function useGroups({
  isOpen,
  isFirst,
  addsTrigger,
  query,
  service,
  auths,
}: GroupsWanted): readonly EntryGroup[] {
  const plugins = usePlugins()
  const { entries, find } = useCatalogue(isOpen, plugins)
  const here = useUsedHere(isOpen)
  const hasUrl = useEditor((state) => requestTrigger(state.history?.present.steps ?? []) !== undefined)
  // Entries that aren't visible at first are rendered afterwards.
  const isWhole = useDeferredValue(isOpen)
  useEffect(() => {
    if (!isOpen) return undefined
    const idle = requestIdleCallback(() => find(' '))
    return () => cancelIdleCallback(idle)
  }, [isOpen, find])
  if (!isOpen) return NO_GROUPS
  const recent = recentEntries()
  const fits = (entry: Entry) =>
    isTrigger(entry) ? (isFirst || addsTrigger) && !(hasUrl && isAtUrl(entry)) : !addsTrigger
  const lifted = (id: string) => (here.includes(id) ? 1.3 : recent.includes(id) ? 1.2 : 1)
  const typed = query.trim()
  if (service !== null) {
    const own = (typed === '' ? entries : find(typed, lifted)).filter(
      (entry) => entry.kind === 'action' && entry.connector.id === service.id,
    )
    const label = t('All services and steps')
    const back: EntryGroup = {
      id: BACK,
      value: '',
      items: [{ kind: 'more', id: BACK, label, connector: service }],
    }
    return [...groupFound(own), back]
  }
  if (typed !== '')
    return groupFound(find(typed, lifted).filter((entry) => fits(entry) && entry.kind !== 'service'))
  const byId = new Map(entries.map((entry) => [entry.id, entry]))
  const known = (ids: readonly string[], most: number) =>
    ids
      .flatMap((id) => byId.get(id) ?? [])
      .filter(fits)
      .slice(0, most)
  const connected = entries.filter(
    (entry) => fits(entry) && entry.kind === 'service' && auths.has(entry.connector.id),
  )
  const groups: readonly EntryGroup[] = [
    { id: 'here', value: t('Used in this flow'), items: known(here, MOST_HERE) },
    {
      id: 'recent',
      value: t('Recent'),
      items: known(
        recent.filter((id) => !here.includes(id)),
        MOST_RECENT,
      ),
    },
    { id: 'connected', value: t('Your services'), items: connected.slice(0, MOST_SERVICES) },
    ...groupTypes(entries.filter(fits)),
    {
      id: 'services',
      value: t('Services'),
      items: entries
        .filter((entry) => fits(entry) && entry.kind === 'service' && !connected.includes(entry))
        .slice(0, MOST_SERVICES),
    },
    {
      id: 'samples',
      value: t('New flow from a sample'),
      items: isFirst ? entries.filter(({ kind }) => kind === 'sample') : [],
    },
  ].filter(({ items }) => items.length > 0)
  return isWhole ? groups : beginningOf(groups)
}

/** A flow's URL can have only one trigger. */
const isAtUrl = (entry: Entry) =>
  (entry.kind === 'type' || entry.kind === 'part') && HTTP_TRIGGER_TYPES.includes(entry.added.type)

function beginningOf(groups: readonly EntryGroup[]): readonly EntryGroup[] {
  let left = SEEN_AT_ONCE
  return groups.flatMap((group) => {
    const items = group.items.slice(0, left)
    left -= items.length
    return items.length === 0 ? [] : [{ ...group, items }]
  })
}

const SEEN_AT_ONCE = 12
const NO_GROUPS: readonly EntryGroup[] = []
const MOST_HERE = 3
const MOST_RECENT = 4
/** There are hundreds of services; typing finds the others. */
const MOST_SERVICES = 60

/** The step types by purpose, then the parts of each plug-in. */
function groupTypes(entries: readonly Entry[]): readonly EntryGroup[] {
  const types = entries.filter((entry) => entry.kind === 'type')
  const parts = entries.filter((entry) => entry.kind === 'part')
  return [
    ...Object.entries(STEP_GROUPS).map(([family, name]) => ({
      id: family,
      value: t(name),
      items: types.filter(({ added }) => STEP_DEFINITIONS[added.type].family === family),
    })),
    ...[...Map.groupBy(parts, ({ plugin }) => plugin)].map(([plugin, items]) => ({
      id: `plugin ${plugin}`,
      value: plugin,
      items,
    })),
  ]
}

/** IDs of the entries for the flow's steps, the last step first. */
function useUsedHere(isOpen: boolean): readonly string[] {
  const steps = useEditor((state) => (isOpen ? state.history?.present.steps : undefined))
  const ids = walkSteps(steps ?? []).map(({ step: { type, config } }) => {
    const {
      connector_id: connector = '',
      action = '',
      plugin,
      step,
      trigger,
    } = config as Readonly<Record<string, string | undefined>>
    if (type === 'connector_action') return actionId(connector, action)
    return plugin === undefined
      ? `type ${type}`
      : `part ${plugin} ${type} ${type === 'plugin' ? step : trigger}`
  })
  return [...new Set(ids.toReversed())]
}
