/** A table of requests that fills the terminal, grows at the bottom and can be navigated. */
import { emitKeypressEvents, type Key } from 'node:readline'
import { shownInLine } from './output.ts'

export interface LiveRow {
  readonly id: string
  readonly time: string
  readonly method: string
  readonly path: string
  /** The status code, or a word if there is none. */
  readonly status: string
  readonly ms: string
  /** A remark about the request. */
  readonly note: string
}

export interface LiveState {
  readonly head: string
  readonly rows: readonly LiveRow[]
  /** Null selects the newest row, and follows new ones. */
  readonly chosen: string | null
  /** Only rows that contain this text are shown. */
  readonly filter: string
  readonly isTyping: boolean
  readonly message: string
  /** Requests that wait until the program listens. */
  readonly waiting: number
}

interface Size {
  readonly columns: number
  readonly rows: number
}

/** The width from which each column is shown. */
const SHOWN_FROM = { time: 56, ms: 36, note: 72 } as const
const NARROWEST_PATH = 8
const HELP = '↑ ↓ choose   r send again   / filter   q quit'

/** The lines to print: at most as many as the screen has, and none longer than its width. */
export function drawLiveTable(state: LiveState, { columns, rows }: Size, hasColor: boolean): string[] {
  const found = matching(state)
  const at = positionOf(found, state.chosen)
  const place = Math.max(1, rows - 2)
  // Shows the chosen row, or else the end.
  const from = Math.max(0, Math.min(found.length - place, at))
  const lines = found
    .slice(from, from + place)
    .map((row, index) => drawRow(row, { columns, isChosen: from + index === at, hasColor }))
  const empty = state.rows.length === 0 ? 'No request yet.' : 'No request contains this text.'
  return [
    cut(shownInLine(state.head), columns),
    ...(lines.length === 0 ? [cut(empty, columns)] : lines),
    cut(shownInLine(footOf(state)), columns),
  ].slice(0, Math.max(1, rows))
}

function drawRow(
  { time, method, path, status, ms, note }: LiveRow,
  { columns, isChosen, hasColor }: { columns: number; isChosen: boolean; hasColor: boolean },
): string {
  const before = [isChosen ? '>' : ' ', ...(columns >= SHOWN_FROM.time ? [time] : []), method.padEnd(6)]
  const after = [status.padStart(5), ...(columns >= SHOWN_FROM.ms ? [ms.padStart(9)] : [])]
  const taken = [...before, ...after].reduce((sum, one) => sum + one.length + 1, 0)
  const noted = columns >= SHOWN_FROM.note ? cut(shownInLine(note), Math.floor((columns - taken) / 2)) : ''
  const width = Math.max(NARROWEST_PATH, columns - taken - (noted === '' ? 0 : noted.length + 1))
  const middle = cut(shownInLine(path), width).padEnd(width)
  const line = cut([...before, middle, ...after, ...(noted === '' ? [] : [noted])].join(' '), columns)
  if (!hasColor) return line
  return `${isChosen ? '\u001b[1m' : ''}\u001b[${colorOf(status)}m${line}\u001b[0m`
}

/** Uses the terminal's own colors: red, yellow, gray, and the default. */
function colorOf(status: string): number {
  if (!/^\d/.test(status)) return 90
  return status >= '5' ? 31 : status >= '4' ? 33 : 39
}

function footOf({ isTyping, filter, message, waiting }: LiveState): string {
  if (isTyping) return `/${filter}█`
  const kept = waiting === 0 ? [] : [`${waiting} waiting for the program`]
  return [...kept, message === '' ? HELP : message, ...(filter === '' ? [] : [`/${filter}`])].join('   ')
}

function matching({ rows, filter }: Pick<LiveState, 'rows' | 'filter'>): readonly LiveRow[] {
  if (filter === '') return rows
  const wanted = filter.toLowerCase()
  return rows.filter(({ method, path, status, note }) =>
    `${method} ${path} ${status} ${note}`.toLowerCase().includes(wanted),
  )
}

function positionOf(rows: readonly LiveRow[], chosen: string | null): number {
  const at = chosen === null ? -1 : rows.findIndex(({ id }) => id === chosen)
  return at === -1 ? rows.length - 1 : at
}

