import type { English } from '../../../../lib/i18n.ts'
import type { PictureName } from './pictures.tsx'

/** A section of the documents, and a name in it such as a step type or a key. */
export interface Topic {
  readonly doc: string
  readonly heading?: string
  readonly term?: string
}

/** The help for a screen or a field. */
export interface Help {
  readonly title: English
  readonly text: English
  readonly picture: PictureName
  /** Names of controls as shown on the screen; help points at the first one found. */
  readonly show: readonly English[]
  readonly doc: Topic
}
