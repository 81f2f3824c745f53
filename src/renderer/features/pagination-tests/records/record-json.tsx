import { useVirtualizer } from '@tanstack/react-virtual'
import { useMemo, useRef } from 'react'
import { t } from '../../../lib/i18n.ts'
import { JsonLines } from './json-lines.ts'
import { ScrollRegion } from '../../../components/screen/scroll-region.tsx'

const LINE_PX = 18

/** The flat list as the JSON of a step's output. */
export function RecordJson({ records }: { readonly records: readonly unknown[] }) {
  const scroller = useRef<HTMLDivElement>(null)
  const lines = useMemo(() => new JsonLines(records), [records])
  const virtual = useVirtualizer({
    count: lines.count,
    getScrollElement: () => scroller.current,
    estimateSize: () => LINE_PX,
    overscan: 20,
  })
  return (
    <ScrollRegion ref={scroller} label={t('Records as JSON')} className="py-1 font-mono text-code">
      <div className="relative" style={{ height: virtual.getTotalSize() }}>
        {virtual.getVirtualItems().map((item) => (
          <div
            key={item.index}
            className="absolute inset-x-0 flex h-[18px] leading-[18px] whitespace-pre"
            style={{ top: item.start }}
          >
            <span aria-hidden className="tabular w-14 shrink-0 pr-3 text-right text-faint select-none">
              {item.index + 1}
            </span>
            <Line text={lines.line(item.index)} />
          </div>
        ))}
      </div>
    </ScrollRegion>
  )
}

const PIECES = /^(\s*)("(?:[^"\\]|\\.)*")?(:\s)?([^]*?)(,?)$/

/** Key, value and comma of one line; a line with only a string is a value. */
function Line({ text }: { readonly text: string }) {
  const [, indent = '', quoted, colon, rest = '', comma = ''] = PIECES.exec(text) ?? []
  const isKey = colon !== undefined
  const value = isKey ? rest : `${quoted ?? ''}${rest}`
  return (
    <span>
      {indent}
      {isKey ? <span className="text-data-key">{quoted}</span> : null}
      {colon}
      <span className={colourOf(value)}>{value}</span>
      {comma}
    </span>
  )
}

function colourOf(value: string): string {
  if (value.startsWith('"')) return 'text-data-string'
  if (/^-?\d/.test(value)) return 'text-data-number'
  return /^[tfn]/.test(value) ? 'text-data-literal' : 'text-faint'
}
