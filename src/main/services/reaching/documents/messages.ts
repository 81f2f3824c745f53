/** Messages between the program and the thread that works with HTML, Markdown and feeds. */
import { type Said } from '../../../../shared/contract/base/message.ts'
import type { Extraction } from '../../../engine/html/extract.ts'

export type DocumentRequest =
  | ({ readonly kind: 'extract'; readonly text: string } & Extraction)
  | { readonly kind: 'to_html' | 'to_markdown'; readonly text: string }
  | { readonly kind: 'feed'; readonly text: string; readonly url: string }

export type DocumentReply =
  /** JSON for fields and entries; plain text otherwise. */
  { readonly text: string } | { readonly refusal: { readonly said: Said; readonly field: string | null } }
