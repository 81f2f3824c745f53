import type { ReactNode } from 'react'

export type PictureName = keyof typeof PICTURES

/** A drawing of the idea, in the colors of the theme and without words, so that it is the same in every language. */
export function Picture({ name }: { readonly name: PictureName }) {
  return (
    <svg
      viewBox="0 0 328 112"
      aria-hidden
      data-picture={name}
      className="w-full max-w-82 rounded border border-line bg-canvas"
      fill="none"
      strokeWidth={1.5}
      strokeLinecap="round"
      strokeLinejoin="round"
    >
      {PICTURES[name]}
    </svg>
  )
}

interface Place {
  readonly x: number
  readonly y: number
}

interface Sized extends Place {
  readonly w: number
  readonly h?: number
  readonly className?: string
}

const LINE = 'stroke-line-control'
const SECOND = 'stroke-second'

function Box({ x, y, w, h = 28, className = 'fill-surface stroke-line-control' }: Sized) {
  return <rect x={x} y={y} width={w} height={h} rx={6} className={className} />
}

/** The highlighted shape, which the picture is about. */
function Lit(props: Sized) {
  return <Box {...props} className="fill-second-soft stroke-second" />
}

/** Placeholder words; only their length is visible. */
function Words({ x, y, w, h = 6, className = 'fill-line' }: Sized) {
  return <rect x={x} y={y} width={w} height={h} rx={h / 2} className={className} />
}

function Code({ x, y, text, className = 'fill-text' }: Place & { text: string; className?: string }) {
  return (
    <text x={x} y={y} className={`font-mono text-sm ${className}`}>
      {text}
    </text>
  )
}

function Arrow({ x, y, to, className = LINE }: Place & { to: number; className?: string }) {
  return <path d={`M${x} ${y}H${to}m-5-4 5 4-5 4`} className={className} />
}

function Dot({ x, y, className = 'fill-success' }: Place & { className?: string }) {
  return <circle cx={x} cy={y} r={4} className={className} />
}

function Tick({ x, y }: Place) {
  return <path d={`M${x} ${y}l4 4 7-8`} className="stroke-success" strokeWidth={2} />
}

function Cross({ x, y }: Place) {
  return <path d={`M${x} ${y - 4}l8 8m0-8-8 8`} className="stroke-error" strokeWidth={2} />
}

interface BarsProps extends Place {
  readonly heights: readonly number[]
  readonly step: number
  readonly lit?: number
}

/** Columns on a line, one of them highlighted. */
function Bars({ x, y, heights, step, lit }: BarsProps) {
  return heights.map((height, at) => (
    <rect
      key={x + at * step}
      x={x + at * step}
      y={y - height}
      width={step - 4}
      height={height}
      rx={2}
      className={at === lit ? 'fill-chart-second' : 'fill-chart-main'}
    />
  ))
}

interface RowsProps extends Place {
  readonly dots: readonly string[]
  readonly lit?: number
}

/** A list: a state, a name and a time in each row. */
function Rows({ x, y, dots, lit }: RowsProps) {
  return dots.map((className, at) => {
    const top = y + at * 22
    return (
      <g key={top}>
        {at === lit ? (
          <rect x={x - 10} y={top - 11} width={252} height={22} rx={5} className="fill-selected" />
        ) : null}
        <Dot x={x} y={top} className={className} />
        <Words x={x + 16} y={top - 3} w={110 - (at % 2) * 26} className="fill-chart-quiet" />
        <Words x={x + 160} y={top - 3} w={30} />
        <Words x={x + 202} y={top - 3} w={28} />
      </g>
    )
  })
}

const OK = 'fill-success'
const BAD = 'fill-error'

function Cylinder({ x, y }: Place) {
  return (
    <g className="fill-surface stroke-line-control">
      <path d={`M${x} ${y}v44c0 14 56 14 56 0v-44`} />
      <ellipse cx={x + 28} cy={y} rx={28} ry={9} />
    </g>
  )
}

