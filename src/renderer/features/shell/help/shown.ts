import { t } from '../../../lib/i18n.ts'
import type { English } from '../../../lib/i18n.ts'
import { FIELDS, PARTS } from './content/fields.ts'
import type { Help, Topic } from './content/help.ts'
import type { PictureName } from './content/pictures.tsx'
import { type ScreenPath, SCREENS, VIEWS } from './content/screens.ts'
import { pictureOfStep } from './content/step-pictures.ts'
import { nameOf, nameOfGroup } from './controls.ts'

/** Help in the language of the page. */
export interface Shown {
  readonly title: string
  readonly text: string
  /** Help written by a plug-in's author. */
  readonly markdown?: string
  readonly picture: PictureName
  readonly show: readonly English[]
  readonly doc: Topic
}

export function shownForScreen(path: string | undefined, view: string | undefined): Shown {
  const known = path !== undefined && path in SCREENS ? (path as ScreenPath) : '/'
  return translated((view === undefined ? undefined : VIEWS[known]?.[view]) ?? SCREENS[known])
}

/**
 * Help for the focused field, by its label; for other fields by the part of the screen they are in, which has
 * `data-help`: `templates`, `pagination`, or `steps webhook` for the form of a step. Null if no help is needed.
 */
export function shownForField(focused: Element | null): Shown | null {
  if (focused === null || focused === document.body) return null
  const names = [nameOf(focused), nameOfGroup(focused)]
  const parts = partsAround(focused)
  const scopes = [location.pathname, ...parts.map((part) => part.dataset['help'] ?? '')]
  const field = FIELDS.find(
    ({ title, within = '' }) => scopes.some((scope) => scope.startsWith(within)) && names.includes(t(title)),
  )
  if (field !== undefined) return translated(field)
  // In such a part, only controls that take a value have its help; for its buttons, the help is that of the screen.
  const [part] = parts
  const [doc = '', term] = part?.dataset['help']?.split(' ') ?? []
  if (part === undefined || !focused.matches(TAKES_A_VALUE)) return null
  if (doc === 'steps') return shownForStep(part, term ?? '')
  const known = PARTS[doc]
  const key = doc === 'pagination' ? keyAtCursor(focused) : undefined
  return known === undefined
    ? null
    : translated(key === undefined ? known : { ...known, doc: { doc, heading: 'Keys', term: key } })
}

const TAKES_A_VALUE =
  'input, textarea, select, [contenteditable="true"], [role="combobox"], [role="switch"], [role="checkbox"]'

function shownForStep({ dataset }: HTMLElement, type: string): Shown {
  return {
    title: dataset['helpTitle'] ?? type,
    text: t(
      '{{purpose}}. Later steps read its result by its reference name. The documents list each of its fields with its default and an example.',
      { purpose: dataset['helpPurpose'] ?? type },
    ),
    ...(dataset['helpText'] === undefined ? {} : { markdown: dataset['helpText'] }),
    picture: pictureOfStep(type),
    show: [],
    doc: { doc: 'steps', term: type },
  }
}

function partsAround(element: Element): readonly HTMLElement[] {
  const part = element.closest<HTMLElement>('[data-help]')
  return part === null ? [] : [part, ...(part.parentElement === null ? [] : partsAround(part.parentElement))]
}

function translated({ title, text, picture, show, doc }: Help): Shown {
  return { title: t(title), text: t(text), picture, show, doc }
}

/** The key in the cursor's line of a JSON editor. */
function keyAtCursor(focused: Element): string | undefined {
  const line = focused.closest('.cm-editor')?.querySelector('.cm-activeLine')?.textContent ?? ''
  return /"(\w+)"\s*:/.exec(line)?.[1]
}
