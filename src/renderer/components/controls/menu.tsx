import { Menu as BaseMenu } from '@base-ui/react/menu'
import { Check, type LucideIcon } from '../../lib/icons.tsx'
import type { ReactElement } from 'react'
import { cx } from '../../lib/cx.ts'
import { type Needs, useRefusal } from './needs.ts'
import { FocusedRow, useReturningFocus } from './popup-focus.tsx'

export interface MenuItem {
  readonly label: string
  readonly icon?: LucideIcon
  readonly hint?: string
  readonly keys?: string
  readonly danger?: boolean
  readonly disabled?: boolean
  /** The route it calls. A session that isn't allowed to call it sees the reason instead of the hint. */
  readonly needs?: Needs
  /** The state of a command that switches something on and off; the menu then stays open. */
  readonly checked?: boolean
  readonly onSelect: () => void
}

/** A button's menu of commands; groups are separated by a line. */
export function Menu({
  trigger,
  groups,
  align = 'end',
}: {
  readonly trigger: ReactElement<Record<string, unknown>>
  readonly groups: readonly (readonly MenuItem[])[]
  readonly align?: 'start' | 'end'
}) {
  const { trigger: button, popup, onOpenChange } = useReturningFocus()
  return (
    <BaseMenu.Root onOpenChange={onOpenChange} modal={false}>
      <BaseMenu.Trigger ref={button} render={trigger} />
      <BaseMenu.Portal>
        <BaseMenu.Positioner sideOffset={4} align={align} className="z-50">
          <BaseMenu.Popup
            ref={popup}
            className="floating max-h-(--available-height) min-w-44 overflow-y-auto rounded border border-line bg-raised p-1 shadow-float"
          >
            {groups.map((items, index) => (
              <BaseMenu.Group key={items[0]?.label ?? index}>
                {index > 0 ? <BaseMenu.Separator className="my-1 h-px bg-line" /> : null}
                {items.map((item) => (
                  <Item key={item.label} {...item} />
                ))}
              </BaseMenu.Group>
            ))}
          </BaseMenu.Popup>
        </BaseMenu.Positioner>
      </BaseMenu.Portal>
    </BaseMenu.Root>
  )
}

function Item({ checked, ...item }: MenuItem) {
  if (checked === undefined) return <Command {...item} />
  return (
    <BaseMenu.CheckboxItem
      checked={checked}
      onCheckedChange={item.onSelect}
      render={<FocusedRow />}
      className={cx(ITEM_CLASS, 'data-highlighted:bg-selected')}
    >
      <span className="mt-0.5 size-3.5 shrink-0">
        <BaseMenu.CheckboxItemIndicator>
          <Check size={14} aria-hidden />
        </BaseMenu.CheckboxItemIndicator>
      </span>
      {item.label}
    </BaseMenu.CheckboxItem>
  )
}

const ITEM_CLASS =
  'flex items-start gap-2 rounded-sm px-2 py-1 outline-none select-none data-disabled:opacity-50'

function Command({
  label,
  icon: Icon,
  hint: given,
  keys,
  danger,
  disabled = false,
  needs,
  onSelect,
}: MenuItem) {
  const refusal = useRefusal(needs)
  const hint = refusal ?? given
  return (
    <BaseMenu.Item
      disabled={disabled || refusal !== null}
      onClick={onSelect}
      render={<FocusedRow />}
      className={cx(ITEM_CLASS, 'data-highlighted:bg-selected', danger && 'text-error')}
    >
      {Icon === undefined ? null : <Icon size={14} aria-hidden className="mt-0.5 shrink-0 opacity-80" />}
      <div className="min-w-0 flex-1">
        {label}
        {hint === undefined ? null : <p className="max-w-72 text-muted">{hint}</p>}
      </div>
      {keys === undefined ? null : <kbd className="ml-4 font-sans text-sm text-faint">{keys}</kbd>}
    </BaseMenu.Item>
  )
}