function Sheet({ x, y, className = 'fill-surface stroke-line-control' }: Place & { className?: string }) {
  return <path d={`M${x} ${y}h30l14 14v46h-44zM${x + 30} ${y}v14h14`} className={className} />
}

function Person({ x, y, className = 'fill-surface stroke-line-control' }: Place & { className?: string }) {
  return (
    <g className={className}>
      <circle cx={x} cy={y} r={11} />
      <path d={`M${x - 20} ${y + 38}c0-28 40-28 40 0z`} />
    </g>
  )
}

const PICTURES = {
  home: (
    <>
      <Words x={24} y={20} w={46} h={10} className="fill-text" />
      <Words x={104} y={20} w={34} h={10} className="fill-text" />
      <Words x={184} y={20} w={40} h={10} className="fill-text" />
      <Words x={24} y={37} w={30} />
      <Words x={104} y={37} w={42} />
      <Words x={184} y={37} w={26} />
      <path d="M24 98H304" className={LINE} />
      <Bars x={26} y={97} step={23} heights={[18, 26, 22, 34, 30, 12, 16, 28, 38, 24, 32, 20]} lit={8} />
    </>
  ),
  list: <Rows x={44} y={24} dots={[OK, OK, BAD, OK]} lit={2} />,
  chart: (
    <>
      <path d="M24 92H304" className={LINE} />
      <Bars x={34} y={91} step={38} heights={[24, 52, 36, 68, 44, 58, 30]} lit={3} />
    </>
  ),
  flow: (
    <>
      <path d="M54 56H276" className={LINE} />
      <Box x={24} y={40} w={60} h={32} />
      <Lit x={134} y={40} w={60} h={32} />
      <Box x={244} y={40} w={60} h={32} />
      <Arrow x={84} y={56} to={130} />
      <Arrow x={194} y={56} to={240} />
      <Words x={36} y={53} w={34} className="fill-chart-quiet" />
      <Words x={146} y={53} w={36} className="fill-chart-main" />
      <Words x={256} y={53} w={26} className="fill-chart-quiet" />
    </>
  ),
  canvas: (
    <>
      <path
        d="M84 56h26c14 0 10-26 24-26h10M84 56h26c14 0 10 26 24 26h10M204 30h14c14 0 10 26 24 26M204 82h14c14 0 10-26 24-26"
        className={LINE}
      />
      <Box x={24} y={42} w={60} />
      <Lit x={144} y={16} w={60} />
      <Box x={144} y={68} w={60} />
      <Box x={244} y={42} w={60} />
      <circle cx={118} cy={56} r={8} className="fill-accent" />
      <path d="M114 56h8m-4-4v8" className="stroke-on-accent" />
    </>
  ),
  json: (
    <>
      <Box x={24} y={14} w={280} h={84} />
      <Code x={40} y={36} text="{" />
      <Code x={54} y={52} text={'"name":'} className="fill-data-key" />
      <Code x={112} y={52} text={'"orders",'} className="fill-data-string" />
      <Code x={54} y={68} text={'"steps":'} className="fill-data-key" />
      <Code x={118} y={68} text="[ … ]" />
      <Code x={40} y={86} text="}" />
    </>
  ),
  versions: (
    <>
      <path d="M64 22V90" className={LINE} />
      {[24, 56, 88].map((y, at) => (
        <g key={y}>
          <circle
            cx={64}
            cy={y}
            r={6}
            className={at === 0 ? 'fill-second stroke-second' : 'fill-surface stroke-line-control'}
          />
          <Words x={86} y={y - 3} w={[90, 120, 74][at] ?? 90} className="fill-chart-quiet" />
          <Words x={254} y={y - 3} w={40} />
        </g>
      ))}
      <path d="M44 84c-20-16-20-44 0-58m-7 1 7-2 2 7" className={SECOND} />
    </>
  ),
  run: (
    <>
      <path d="M128 14V98M186 14V98M244 14V98M302 14V98" className="stroke-line" />
      {[
        [128, 34, 'fill-chart-main'],
        [162, 84, 'fill-chart-main'],
        [246, 40, 'fill-error'],
      ].map(([x, w, className], at) => (
        <g key={x}>
          <Words x={24} y={24 + at * 28} w={[64, 82, 50][at] ?? 60} className="fill-chart-quiet" />
          <rect x={x} y={20 + at * 28} width={w} height={14} rx={3} className={String(className)} />
        </g>
      ))}
    </>
  ),
  compare: (
    <>
      <Box x={24} y={14} w={130} h={84} />
      <Box x={174} y={14} w={130} h={84} />
      <rect x={30} y={47} width={118} height={18} rx={4} className="fill-error-soft" />
      <rect x={180} y={47} width={118} height={18} rx={4} className="fill-success-soft" />
      {[30, 53, 76].map((y, at) => (
        <g key={y}>
          <Words x={40} y={y} w={[80, 60, 90][at] ?? 60} className={at === 1 ? 'fill-error' : 'fill-line'} />
          <Words
            x={190}
            y={y}
            w={[80, 84, 90][at] ?? 60}
            className={at === 1 ? 'fill-success' : 'fill-line'}
          />
        </g>
      ))}
    </>
  ),
  webhook: (
    <>
      <Box x={24} y={22} w={92} h={26} />
      <Code x={34} y={39} text="POST {…}" className="fill-second" />
      <Arrow x={120} y={35} to={204} className={SECOND} />
      <Lit x={212} y={30} w={92} h={52} />
      <Words x={228} y={47} w={60} className="fill-chart-main" />
      <Words x={228} y={60} w={40} className="fill-chart-main" />
      <path d="M204 77H120m5-4-5 4 5 4" className={LINE} />
      <Box x={24} y={64} w={92} h={26} />
      <Code x={34} y={81} text="200 OK" className="fill-success" />
    </>
  ),
  connector: (
    <>
      <path d="M120 56 208 24M120 56H208M120 56l88 32" className={LINE} />
      <Lit x={44} y={34} w={76} h={44} />
      <Words x={60} y={53} w={44} className="fill-chart-main" />
      {[12, 46, 78].map((y, at) => (
        <g key={y}>
          <Box x={208} y={y} w={82} h={22} />
          <Words x={220} y={y + 8} w={[48, 34, 56][at] ?? 40} className="fill-chart-quiet" />
        </g>
      ))}
    </>
  ),
  auth: (
    <>
      <circle cx={66} cy={44} r={17} className="fill-second-soft stroke-second" />
      <path d="M82 52l38 22m-12-7-6 10m-4-16-6 10" className={SECOND} strokeWidth={3} />
      <circle cx={60} cy={41} r={4} className="fill-second" />
      <Box x={156} y={22} w={148} h={30} />
      <Tick x={168} y={37} />
      <Words x={192} y={34} w={70} className="fill-success" />
      {Array.from({ length: 14 }, (_, at) => (
        <circle key={at} cx={162 + at * 10.5} cy={76} r={3.5} className={at === 9 ? BAD : OK} />
      ))}
    </>
  ),
  token: (
    <>
      <Box x={24} y={20} w={280} h={32} />
      <Code x={40} y={40} text="mr_pat_••••••••••••4f2c" />
      {[24, 98, 172].map((x, at) => (
        <g key={x}>
          <Box
            x={x}
            y={68}
            w={62}
            h={22}
            className={at < 2 ? 'fill-second-soft stroke-second' : 'fill-surface stroke-line-control'}
          />
          <Words x={x + 12} y={76} w={38} className={at < 2 ? 'fill-chart-main' : 'fill-line'} />
        </g>
      ))}
      <circle cx={278} cy={79} r={14} className={LINE} />
      <path d="M278 71v8l6 4" className={SECOND} />
    </>
  ),
  people: (
    <>
      <Person x={110} y={34} />
      <Person x={164} y={34} className="fill-second-soft stroke-second" />
      <Person x={218} y={34} />
      <path d="M84 90H244" className={LINE} />
    </>
  ),
  variables: (
    <>
      <Box x={24} y={40} w={112} h={32} />
      <Code x={36} y={60} text="env.SHOP_URL" className="fill-data-key" />
      <Arrow x={142} y={56} to={180} className={SECOND} />
      <Lit x={188} y={40} w={116} h={32} />
      <Code x={199} y={60} text="https://shop…" className="fill-data-string" />
    </>
  ),
  table: (
    <>
      <Box x={34} y={14} w={260} h={84} />
      <path d="M34 36H294M34 57H294M34 78H294M120 14V98M208 14V98" className="stroke-line" />
      <path d="M34 57H294V78H34z" className="fill-second-soft stroke-second" />
      {[23, 44, 65, 85].map((y, at) => (
        <g key={y}>
          <Words x={46} y={y} w={52} className={at === 0 ? 'fill-chart-quiet' : 'fill-line'} />
          <Words
            x={132}
            y={y}
            w={40 + (at % 3) * 10}
            className={at === 0 ? 'fill-chart-quiet' : 'fill-line'}
          />
          <Words x={220} y={y} w={56 - at * 6} className={at === 0 ? 'fill-chart-quiet' : 'fill-line'} />
        </g>
      ))}
    </>
  ),
  files: (
    <>
      <Sheet x={64} y={26} />
      <Sheet x={142} y={26} className="fill-second-soft stroke-second" />
      <Sheet x={220} y={26} />
      <Words x={152} y={56} w={24} h={4} className="fill-chart-main" />
      <Words x={152} y={66} w={18} h={4} className="fill-chart-main" />
      <Words x={74} y={56} w={24} h={4} />
      <Words x={74} y={66} w={20} h={4} />
      <Words x={230} y={56} w={24} h={4} />
      <Words x={230} y={66} w={14} h={4} />
    </>
  ),
  pages: (
    <>
      <path d="M24 78H304" className={LINE} />
      <Bars x={30} y={77} step={46} heights={[50, 50, 50, 50, 50, 18]} lit={5} />
      {[1, 2, 3, 4, 5, 6].map((page) => (
        <Code key={page} x={47 + (page - 1) * 46} y={96} text={String(page)} className="fill-muted" />
      ))}
    </>
  ),
  reference: (
    <>
      {(
        [
          ['GET', 'fill-second', '/v1/flows'],
          ['POST', 'fill-success', '/v1/flows'],
          ['DELETE', 'fill-error', '/v1/flows/{id}'],
        ] as const
      ).map(([method, className, path], at) => (
        <g key={method}>
          <Box x={24} y={12 + at * 31} w={280} h={25} />
          <Code x={36} y={28 + at * 31} text={method} className={className} />
          <Code x={100} y={28 + at * 31} text={path} />
        </g>
      ))}
    </>
  ),
  plugin: (
    <>
      <path
        d="M96 30h34c-6-16 26-16 20 0h34v22c16-6 16 26 0 20v24H96z"
        className="fill-second-soft stroke-second"
      />
      <path d="M200 30h46v66h-46V72c16 6 16-26 0-20z" className="fill-surface stroke-line-control" />
    </>
  ),
  settings: (
    <>
      {[22, 48, 74].map((y, at) => (
        <g key={y}>
          <Words x={44} y={y + 5} w={[110, 80, 130][at] ?? 100} className="fill-chart-quiet" />
          <rect
            x={250}
            y={y}
            width={34}
            height={16}
            rx={8}
            className={at === 1 ? 'fill-sunken stroke-line-control' : 'fill-accent stroke-accent'}
          />
          <circle
            cx={at === 1 ? 258 : 276}
            cy={y + 8}
            r={5}
            className={at === 1 ? 'fill-line-control' : 'fill-on-accent'}
          />
        </g>
      ))}
    </>
  ),
  checks: (
    <>
      {[26, 54, 82].map((y, at) => (
        <g key={y}>
          {at === 1 ? <Cross x={46} y={y} /> : <Tick x={44} y={y} />}
          <Words x={76} y={y - 3} w={70} className="fill-chart-quiet" />
          <Words x={166} y={y - 3} w={[110, 90, 76][at] ?? 90} />
        </g>
      ))}
    </>
  ),
  log: (
    <>
      <Box x={24} y={12} w={280} h={88} />
      {['fill-line', 'fill-line', 'fill-retrying', 'fill-line', 'fill-error'].map((className, at) => (
        <g key={at}>
          <Words x={38} y={24 + at * 15} w={34} h={5} />
          <Words
            x={84}
            y={24 + at * 15}
            w={[150, 180, 130, 196, 164][at] ?? 150}
            h={5}
            className={className}
          />
        </g>
      ))}
    </>
  ),
  template: (
    <>
      <Lit x={24} y={16} w={196} h={30} />
      <Code x={38} y={35} text="{{ web1.order.email }}" className="fill-data-key" />
      <path d="M122 52v12m-4-5 4 5 4-5" className={SECOND} />
      <Box x={24} y={70} w={196} h={28} />
      <Code x={38} y={88} text="ada@example.com" className="fill-data-string" />
      <Box x={240} y={16} w={64} h={82} />
      <Words x={250} y={28} w={34} />
      <Words x={258} y={43} w={36} className="fill-chart-quiet" />
      <Words x={258} y={58} w={26} className="fill-chart-main" />
      <Words x={250} y={73} w={30} />
    </>
  ),
  name: (
    <>
      <Box x={24} y={22} w={104} h={66} />
      <Lit x={36} y={36} w={56} h={18} />
      <Code x={48} y={49} text="web1" className="fill-second" />
      <Words x={36} y={66} w={70} className="fill-chart-quiet" />
      <Arrow x={134} y={55} to={172} className={SECOND} />
      <Box x={180} y={39} w={124} h={32} />
      <Code x={192} y={59} text="{{ web1.total }}" className="fill-data-key" />
    </>
  ),
  clock: (
    <>
      <path d="M24 62H304" className={LINE} />
      {Array.from({ length: 13 }, (_, at) => (
        <path key={at} d={`M${32 + at * 22} ${at % 3 === 0 ? 54 : 58}V62`} className={LINE} />
      ))}
      {[0, 6, 12, 18, 24].map((hour, at) => (
        <Code
          key={hour}
          x={hour < 10 ? 29 + at * 66 : 25 + at * 66}
          y={80}
          text={String(hour)}
          className="fill-muted"
        />
      ))}
      {[109, 175, 241].map((x) => (
        <path key={x} d={`M${x} 54V34`} className={SECOND} strokeWidth={2} />
      ))}
      {[109, 175, 241].map((x) => (
        <Dot key={x} x={x} y={30} className="fill-second" />
      ))}
    </>
  ),
  branch: (
    <>
      <path d="M24 56H76M140 56h24c18 0 14-28 32-28h16M140 56h24c18 0 14 28 32 28h16" className={LINE} />
      <path d="M108 28l32 28-32 28-32-28z" className="fill-second-soft stroke-second" />
      <Code x={104} y={60} text="?" className="fill-second" />
      <Box x={212} y={14} w={80} />
      <Tick x={226} y={28} />
      <Words x={246} y={25} w={32} className="fill-chart-quiet" />
      <Box x={212} y={70} w={80} />
      <Cross x={228} y={84} />
      <Words x={246} y={81} w={28} className="fill-chart-quiet" />
    </>
  ),
  loop: (
    <>
      {[14, 38, 62, 86].map((y, at) => (
        <rect
          key={y}
          x={36}
          y={y}
          width={54}
          height={14}
          rx={4}
          className={at === 1 ? 'fill-second-soft stroke-second' : 'fill-surface stroke-line-control'}
        />
      ))}
      <Arrow x={96} y={45} to={150} className={SECOND} />
      <Lit x={158} y={34} w={66} h={44} />
      <Words x={172} y={53} w={38} className="fill-chart-main" />
      <path d="M224 44h30c26 0 26 44-8 44h-44c-10 0-11-3-11-6m-4 4 4-5 5 4" className={LINE} />
    </>
  ),
  news: (
    <>
      {[16, 42, 68].map((y, at) => (
        <g key={y}>
          <Box
            x={36}
            y={y}
            w={120}
            h={20}
            className={at === 0 ? 'fill-second-soft stroke-second' : 'fill-surface stroke-line'}
          />
          <Words
            x={48}
            y={y + 7}
            w={[84, 66, 92][at] ?? 60}
            className={at === 0 ? 'fill-chart-main' : 'fill-line'}
          />
        </g>
      ))}
      <Arrow x={164} y={26} to={212} className={SECOND} />
      <Box x={220} y={12} w={72} />
      <Words x={236} y={23} w={40} className="fill-chart-quiet" />
    </>
  ),
  signature: (
    <>
      <Box x={24} y={16} w={120} h={80} />
      <Words x={38} y={30} w={84} />
      <Words x={38} y={44} w={70} />
      <Words x={38} y={58} w={90} />
      <path d="M38 82c8-14 14 8 20-4s10-4 14 0 10 2 16-4" className={SECOND} strokeWidth={2} />
      <Arrow x={150} y={56} to={198} className={SECOND} />
      <path
        d="M252 18l36 12v24c0 22-18 34-36 40-18-6-36-18-36-40V30z"
        className="fill-success-soft stroke-success"
      />
      <path d="M238 56l10 11 19-23" className="stroke-success" strokeWidth={3} />
    </>
  ),
  doubt: (
    <>
      <path d="M24 78H304" className={LINE} />
      {Array.from({ length: 6 }, (_, at) => (
        <rect
          key={at}
          x={34 + at * 44}
          y={28}
          width={36}
          height={50}
          rx={3}
          className={at < 2 ? 'fill-chart-main' : 'stroke-chart-doubt'}
          strokeDasharray="4 4"
        />
      ))}
      <Code x={34} y={96} text="50 / 230" className="fill-retrying" />
    </>
  ),
  sync: (
    <>
      <Cylinder x={36} y={34} />
      <Cylinder x={236} y={34} />
      <Arrow x={104} y={40} to={224} className="stroke-success" />
      <Arrow x={104} y={60} to={224} className={SECOND} />
      <path d="M104 80H224" className={LINE} strokeDasharray="3 5" />
      <circle cx={128} cy={40} r={5} className={OK} />
      <circle cx={166} cy={60} r={5} className="fill-second" />
    </>
  ),
  alarm: (
    <>
      <path d="M24 84H304" className={LINE} />
      <path d="M24 50 70 44l40 8 36-6 30 30 40 6" className={SECOND} strokeWidth={2} />
      <path d="M24 64H216" className="stroke-error" strokeDasharray="4 5" />
      <path
        d="M244 62c4-4 6-8 6-18 0-24 34-24 34 0 0 10 2 14 6 18zM260 68c2 8 12 8 14 0"
        className="fill-error-soft stroke-error"
      />
    </>
  ),
  tunnel: (
    <>
      <circle cx={62} cy={54} r={26} className="fill-surface stroke-line-control" />
      <path d="M36 54h52M62 28c-18 16-18 36 0 52M62 28c18 16 18 36 0 52" className={LINE} />
      <path d="M104 40H210M104 68H210" className={SECOND} />
      <Arrow x={110} y={54} to={204} className={SECOND} />
      <Lit x={224} y={32} w={72} h={42} />
      <path d="M214 82h92" className={LINE} strokeWidth={3} />
      <Words x={240} y={49} w={40} className="fill-chart-main" />
    </>
  ),
  link: (
    <>
      <Box x={28} y={38} w={124} h={36} />
      <Code x={44} y={60} text="millrace://…" className="fill-data-key" />
      <Arrow x={160} y={56} to={204} className={SECOND} />
      <Lit x={212} y={26} w={88} h={60} />
      <Words x={226} y={44} w={58} className="fill-chart-main" />
      <Words x={226} y={58} w={36} className="fill-chart-main" />
    </>
  ),
} satisfies Readonly<Record<string, ReactNode>>
