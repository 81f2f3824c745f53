import { BookOpen } from '../../../lib/icons.tsx'
import { useState } from 'react'
import { Button } from '../../../components/controls/button.tsx'
import { Dialog } from '../../../components/screen/dialog.tsx'
import { TextInput } from '../../../components/controls/field.tsx'
import { t, useShownLanguage } from '../../../lib/i18n.ts'
import { linkedSection, SECTIONS } from './docs.ts'
import { searchSections, type Section } from '../../../../shared/docs.ts'
import { findHelp } from './find-help.ts'
import { Markdown } from '../../../components/values/markdown.tsx'
import { HELP_INDEX } from './topic.ts'
import type { Topic } from './topic.ts'

/** Commands are shown with the URL of this Millrace: port 4747 may have been taken. */
const withOwnUrl = (text: string) => text.replaceAll('http://127.0.0.1:4747/v1', `${location.origin}/v1`)

/** The list of all documents, with its headings. */
const INDEX = SECTIONS.filter(({ doc }) => doc === HELP_INDEX.doc)
  .map(({ heading, docTitle, text }) => (heading === docTitle ? text : `## ${heading}\n\n${text}`))
  .join('\n\n')

interface HelpPanelProps {
  readonly topic: Topic | null
  readonly onClose: () => void
}

/** The documentation about the focused field, and a search over all of it; offline, and in English. */
export function HelpPanel({ topic, onClose }: HelpPanelProps) {
  return (
    <Dialog open={topic !== null} wide title={t('Help')} onClose={onClose}>
      {topic === null ? null : <Content topic={topic} />}
    </Dialog>
  )
}

function Content({ topic }: { readonly topic: Topic }) {
  const [typed, setTyped] = useState('')
  const [chosen, setChosen] = useState<Section | null>(null)
  const help = findHelp(SECTIONS, topic)
  const section = chosen ?? help?.section
  const isIndex = section?.doc === HELP_INDEX.doc
  const found = searchSections(SECTIONS, typed)
  const open = (next: Section | undefined) => {
    if (next !== undefined) setChosen(next)
    setTyped('')
  }
  const openerOf = (target: string) => {
    const linked = linkedSection(SECTIONS, section?.doc ?? '', target)
    return linked && (() => open(linked))
  }
  const isEnglish = useShownLanguage() === 'en'
  return (
    <div className="flex flex-col gap-3">
      {isEnglish ? null : <p className="text-muted">{t('The help is only available in English.')}</p>}
      <TextInput
        type="search"
        data-first-focus
        aria-label={t('Search the docs')}
        placeholder={t('Search the docs')}
        value={typed}
        onChange={setTyped}
      />
      {typed.trim() !== '' ? (
        <Found sections={found} onOpen={open} />
      ) : section === undefined ? null : (
        <>
          {isIndex ? null : (
            <Button
              look="quiet"
              icon={BookOpen}
              className="self-start"
              onClick={() => open(findHelp(SECTIONS, HELP_INDEX)?.section)}
            >
              {t('All help topics')}
            </Button>
          )}
          <article lang="en" className="flex flex-col gap-3 [overflow-wrap:anywhere]" aria-live="polite">
            {chosen === null && topic.text !== undefined ? (
              <Markdown text={topic.text} openerOf={() => undefined} />
            ) : null}
            <h2 className="text-lg font-semibold">
              {section.heading === section.docTitle ? (
                ''
              ) : (
                <span className="text-muted">{section.docTitle} / </span>
              )}
              {section.heading.replaceAll('`', '')}
            </h2>
            {chosen === null && help?.entry ? (
              <Markdown text={withOwnUrl(help.entry)} openerOf={openerOf} />
            ) : null}
            <Markdown text={isIndex ? INDEX : withOwnUrl(section.text)} openerOf={openerOf} />
            {isIndex ? null : <Contents doc={section.doc} current={section} onOpen={open} />}
          </article>
        </>
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
              className="flex min-h-8 w-full items-center gap-2 rounded px-2 text-left hover:bg-hover"
            >
              <span className="text-muted">{section.docTitle}</span>
              {section.heading === section.docTitle ? null : (
                <span>{section.heading.replaceAll('`', '')}</span>
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
          className="min-h-6 text-accent-text hover:underline"
        >
          {section.heading.replaceAll('`', '')}
        </button>
      ))}
    </nav>
  )
}
