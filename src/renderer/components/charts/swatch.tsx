import { useId } from 'react'
import { type Series, type Tone, TONES } from './series.ts'

/** A sample of a series' color and pattern, next to its name. */
export function Swatch({ series: { tone }, isLine }: { readonly series: Series; readonly isLine: boolean }) {
  const id = useId()
  return (
    <svg aria-hidden width={12} height={10} className="shrink-0">
      {isLine ? (
        <path d="M0 5h12" strokeWidth={2} className={TONES[tone].stroke} strokeDasharray={dashesOf(tone)} />
      ) : (
        <>
          {tone === 'doubt' ? <Hatching id={id} /> : null}
          <path d="M1.5 .5h9v9h-9z" {...fillOf(tone, id)} />
        </>
      )}
    </svg>
  )
}

export const dashesOf = (tone: Tone) => (tone === 'second' ? '5 3' : undefined)

/** Values in doubt are hatched. */
export function fillOf(tone: Tone, hatchingId: string) {
  return tone === 'doubt'
    ? { fill: `url(#${hatchingId})`, className: TONES.doubt.stroke, strokeWidth: 1 }
    : { className: TONES[tone].fill }
}

export function Hatching({ id }: { readonly id: string }) {
  return (
    <pattern id={id} width={4} height={4} patternUnits="userSpaceOnUse" patternTransform="rotate(45)">
      <path d="M1 0v4" strokeWidth={2} className={TONES.doubt.stroke} />
    </pattern>
  )
}
