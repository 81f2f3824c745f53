import { useState } from 'react'
import { TextInput } from '../../../components/controls/field.tsx'
import { Markdown } from '../../../components/values/markdown.tsx'
import { t, useShownLanguage } from '../../../lib/i18n.ts'
import { searchSections, type Section } from '../../../../shared/docs.ts'
import { linkedSection, SECTIONS } from './docs.ts'
import { findHelp } from './find-help.ts'
import type { Topic } from './content/help.ts'
import { HELP_INDEX } from './help-store.ts'

/** Commands are shown with the URL of this Millrace, because port 4747 may have been taken. */
const withOwnUrl = (text: string) => text.replaceAll('http://127.0.0.1:4747/v1', `${location.origin}/v1`)

/** The list of all documents, with its headings. */
const INDEX = SECTIONS.filter(({ doc }) => doc === HELP_INDEX.doc)
  .map(({ heading, docTitle, text }) => (heading === docTitle ? text : `## ${heading}\n\n${text}`))
  .join('\n\n')

interface DocsReaderProps {
  readonly topic: Topic
  readonly onRead: (topic: Topic) => void
}

/** The documents, one section at a time, and a search over all of them; offline, and in English. */
export function DocsReader({ topic, onRead }: DocsReaderProps) {
  const [typed, setTyped] = useState('')
  const help = findHelp(SECTIONS, topic)
  const section = help?.section
  const isIndex = section?.doc === HELP_INDEX.doc
  const open = (next: Section | undefined) => {
    if (next !== undefined) onRead({ doc: next.doc, heading: next.heading })
    setTyped('')
  }
  const openerOf = (target: string) => {
    const linked = linkedSection(SECTIONS, section?.doc ?? '', target)
    return linked && (() => open(linked))
  }
  const isEnglish = useShownLanguage() === 'en'
  return (
    <div className="flex flex-col gap-3 p-4">
      {isEnglish ? null : <p className="text-muted">{t('The documents are only available in English.')}</p>}
      <TextInput
        type="search"
        aria-label={t('Search the docs')}
        placeholder={t('Search the docs')}
        value={typed}
        onChange={setTyped}
      />
      {typed.trim() !== '' ? (
        <Found sections={searchSections(SECTIONS, typed)} onOpen={open} />
      ) : section === undefined ? null : (
        <article lang="en" className="flex flex-col gap-3 [overflow-wrap:anywhere]" aria-live="polite">
          <h2 className="text-lg font-semibold">
            {section.heading === section.docTitle ? (
              ''
            ) : (
              <span className="text-muted">{section.docTitle} / </span>
            )}
            {section.heading.replaceAll('`', '')}
          </h2>
          {help?.entry ? <Markdown text={withOwnUrl(help.entry)} openerOf={openerOf} /> : null}
          <Markdown text={isIndex ? INDEX : withOwnUrl(section.text)} openerOf={openerOf} />
          {isIndex ? null : <Contents doc={section.doc} current={section} onOpen={open} />}
        </article>
      )}
    </div>
  )
}

interface FoundProps {
  readonly sections: readonly Section[]
  readonly onOpen: (section: Section) => void
}

function Found({ sections, onOpen }: FoundProps) {
  return (
    <>
      <p role="status" className="text-muted">
        {sections.length === 0 ? t('No results in the docs.') : ''}
      </p>
      <ul lang="en" className="flex flex-col">
        {sections.map((section) => (
          <li key={`${section.doc} ${section.heading}`}>
            <button
              type="button"
              onClick={() => onOpen(section)}
              className="w-full rounded px-2 py-1.5 text-left hover:bg-hover"
            >
              <span className="block">{section.heading.replaceAll('`', '')}</span>
              {section.heading === section.docTitle ? null : (
                <span className="block text-sm text-muted">{section.docTitle}</span>
              )}
            </button>
          </li>
        ))}
      </ul>
    </>
  )
}

interface ContentsProps {
  readonly doc: string
  readonly current: Section
  readonly onOpen: (section: Section) => void
}

function Contents({ doc, current, onOpen }: ContentsProps) {
  const others = SECTIONS.filter((one) => one.doc === doc && one !== current)
  return (
    <nav
      aria-label={t('More of this document')}
      className="flex flex-wrap gap-x-4 border-t border-line pt-2 text-sm"
    >
      {others.map((section) => (
        <button
          key={section.heading}
          type="button"
          onClick={() => onOpen(section)}
          className="min-h-6 text-left text-accent-text hover:underline"
        >
          {section.heading.replaceAll('`', '')}
        </button>
      ))}
    </nav>
  )
}