function cut(text: string, width: number): string {
  return text.length <= width ? text : `${text.slice(0, Math.max(0, width - 1))}…`
}

/** The state after a key was pressed; null if the key isn't for the table. */
export function afterKey(state: LiveState, { name = '', sequence = '', ctrl, meta }: Key): LiveState | null {
  if (ctrl || meta) return null
  if (state.isTyping) {
    const typing = (filter: string) => ({ ...state, filter, chosen: null })
    if (name === 'return' || name === 'enter') return { ...state, isTyping: false }
    if (name === 'escape') return { ...typing(''), isTyping: false }
    if (name === 'backspace') return typing(state.filter.slice(0, -1))
    return /^[^\p{C}]$/u.test(sequence) ? typing(state.filter + sequence) : null
  }
  if (sequence === '/') return { ...state, isTyping: true, message: '' }
  if (name !== 'up' && name !== 'down') return null
  const found = matching(state)
  const at = positionOf(found, state.chosen) + (name === 'up' ? -1 : 1)
  // At the end, the selection follows new requests.
  const chosen = at >= found.length - 1 ? null : (found[Math.max(0, at)]?.id ?? null)
  return { ...state, chosen, message: '' }
}

export const chosenRow = (state: LiveState): LiveRow | undefined => {
  const found = matching(state)
  return found[positionOf(found, state.chosen)]
}

const MOST_ROWS = 1_000
const ENTER = '\u001b[?1049h\u001b[?25l'
const LEAVE = '\u001b[?25h\u001b[?1049l'

/** Takes over the terminal until the table is closed, or the process ends. */
export function openLiveTable(
  head: string,
  { onQuit, onAgain }: { readonly onQuit: () => void; readonly onAgain: (id: string) => Promise<string> },
) {
  const { stdin, stdout } = process
  const hasColor = !process.env.NO_COLOR
  let state: LiveState = {
    head,
    rows: [],
    chosen: null,
    filter: '',
    isTyping: false,
    message: '',
    waiting: 0,
  }
  let drawn = ''
  let isOpen = true

  function draw(): void {
    if (!isOpen) return
    const { columns, rows } = stdout
    // Overwrites the screen line by line, in one write, so that nothing flickers.
    const lines = drawLiveTable(state, { columns, rows }, hasColor).map((line) => `${line}\u001b[K`)
    const text = `\u001b[H${lines.join('\r\n')}\u001b[J`
    if (text !== drawn) stdout.write(text)
    drawn = text
  }

  function change(next: Partial<LiveState>): void {
    state = { ...state, ...next }
    draw()
  }

  function resize(): void {
    drawn = ''
    draw()
  }

  function press(_text: string | undefined, key: Key): void {
    if ((key.ctrl && key.name === 'c') || (!state.isTyping && key.sequence === 'q')) onQuit()
    else if (!state.isTyping && key.sequence === 'r') sendAgain()
    else change(afterKey(state, key) ?? {})
  }

  function sendAgain(): void {
    const row = chosenRow(state)
    if (row === undefined) return
    change({ message: `Sending ${row.method} ${row.path} again …` })
    onAgain(row.id).then(
      (message) => change({ message }),
      (error: unknown) => change({ message: error instanceof Error ? error.message : String(error) }),
    )
  }

  function close(): void {
    if (!isOpen) return
    isOpen = false
    stdin.off('keypress', press).setRawMode(false).pause()
    stdout.off('resize', resize)
    process.off('exit', close)
    stdout.write(LEAVE)
  }

  process.once('exit', close)
  emitKeypressEvents(stdin)
  stdout.write(ENTER)
  stdin.setRawMode(true).on('keypress', press).resume()
  stdout.on('resize', resize)
  draw()
  return {
    /** Adds rows, or replaces existing ones. */
    show(changed: readonly LiveRow[], waiting: number): void {
      const byId = new Map([...state.rows, ...changed].map((row) => [row.id, row]))
      change({ rows: [...byId.values()].slice(-MOST_ROWS), waiting })
    },
    close,
  }
}
