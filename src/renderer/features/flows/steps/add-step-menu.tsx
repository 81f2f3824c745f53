import { Combobox } from '@base-ui/react/combobox'
import { Blocks } from '../../../lib/icons.tsx'
import { useRef, useState } from 'react'
import { STEP_TYPES, TRIGGER_TYPES } from '../../../../shared/contract/step-types/index.ts'
import type { Plugin } from '../../../../shared/contract/plugins/plugins.ts'
import type { StepType } from '../../../../shared/contract/step-types/index.ts'
import { ACTIONS, CONNECTOR_AUTHS, CONNECTORS } from '../../../api/lists.ts'
import { useResource } from '../../../api/resource.ts'
import { CONTROL_CLASS } from '../../../components/controls/field.tsx'
import { focusAtOnce } from '../../../components/controls/popup-focus.tsx'
import { titleOfPlugin } from '../../../components/plugins/plugin-words.ts'
import { cx } from '../../../lib/cx.ts'
import { t, translateConnectorText } from '../../../lib/i18n.ts'
import { usePlugins } from '../state/editor-context.tsx'
import { STEP_GROUPS } from '../step-types/face.ts'
import type { StepFace } from '../step-types/face.ts'
import {
  actionsNamed,
  choicesOf,
  type Addition,
  type ServiceAction,
  servicesNamed,
} from '../step-types/find-services.ts'
import { type Choice, faceOfChoice, findStepTypes } from '../step-types/find-step-types.ts'
import { STEP_FACES } from '../step-types/index.ts'

interface AddStepMenuProps {
  readonly trigger: React.ReactElement<Record<string, unknown>>
  /** A trigger can only be the first step. */
  readonly isFirst: boolean
  readonly onAdd: (added: Addition) => void
  /** The caller moves the focus after adding a step; it doesn't return to the button. */
  readonly leaves?: boolean
}

interface Group<T extends Addition = Addition> {
  readonly [key: string]: unknown
  readonly id: string
  readonly value: string
  readonly items: readonly T[]
}

