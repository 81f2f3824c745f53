/** Checks the page's colors against the contrast rules of WCAG 2.2 AA, in both themes. */
import { globSync, readFileSync } from 'node:fs'
import { expect, test } from 'vitest'

const css = readFileSync(new URL('../../../src/renderer/styles/tokens.css', import.meta.url), 'utf8')
const [ordinary = '', stronger = ''] = css.split('@media (prefers-contrast: more)')
const COLOURS = { ordinary: readColours(ordinary), stronger: readColours(ordinary + stronger) } as const

function readColours(text: string) {
  const found = text.matchAll(/--([a-z-]+): light-dark\((#[0-9a-f]{6}), (#[0-9a-f]{6})\)/g)
  return new Map(
    [...found].map(([, name, light, dark]) => [name ?? '', { light: light ?? '', dark: dark ?? '' }]),
  )
}

const GROUNDS = ['canvas', 'surface', 'sunken', 'raised', 'hover'] as const
const WORDS = ['text', 'muted', 'faint', 'accent-text'] as const
const STATES = ['success', 'error', 'retrying', 'running', 'queued', 'paused'] as const
const DATA = ['data-key', 'data-string', 'data-number', 'data-literal'] as const

/** Text on background. */
const TEXT_PAIRS = [
  ...WORDS.flatMap((word) => GROUNDS.map((ground) => [word, ground] as const)),
  ...(['text', 'accent-text', 'muted'] as const).map((word) => [word, 'selected'] as const),
  ...STATES.flatMap((state) => [
    [state, `${state}-soft`] as const,
    ...(['surface', 'canvas', 'raised', 'hover'] as const).map((ground) => [state, ground] as const),
  ]),
  ...STATES.map((state) => ['text', `${state}-soft`] as const),
  ...STATES.map((state) => ['muted', `${state}-soft`] as const),
  ...DATA.flatMap((data) =>
    (['surface', 'sunken', 'hover', 'selected'] as const).map((ground) => [data, ground] as const),
  ),
  ['on-accent', 'accent'],
  ['on-accent', 'accent-hover'],
  ['on-error', 'error-solid'],
  ['canvas', 'text'],
] as const

const CHART = ['chart-main', 'chart-second', 'chart-quiet', 'chart-failed', 'chart-doubt'] as const

const CONTROL_PAIRS = [
  ...GROUNDS.flatMap((ground) => [['line-control', ground] as const, ['accent', ground] as const]),
  ...CHART.map((series) => [series, 'surface'] as const),
]

const LOOKS = [
  ['light', 'ordinary'],
  ['dark', 'ordinary'],
  ['light', 'stronger'],
  ['dark', 'stronger'],
] as const

test.each(LOOKS)('all text is readable on its background in the %s theme with %s contrast', (...look) => {
  expect(tooWeak(TEXT_PAIRS, look, 4.5)).toEqual([])
})

test.each(LOOKS)(
  'every control stands out from its background in the %s theme with %s contrast',
  (...look) => {
    expect(tooWeak(CONTROL_PAIRS, look, 3)).toEqual([])
  },
)

test('what acts, what runs and what worked are of different hues in both themes', () => {
  const hues = (theme: 'light' | 'dark') =>
    ['accent', 'running', 'success', 'retrying'].map((name) => hue(COLOURS.ordinary.get(name)?.[theme] ?? ''))
  for (const all of [hues('light'), hues('dark')])
    for (const [index, one] of all.entries())
      for (const other of all.slice(index + 1)) {
        const apart = Math.abs(one - other)
        expect(Math.min(apart, 360 - apart)).toBeGreaterThan(35)
      }
})

test('texts have one of five sizes, each with its purpose', () => {
  const sources = globSync('src/renderer/**/*.{ts,tsx}').map((path) => readFileSync(path, 'utf8'))
  const used = sources.flatMap(
    (source) => source.match(/(?<![\w-])text-(?:xs|xl|[3-9]xl|\[\d[^\]]*\])/g) ?? [],
  )
  expect(used).toEqual([])
})

test('the setting for more contrast increases every contrast', () => {
  const between = (contrastWanted: keyof typeof COLOURS, word: string) => {
    const [a, b] = [COLOURS[contrastWanted].get(word), COLOURS[contrastWanted].get('surface')]
    return contrast(a?.light ?? '', b?.light ?? '')
  }
  for (const word of ['line', 'line-control', 'muted', 'faint'])
    expect({ word, gains: between('stronger', word) > between('ordinary', word) }).toEqual({
      word,
      gains: true,
    })
})

function tooWeak(
  pairs: readonly (readonly [string, string])[],
  [theme, contrastWanted]: (typeof LOOKS)[number],
  least: number,
) {
  return pairs
    .map(([word, ground]) => ({
      pair: `${word} on ${ground}`,
      ratio: contrast(colour(word), colour(ground)),
    }))
    .filter(({ ratio }) => ratio < least)

  function colour(name: string): string {
    const found = COLOURS[contrastWanted].get(name)
    if (found === undefined) throw new Error(`tokens.css has no colour --${name}`)
    return found[theme]
  }
}

/** The angle on the color wheel, in degrees. */
function hue(hex: string): number {
  const [red = 0, green = 0, blue = 0] = [1, 3, 5].map((at) => Number.parseInt(hex.slice(at, at + 2), 16))
  const [most, range] = [Math.max(red, green, blue), Math.max(red, green, blue) - Math.min(red, green, blue)]
  const sixth =
    most === red
      ? (green - blue) / range
      : most === green
        ? 2 + (blue - red) / range
        : 4 + (red - green) / range
  return (sixth * 60 + 360) % 360
}

/** WCAG 2.2: the relative luminance of the lighter color over that of the darker one. */
function contrast(a: string, b: string): number {
  const [dark = 0, light = 0] = [luminance(a), luminance(b)].sort((x, y) => x - y)
  return Math.round(((light + 0.05) / (dark + 0.05)) * 100) / 100
}

function luminance(hex: string): number {
  const [red = 0, green = 0, blue = 0] = [1, 3, 5]
    .map((at) => Number.parseInt(hex.slice(at, at + 2), 16) / 255)
    .map((value) => (value <= 0.04045 ? value / 12.92 : ((value + 0.055) / 1.055) ** 2.4))
  return 0.2126 * red + 0.7152 * green + 0.0722 * blue
}
