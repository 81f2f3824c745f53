/** The requested help: a document, a heading in it, and a name such as a step type or a key. */
export interface Topic {
  readonly doc: string
  readonly heading?: string
  readonly term?: string
  /** Markdown about a part of a plug-in, above the section. */
  readonly text?: string
}

/** The list of all documents. */
export const HELP_INDEX: Topic = { doc: 'README' }

/**
 * The topic of the focused field, otherwise of the screen. Fields name theirs in `data-help`: `steps`, `steps webhook`, and steps of plug-ins
 * their own help in `data-help-text`.
 */
export function topicOf(focused: Element | null, path: string): Topic {
  const named = focused?.closest('[data-help]')
  const [doc, ...terms] = named?.getAttribute('data-help')?.split(' ') ?? []
  const text = named?.getAttribute('data-help-text')
  if (doc === 'pagination') return withTerm({ doc, heading: 'Keys' }, keyAtCursor(focused))
  if (doc !== undefined) return withTerm(text ? { doc, text } : { doc }, terms[0])
  return SCREENS.find(([start]) => path.startsWith(start))?.[1] ?? { doc: 'getting-started' }
}

const SCREENS: readonly (readonly [path: string, topic: Topic])[] = [
  ['/flows/', { doc: 'steps' }],
  ['/flows', { doc: 'getting-started', heading: '3. Build a flow' }],
  ['/runs', { doc: 'debug-a-failed-run', heading: 'In the app' }],
  ['/webhooks', { doc: 'webhooks' }],
  ['/connectors', { doc: 'connectors' }],
  ['/auths', { doc: 'credentials' }],
  ['/tokens', { doc: 'scopes' }],
  ['/env-variables', { doc: 'variables' }],
  ['/data-tables', { doc: 'keep-data-in-tables' }],
  ['/files', { doc: 'files' }],
  ['/users', { doc: 'faq', heading: 'Can several people use it?' }],
  ['/pagination', { doc: 'pagination', heading: 'How it works' }],
  ['/plugins', { doc: 'write-a-step' }],
  ['/reference', { doc: 'api' }],
  ['/settings', { doc: 'settings', heading: 'Program settings' }],
  ['/doctor', { doc: 'cli', heading: 'Diagnostics' }],
  ['/open-link', { doc: 'desktop-app', heading: 'Links' }],
  ['/logs', { doc: 'monitor-millrace', heading: 'Read the log' }],
]

/** The key in the cursor's line of a JSON editor. */
function keyAtCursor(focused: Element | null): string | undefined {
  const line = focused?.closest('.cm-editor')?.querySelector('.cm-activeLine')?.textContent ?? ''
  return /"(\w+)"\s*:/.exec(line)?.[1]
}

function withTerm(topic: Topic, term: string | undefined): Topic {
  return term === undefined ? topic : { ...topic, term }
}