/** All step types by purpose, found by typing what one wants to do, or with which service. */
export function AddStepMenu({ trigger, isFirst, onAdd, leaves = false }: AddStepMenuProps) {
  const hasAdded = useRef(false)
  const search = useRef<HTMLInputElement>(null)
  const [query, setQuery] = useState('')
  const groups = groupsOf(isFirst, usePlugins() ?? [])
  const services = useServices(query)
  const all: readonly Group[] = groups
  const types = matching(groups, query)
  const shown: readonly Group[] =
    query.trim() === '' ? all : isNamed(types, query) ? [...types, ...services] : [...services, ...types]
  return (
    <Combobox.Root
      items={all}
      filteredItems={shown}
      value={null}
      inputValue={query}
      onInputValueChange={setQuery}
      onOpenChange={(open) => {
        if (!open) return
        hasAdded.current = false
        setQuery('')
      }}
      onValueChange={(added: Addition | null) => {
        // A second click or Enter reaches the list before it is gone.
        if (added === null || hasAdded.current) return
        hasAdded.current = true
        onAdd(added)
      }}
      itemToStringLabel={(one: Addition) => (isService(one) ? labelOf(one) : t(faceOfChoice(one).label))}
      autoHighlight
    >
      {/* It opens a searchable list; as a combobox it would claim to hold a value. */}
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
            aria-label={t('Step types')}
            className="floating flex max-h-[min(34rem,var(--available-height))] w-80 flex-col rounded border border-line bg-raised shadow-float"
          >
            <div className="border-b border-line p-2">
              <Combobox.Input
                ref={search}
                aria-label={t('Search step types')}
                placeholder={t('Search')}
                className={cx(CONTROL_CLASS, 'h-7 w-full')}
              />
            </div>
            <Combobox.Empty className="px-3 py-2 text-muted empty:hidden">
              {t('No step types match')}
            </Combobox.Empty>
            <Combobox.List className="min-h-0 flex-1 overflow-y-auto p-1">
              {(group: Group) => (
                <Combobox.Group key={group.id} items={group.items}>
                  <Combobox.GroupLabel className="px-2 pt-2 pb-1 text-sm font-medium text-muted">
                    {group.value}
                  </Combobox.GroupLabel>
                  <Combobox.Collection>
                    {(one: Addition) =>
                      isService(one) ? (
                        <ServiceChoice key={one.key} one={one} />
                      ) : (
                        <FacedChoice key={typeof one === 'string' ? one : one.key} one={one} />
                      )
                    }
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

const isService = (one: Addition): one is ServiceAction => typeof one !== 'string' && 'action' in one

function FacedChoice({ one }: { readonly one: Choice }) {
  const { label, icon: Icon, purpose } = faceOfChoice(one)
  return (
    <Combobox.Item
      value={one}
      className="flex items-start gap-2 rounded-sm px-2 py-1 outline-none select-none data-highlighted:bg-selected"
    >
      <Icon size={14} aria-hidden className="mt-0.5 shrink-0 opacity-80" />
      <div className="min-w-0 flex-1">
        {t(label)}
        <p className="text-sm text-muted">{t(purpose)}</p>
      </div>
    </Combobox.Item>
  )
}

/** One group for each service that the search names. */
function useServices(query: string): readonly Group<ServiceAction>[] {
  const connectors = useResource(CONNECTORS).data ?? []
  const auths = useResource(CONNECTOR_AUTHS).data ?? []
  const named = servicesNamed(connectors, query)
  const { data: actions } = useResource(named.length === 0 ? null : ACTIONS)
  return named
    .map((one) => {
      const own = actions?.filter((action) => action.connector_id === one.id) ?? []
      return { id: one.id, value: one.name, items: actionsNamed(one, own, auths, query) }
    })
    .filter(({ items }) => items.length > 0)
}

function labelOf({ action, connector }: ServiceAction): string {
  return translateConnectorText(action.title, connector) || action.name
}

function ServiceChoice({ one }: { readonly one: ServiceAction }) {
  return (
    <Combobox.Item
      value={one}
      className="flex items-start gap-2 rounded-sm px-2 py-1 outline-none select-none data-highlighted:bg-selected"
    >
      <Blocks size={14} aria-hidden className="mt-0.5 shrink-0 opacity-80" />
      <div className="min-w-0 flex-1">
        {labelOf(one)}
        <p className="truncate text-sm text-muted">
          {translateConnectorText(one.action.short_description, one.connector)}
        </p>
      </div>
    </Combobox.Item>
  )
}

/** The types, and below them the parts of each plug-in, which then replace the types that stand for any part. */
function groupsOf(isFirst: boolean, plugins: readonly Plugin[]): Group<Choice>[] {
  const ofPlugins = plugins
    .filter(({ status }) => status === 'ready')
    .map((plugin) => ({
      id: `plugin ${plugin.name}`,
      value: titleOfPlugin(plugin),
      items: choicesOf(plugin, isFirst),
    }))
  const replaced = new Set<StepType>(ofPlugins.flatMap(({ items }) => items.map(({ type }) => type)))
  const types = (Object.keys(STEP_GROUPS) as StepFace['group'][]).map((group) => ({
    id: group,
    value: t(STEP_GROUPS[group]),
    items: STEP_TYPES.filter(
      (type) =>
        STEP_FACES[type].group === group && !replaced.has(type) && (isFirst || !TRIGGER_TYPES.includes(type)),
    ),
  }))
  return [...types, ...ofPlugins].filter(({ items }) => items.length > 0)
}

/** Whether the search begins the name of the best step type: `http` means the step, not a service with the word. */
function isNamed([best]: readonly Group<Choice>[], query: string): boolean {
  const [one] = best?.items ?? []
  return one !== undefined && t(faceOfChoice(one).label).toLowerCase().startsWith(query.trim().toLowerCase())
}

/** Groups with a match, in the order of their best one. */
function matching(groups: readonly Group<Choice>[], query: string): Group<Choice>[] {
  const found = findStepTypes(
    groups.flatMap(({ items }) => items),
    query,
  )
  const bestOf = ({ items }: Group<Choice>) => found.indexOf(items[0] as Choice)
  return groups
    .map(({ items, ...group }) => ({ ...group, items: found.filter((one) => items.includes(one)) }))
    .filter(({ items }) => items.length > 0)
    .toSorted((a, b) => bestOf(a) - bestOf(b))
}
