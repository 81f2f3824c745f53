import { endOf } from '../../../shared/trim.ts'
import { startCompletion } from '@codemirror/autocomplete'
import type { Completion, CompletionContext, CompletionResult } from '@codemirror/autocomplete'
import type { EditorView } from '@codemirror/view'
import type { CompletionEntry, TemplatePreview } from '../../../shared/contract/templates.ts'
import { t } from '../../lib/i18n.ts'
import { describeValue, resolvePath } from '../../lib/scope.ts'
import type { ScopeNode, ScopeType } from '../../lib/scope.ts'
import { templateCursor } from './template-cursor.ts'
import type { TemplateCursor } from './template-cursor.ts'
import type { TemplateHelp } from './template-help.ts'

/** The completions at the cursor: names and keys of the data first, then those of the language. */
export function completeTemplate(context: CompletionContext, help: TemplateHelp): CompletionResult | null {
  const text = context.state.doc.toString()
  const cursor = templateCursor(text, context.pos, help.bare)
  if (cursor.kind === 'text') return help.entryPath ? completeEntryPath(context, text, help) : null
  // Once the value is known, filters and methods that fit it are listed with their results.
  if (cursor.kind === 'filter' && subjectOf(text, cursor, help) !== null) return null
  if (cursor.kind === 'name' && !mayOffer(context, text, cursor.from, help.bare)) return null
  return {
    from: cursor.from,
    options: optionsAt(cursor, help),
    validFor: /^\w*$/,
  }
}

/**
 * Completions that fit the value before the cursor, each with its result: filters after `|`, methods after a dot, and
 * both after a complete name or key.
 */
export function completeWithResults(
  context: CompletionContext,
  help: TemplateHelp,
): Promise<CompletionResult | null> | null {
  const text = context.state.doc.toString()
  const cursor = templateCursor(text, context.pos, help.bare)
  if (cursor.kind === 'text' || cursor.kind === 'tag' || cursor.kind === 'test') return null
  const subject = subjectOf(text, cursor, help)
  if (subject === null) return null
  return continuationsAt(subject, cursor, help)
}

async function continuationsAt(
  { expression, isWhole }: Subject,
  cursor: Exclude<TemplateCursor, { kind: 'text' }>,
  help: TemplateHelp,
): Promise<CompletionResult | null> {
  const found = await help.continued(expression)
  if (isWhole) {
    const word = endOf(expression, /\w/)
    const options = found.map((one, index) => ({
      ...resultOption(one, 0, index),
      label: `${word}${one.insert}`,
      displayLabel: one.insert.trim(),
    }))
    return options.length === 0 ? null : { from: cursor.from, options, validFor: /^\w*$/ }
  }
  const kind = cursor.kind === 'filter' ? 'filter' : 'method'
  const fitting = found.filter((one) => one.kind === kind)
  const names = new Set(fitting.map(({ name }) => name))
  const type = resolvePath(help.scope(), expression)?.type
  /** A complete key has its own continuations. */
  const isPart = (word: string) =>
    /^\w*$/.test(word) && !(cursor.kind === 'key' && word !== '' && isKnown(`${cursor.path}.${word}`, help))
  const others =
    kind === 'method'
      ? methodsOf(help.entries(), type).filter(({ name }) => !names.has(name))
      : fitting.length === 0
        ? help.entries().filter((entry) => entry.kind === 'filter')
        : []
  const options = [
    ...fitting.map((one, index) => resultOption(one, 60, index)),
    ...others.map((entry) => ({ ...(kind === 'method' ? callOption : filterOption)(entry), boost: -99 })),
  ]
  return options.length === 0 ? null : { from: cursor.from, options, validFor: isPart }
}

interface Subject {
  readonly expression: string
  /** Whether it ends right at the cursor, so that its last word may still be incomplete. */
  readonly isWhole: boolean
}

