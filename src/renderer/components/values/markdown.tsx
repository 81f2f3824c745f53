import type { ReactNode } from 'react'
import { CopyIcon } from './copy-button.tsx'
import { t } from '../../lib/i18n.ts'
import { safeHref } from '../../lib/urls.ts'

/** The part of Markdown used by the project's own documentation, as elements. Nothing in it is ever parsed as HTML. */
export function Markdown({ text, openerOf }: Linked & { readonly text: string }) {
  return splitBlocks(text).map((block) => <Block key={block.at} lines={block.lines} openerOf={openerOf} />)
}

interface Linked {
  /** Opens the section that a relative link leads to; undefined if the help doesn't have it. */
  readonly openerOf: (target: string) => (() => void) | undefined
}

interface BlockProps extends Linked {
  readonly lines: readonly string[]
}

function Block({ lines, openerOf }: BlockProps) {
  const [first = ''] = lines
  // Pictures are left out: they show the app, which is right here.
  if (first.startsWith('![')) return null
  const inline = (text: string) => <Inline text={text} openerOf={openerOf} />
  if (first.startsWith('```'))
    return <Code text={lines.filter((line) => !line.startsWith('```')).join('\n')} />
  const heading = /^#{2,4} (.*)$/.exec(first)
  if (heading !== null) return <h3 className="pt-1 font-semibold">{inline(heading[1] ?? '')}</h3>
  if (first.startsWith('|')) return <Table lines={lines} openerOf={openerOf} />
  const number = /^(\d+)\. /.exec(first)?.[1]
  if (number !== undefined)
    return (
      <ol start={Number(number)} className="flex list-decimal flex-col gap-1 pl-5">
        {itemsOf(lines).map((item) => (
          <li key={item}>{inline(item)}</li>
        ))}
      </ol>
    )
  if (/^[-*] /.test(first))
    return (
      <ul className="flex list-disc flex-col gap-1 pl-5">
        {itemsOf(lines).map((item) => (
          <li key={item}>{inline(item)}</li>
        ))}
      </ul>
    )
  return <p>{inline(lines.join(' '))}</p>
}

function Code({ text }: { readonly text: string }) {
  return (
    <div className="relative">
      <pre className="overflow-x-auto rounded border border-line bg-sunken py-2 pr-10 pl-3 text-code whitespace-pre-wrap">
        {text}
      </pre>
      <div className="absolute top-1 right-1">
        <CopyIcon label={t('Copy code')} text={text} />
      </div>
    </div>
  )
}

function Table({ lines, openerOf }: BlockProps) {
  const rows = lines.filter((line) => !/^\|[\s|:-]+\|$/.test(line)).map(cellsOf)
  const [head = [], ...body] = rows
  return (
    <table className="w-full border-collapse">
      <thead>
        <tr className="border-b border-line text-left">
          {head.map((cell) => (
            <th key={cell} className="py-1 pr-3 align-top font-medium">
              <Inline text={cell} openerOf={openerOf} />
            </th>
          ))}
        </tr>
      </thead>
      <tbody>
        {body.map((cells) => (
          <tr key={cells.join('|')} className="border-b border-line">
            {cells.map((cell, index) => (
              // The columns of a table never move.
              <td key={index} className="py-1 pr-3 align-top [overflow-wrap:anywhere]">
                <Inline text={cell} openerOf={openerOf} />
              </td>
            ))}
          </tr>
        ))}
      </tbody>
    </table>
  )
}

/** Code, bold words and links; a link to another section opens it here. */
function Inline({ text, openerOf }: Linked & { readonly text: string }): ReactNode {
  return [...text.matchAll(/`([^`]+)`|\*\*([^*]+)\*\*|\[([^\]]+)\]\(([^)\s]+)\)|[^`*[]+|[`*[]/g)].map(
    (found) => {
      const [whole, code, bold, label, target = ''] = found
      if (code !== undefined)
        return (
          <code key={found.index} className="rounded-sm bg-sunken px-1 text-code">
            {code}
          </code>
        )
      if (bold !== undefined) return <strong key={found.index}>{bold}</strong>
      if (label === undefined) return whole
      const open = openerOf(target)
      if (open !== undefined)
        return (
          <button key={found.index} type="button" className="text-accent-text underline" onClick={open}>
            {label}
          </button>
        )
      const href = safeHref(target)
      return href === undefined ? (
        label
      ) : (
        <a
          key={found.index}
          href={href}
          target="_blank"
          rel="noreferrer"
          className="text-accent-text underline"
        >
          {label}
        </a>
      )
    },
  )
}

interface Lines {
  readonly at: number
  readonly lines: readonly string[]
}

/** Separated by empty lines, except those inside code. */
function splitBlocks(text: string): readonly Lines[] {
  const blocks: { at: number; lines: string[] }[] = []
  let isCode = false
  let current: { at: number; lines: string[] } | null = null
  for (const [at, line] of text.split('\n').entries()) {
    const isFence = line.startsWith('```')
    if (!isCode && (line.trim() === '' || isFence || /^#{2,4} /.test(line))) current = null
    if (line.trim() !== '' || isCode) {
      if (current === null) blocks.push((current = { at, lines: [] }))
      current.lines.push(line)
      if (/^#{2,4} /.test(line) && !isCode) current = null
    }
    if (isFence) isCode = !isCode
    if (isFence && !isCode) current = null
  }
  return blocks
}

function itemsOf(lines: readonly string[]): readonly string[] {
  return lines.reduce<string[]>((items, line) => {
    const item = /^(?:[-*]|\d+\.) (.*)$/.exec(line)?.[1]
    return item === undefined
      ? [...items.slice(0, -1), `${items.at(-1) ?? ''} ${line.trim()}`]
      : [...items, item]
  }, [])
}

function cellsOf(line: string): readonly string[] {
  return line
    .slice(1, -1)
    .split(/(?<!\\)\|/)
    .map((cell) => cell.trim().replaceAll('\\|', '|'))
}
