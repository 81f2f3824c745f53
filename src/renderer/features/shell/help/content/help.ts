import type { English } from '../../../../lib/i18n.ts'
import type { PictureName } from './pictures.tsx'

/** A section of the documents, and a name in it such as a step type or a key. */
export interface Topic {
  readonly doc: string
  readonly heading?: string
  readonly term?: string
}

/** What help says about a screen or a field. */
export interface Help {
  readonly title: English
  readonly text: English
  readonly picture: PictureName
  /** Names of controls as they are on the screen; the first one that is there is shown. */
  readonly show: readonly English[]
  readonly doc: Topic
}
