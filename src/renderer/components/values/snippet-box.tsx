import { useState } from 'react'
import { t } from '../../lib/i18n.ts'
import { recall, remember } from '../../lib/remembered.ts'
import { SNIPPET_LANGUAGES, toSnippet } from '../../lib/snippets.ts'
import type { SnippetLanguage, SnippetRequest } from '../../lib/snippets.ts'
import { CopyIcon } from './copy-button.tsx'
import { Tabs } from '../controls/tabs.tsx'

/**
 * Evaluated on use, because chunks of the build can import each other, and the other chunk's exports may not be set
 * before.
 */
const languages = () => Object.entries(SNIPPET_LANGUAGES) as [SnippetLanguage, string][]

/**
 * A request in the reader's preferred language, which is remembered. The display may mask a secret that the copy
 * contains.
 */
export function SnippetBox({
  request,
  shown,
}: {
  readonly request: SnippetRequest
  readonly shown?: SnippetRequest
}) {
  const [language, setLanguage] = useState<SnippetLanguage>(() => {
    const last = recall('snippet')
    return last !== null && Object.hasOwn(SNIPPET_LANGUAGES, last) ? (last as SnippetLanguage) : 'curl'
  })
  return (
    <div className="shrink-0 overflow-hidden rounded border border-line bg-sunken">
      <Tabs
        label={t('Snippet language')}
        value={language}
        onChange={(next) => {
          setLanguage(next)
          remember('snippet', next)
        }}
        isDense
        aside={<CopyIcon label={t('Copy')} text={() => toSnippet(language, request)} />}
        tabs={languages().map(([value, label]) => ({
          value,
          label,
          content: <Pre>{toSnippet(value, shown ?? request)}</Pre>,
        }))}
      />
    </div>
  )
}

/** Preformatted text that can be scrolled by keyboard if it is longer than its box. */
export function Pre({ children, label }: { readonly children: string; readonly label?: string }) {
  return (
    <pre
      // oxlint-disable-next-line jsx-a11y/no-noninteractive-tabindex -- what scrolls must be reachable by keyboard
      tabIndex={0}
      aria-label={label}
      className="max-h-80 overflow-auto px-3 py-2.5 text-code break-all whitespace-pre-wrap focus-visible:-outline-offset-2"
    >
      {children}
    </pre>
  )
}
