import { TriangleAlert } from '../../lib/icons.tsx'
import { useEffect, useRef } from 'react'
import type { InputKey, ListedRequest, ReceivedBody } from '../../../shared/contract/webhooks.ts'
import { formatJson } from '../../lib/json.ts'
import { CopyIcon } from '../../components/values/copy-button.tsx'
import { JsonTree } from '../../components/values/json-tree.tsx'
import { SplitPane } from '../../components/screen/split-pane.tsx'
import { MarkedText, WithMarks } from '../../components/values/marked-text.tsx'
import { cx } from '../../lib/cx.ts'
import { hexDump } from '../../lib/hex-dump.ts'
import { english, t } from '../../lib/i18n.ts'
import type { English } from '../../lib/i18n.ts'

interface ReceivedViewProps {
  readonly received: ReceivedBody
  /** The name by which templates read it: `web1`. */
  readonly refId: string | undefined
  readonly found: Found
}

/** The match of a search in the request. */
export interface Found {
  /** The words to mark; null marks nothing. */
  readonly words: RegExp | null
  readonly match: ListedRequest['match']
}

/** The bytes as received next to what was parsed from them, and which part of the request each key came from. */
export function ReceivedView({ received, refId, found }: ReceivedViewProps) {
  return (
    <SplitPane name="received" label={t('Raw body width')} direction="row" initial={330} min={160} max={1200}>
      <RawBody received={received} found={found} />
      <section aria-label={t('Parsed input')} className="flex min-h-0 flex-1 flex-col">
        {received.input === null ? (
          <p className="p-4 text-muted">{t('The flow got no input because the body couldn’t be read.')}</p>
        ) : (
          <>
            <h3 className={HEAD_CLASS}>
              {t('Parsed as {{kind}}', { kind: t(KIND_WORDS[received.kind ?? 'unknown']) })}
            </h3>
            <KeyOrigins keys={received.keys} />
            <JsonTree
              value={received.input}
              label={t('Parsed input')}
              {...(refId === undefined ? {} : { root: refId })}
            />
          </>
        )}
      </section>
    </SplitPane>
  )
}

const HEAD_CLASS = 'flex h-8 shrink-0 items-center gap-2 border-b border-line px-4 text-sm font-medium'

const KIND_WORDS: { readonly [K in NonNullable<ReceivedBody['kind']> | 'unknown']: English } = {
  json: english('JSON'),
  form: english('form'),
  multipart: english('multipart form'),
  xml: english('XML, here as JSON'),
  text: english('plain text (in “body”)'),
  none: english('no body'),
  unknown: english('this input'),
}

function RawBody({
  received: { encoding, body, truncated },
  found: { words, match },
}: Pick<ReceivedViewProps, 'received' | 'found'>) {
  const text = encoding === 'hex' ? hexDump(body) : body
  const shown = useRef<HTMLPreElement>(null)
  const pattern = words?.source ?? ''
  useEffect(() => {
    if (pattern !== '') shown.current?.querySelector('mark')?.scrollIntoView({ block: 'center' })
  }, [pattern])
  const isFurther = truncated && match && words !== null && text.search(words) === -1
  return (
    <section aria-label={t('Raw body')} className="flex min-h-0 flex-1 flex-col">
      <h3 className={HEAD_CLASS}>
        <span className="min-w-0 flex-1">
          {t('Raw body')}
          <span className="ml-2 font-normal text-muted">
            {encoding === 'hex' ? t('binary: bytes as hex') : ''}
          </span>
        </span>
        <CopyIcon label={t('Copy raw body')} text={body} />
      </h3>
      {truncated ? (
        <p className="border-b border-line px-4 py-1 text-retrying">{t('Only the beginning was kept.')}</p>
      ) : null}
      {isFurther ? (
        <p className="border-b border-line px-4 py-1 font-mono text-code">
          <MarkedText {...match} />
        </p>
      ) : null}
      {body === '' ? (
        <p className="p-4 text-muted">{t('No body.')}</p>
      ) : (
        <pre
          ref={shown}
          // oxlint-disable-next-line jsx-a11y/no-noninteractive-tabindex -- what scrolls must be reachable by keyboard
          tabIndex={0}
          aria-label={t('Raw body')}
          className={cx(
            'min-h-0 flex-1 overflow-auto px-4 py-2.5 text-code focus-visible:-outline-offset-2',
            encoding === 'text' && 'break-all whitespace-pre-wrap',
          )}
        >
          <WithMarks text={text} words={words} />
        </pre>
      )}
    </section>
  )
}

/** `id ← body`, and if both have one, whose value counts and which was ignored. */
function KeyOrigins({ keys }: { readonly keys: readonly InputKey[] }) {
  const isPlain = keys.every(({ from }) => from === 'body')
  if (keys.length === 0 || isPlain) return null
  const collisions = keys.filter(({ from }) => from === 'both')
  return (
    <div className="max-h-40 shrink-0 overflow-auto border-b border-line px-4 py-2 text-sm">
      <ul aria-label={t('Source of each key')} className="flex flex-wrap gap-1.5">
        {keys.map(({ name, from }) => (
          <li
            key={name}
            className={cx(
              'rounded-full border px-2 font-mono',
              from === 'both' ? 'border-retrying text-retrying' : 'border-line text-muted',
            )}
          >
            {name} ← {t(ORIGINS[from])}
          </li>
        ))}
      </ul>
      {collisions.map(({ name, lost }) => (
        <p key={name} className="mt-1.5 flex items-start gap-1.5 text-retrying">
          <TriangleAlert size={13} aria-hidden className="mt-0.5 shrink-0" />
          <span className="min-w-0 [overflow-wrap:anywhere]">
            {lost === undefined
              ? t('“{{name}}” is in both the body and the query. The query’s value is used.', { name })
              : t(
                  '“{{name}}” is in both the body and the query. The query’s value is used. The body’s value was {{lost}}.',
                  {
                    name,
                    lost: formatJson(lost, 0),
                  },
                )}
          </span>
        </p>
      ))}
    </div>
  )
}

const ORIGINS: { readonly [F in InputKey['from']]: English } = {
  body: english('body'),
  query: english('query'),
  both: english('query, overrides body'),
}