// Paths followed by filters; linear: read in the last `LONGEST_SUBJECT` characters
const SUBJECT =
  /[A-Za-z_]\w*(?:\.[A-Za-z_]\w*|\[(?:-?\d+|'[^']*'|"[^"]*")\])*(?:\s*\|\s*[A-Za-z_]\w*(?:\([^()]*\))?)*\s*$/

const LONGEST_SUBJECT = 500

/** The expression whose value is continued at the cursor; null if its value isn't known. */
function subjectOf(
  text: string,
  cursor: Exclude<TemplateCursor, { kind: 'text' }>,
  help: TemplateHelp,
): Subject | null {
  if (cursor.kind === 'filter') {
    const before = text.slice(0, cursor.from).replace(/\|\s*$/, '')
    const expression = SUBJECT.exec(before.slice(-LONGEST_SUBJECT))?.[0].trim()
    if (expression === undefined || !isKnown(expression.replace(/\|[^]*/, '').trim(), help)) return null
    return { expression, isWhole: false }
  }
  const word = /^\w*/.exec(text.slice(cursor.from))?.[0] ?? ''
  const path = cursor.kind === 'key' ? `${cursor.path}.${word}` : word
  if (word !== '' && isKnown(path, help)) return { expression: path, isWhole: true }
  return cursor.kind === 'key' && isKnown(cursor.path, help)
    ? { expression: cursor.path, isWhole: false }
    : null
}

function isKnown(path: string, help: TemplateHelp): boolean {
  const node = resolvePath(help.scope(), path)
  return node !== undefined && node.type !== 'unknown'
}

/** An option with a short form of its result next to it, and the full result in its card. */
function resultOption(
  { kind, name, insert, help, result }: TemplatePreview['continuations'][number],
  boost: number,
  index: number,
): Completion {
  const written = insert.replace(/^(?: \| |\.)/, '')
  return {
    label: written,
    type: kind,
    detail: result === null ? '' : `→ ${shorten(result)}`,
    boost: Math.max(boost - index, -99),
    info: () => infoOf(name, KIND_WORDS[kind], result === null ? help : `${help}\n\n${result}`),
  }
}

const shorten = (text: string) => (text.length > 32 ? `${text.slice(0, 32)}…` : text)

/** The fields of the list's items, for a field that contains a path. */
function completeEntryPath(
  { pos, explicit }: CompletionContext,
  text: string,
  help: TemplateHelp,
): CompletionResult | null {
  const before = text.slice(0, pos)
  if (text.includes('{') || !/^[\w.]*$/.test(before) || (before === '' && !explicit)) return null
  const parent = before.includes('.') ? `.${before.slice(0, before.lastIndexOf('.'))}` : ''
  const node = resolvePath(help.scope(), `item${parent}`)
  const fields = (node?.children() ?? []).filter(({ name }) => !name.startsWith('['))
  if (fields.length === 0) return null
  return {
    from: pos - endOf(before, /\w/).length,
    options: fields.map((field, index) => nameOption(field, 90 - index)),
    validFor: /^\w*$/,
  }
}

/** Names are offered automatically where one can follow, not after every space. */
function mayOffer({ pos, explicit }: CompletionContext, text: string, from: number, bare: boolean): boolean {
  return explicit || bare || from < pos || /[{(,=|%]\s*$/.test(text.slice(0, from))
}

function optionsAt(cursor: Exclude<TemplateCursor, { kind: 'text' }>, help: TemplateHelp): Completion[] {
  const ofKind = (kind: CompletionEntry['kind']) => help.entries().filter((entry) => entry.kind === kind)
  if (cursor.kind === 'filter') return ofKind('filter').map(filterOption)
  if (cursor.kind === 'test') return ofKind('test').map(filterOption)
  if (cursor.kind === 'tag') return ofKind('tag').map(plainOption)
  if (cursor.kind === 'name')
    return [
      ...help.scope().map((node, index) => nameOption(node, 90 - index)),
      ...ofKind('global').map(callOption),
    ]
  const keys = resolvePath(help.scope(), cursor.path)?.children() ?? []
  return [
    ...keys.map((child, index) => keyOption(child, cursor.dot, 90 - index)),
    // For a known value, methods are listed with their results instead.
    ...(isKnown(cursor.path, help) ? [] : ofKind('method').map(callOption)),
  ]
}

function nameOption(node: ScopeNode, boost: number): Completion {
  return {
    label: node.name,
    type: node.type,
    detail: detailOf(node),
    boost: Math.max(boost, 0),
    info: () => infoOf(node.path, typeWord(node.type), describeValue(node)),
  }
}

/** A key that isn't a name goes into brackets instead of after a dot. */
function keyOption(node: ScopeNode, dot: number, boost: number): Completion {
  const option = nameOption(node, boost)
  if (!node.name.startsWith('[')) return option
  return {
    ...option,
    apply: (view, _completion, _from, to) =>
      view.dispatch({
        changes: { from: dot, to, insert: node.name },
        selection: { anchor: dot + node.name.length },
        userEvent: 'input.complete',
      }),
  }
}

function callOption(entry: CompletionEntry): Completion {
  return {
    ...plainOption(entry),
    displayLabel: `${entry.name}()`,
    apply: (view, _c, from, to) => insertCall(view, from, to, entry.name, entry.signature !== ''),
  }
}

/** Brackets are added if an argument is required. */
function filterOption(entry: CompletionEntry): Completion {
  const [first = ''] = entry.signature.split(',')
  const isRequired = first !== '' && !first.includes('=') && !first.startsWith('*')
  if (!isRequired) return plainOption(entry)
  return {
    ...plainOption(entry),
    apply: (view, _c, from, to) => insertCall(view, from, to, entry.name, true),
  }
}

function plainOption(entry: CompletionEntry): Completion {
  return {
    label: entry.name,
    type: entry.kind,
    detail: entry.signature === '' ? '' : `(${entry.signature})`,
    info: () => infoOf(signatureOf(entry), KIND_WORDS[entry.kind], entry.help),
  }
}

export function signatureOf({ name, signature }: CompletionEntry): string {
  return signature === '' ? name : `${name}(${signature})`
}

const KIND_WORDS: { readonly [K in CompletionEntry['kind']]: string } = {
  filter: 'filter',
  test: 'test',
  global: 'function',
  method: 'method',
  tag: 'tag',
}

function insertCall(view: EditorView, from: number, to: number, name: string, hasArguments: boolean): void {
  const anchor = from + name.length + (hasArguments ? 1 : 2)
  view.dispatch({
    changes: { from, to, insert: `${name}()` },
    selection: { anchor },
    userEvent: 'input.complete',
  })
  if (hasArguments) startCompletion(view)
}

/** Methods of the type, if it is known. */
function methodsOf(
  entries: readonly CompletionEntry[],
  type: ScopeType | undefined,
): readonly CompletionEntry[] {
  const python = type === undefined ? undefined : PYTHON_TYPES[type]
  return entries.filter(
    ({ kind, types }) => kind === 'method' && (python === undefined || types.includes(python)),
  )
}

const PYTHON_TYPES: { readonly [T in ScopeType]?: string } = {
  text: 'str',
  list: 'list',
  dictionary: 'dict',
  number: 'int',
}

function detailOf({ type, sample }: ScopeNode): string {
  if (type === 'unknown') return t('not run yet')
  return sample.length > 32 ? `${sample.slice(0, 32)}…` : sample
}

export function typeWord(type: ScopeType): string {
  return type === 'boolean' ? t('true or false') : type === 'unknown' ? t('not known yet') : type
}

/** The card next to the list and under the pointer: a title, what it is, and its value or help. */
export function infoOf(title: string, word: string, text: string): HTMLElement {
  const card = document.createElement('div')
  card.className = 'cm-card'
  const head = card.appendChild(document.createElement('div'))
  head.className = 'cm-card-head'
  head.appendChild(document.createElement('code')).textContent = title
  head.appendChild(document.createElement('span')).textContent = word
  if (text !== '') card.appendChild(document.createElement('pre')).textContent = text
  return card
}
