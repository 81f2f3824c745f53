/** The marks of the services that bundled connectors call: drawings of Simple Icons, which are in the public domain (CC0). */
import marks from './brands.json'

export interface Brand {
  /** The SVG path in a box of 24 × 24. */
  readonly path: string
  /** Its brand color, darkened or lightened just enough to be visible. */
  readonly light: string
  readonly dark: string
}

/** The mark of the service whose name a connector's name begins with: `Stripe`, `Stripe of the shop`. */
export function brandOf(name: string): Brand | undefined {
  const lower = name.trim().toLowerCase()
  return BRANDS.find(
    ({ title }) => lower.startsWith(title) && !/^[\p{L}\p{N}]/u.test(lower.slice(title.length)),
  )
}

/** The backgrounds behind the marks: the values of `--raised`. */
const GROUNDS = { light: [255, 255, 255], dark: [24, 34, 46] } as const

const BRANDS = marks.map(({ title, path, color }) => ({
  title: title.toLowerCase(),
  path,
  light: readable(color, 'light'),
  dark: readable(color, 'dark'),
}))

type Color = readonly [number, number, number]

/** Mixes the color with black or white until it has the contrast that WCAG requires of graphics. */
function readable(hex: string, theme: keyof typeof GROUNDS): string {
  const own = [1, 3, 5].map((at) => Number.parseInt(hex.slice(at, at + 2), 16))
  const towards = theme === 'light' ? 0 : 255
  const mixes = Array.from({ length: 21 }, (_, step) =>
    own.map((channel) => Math.round(channel + (towards - channel) * (step / 20))),
  ) as unknown as readonly Color[]
  // Black marks become white on dark backgrounds, not gray.
  const isGray = Math.max(...own) - Math.min(...own) < 16
  const found = mixes.find((mix) => contrast(mix, GROUNDS[theme]) >= (isGray ? 11 : 3))
  return `rgb(${found?.join(' ')})`
}

function contrast(one: Color, other: Color): number {
  const [light = 0, dark = 0] = [luminance(one), luminance(other)].toSorted((a, b) => b - a)
  return (light + 0.05) / (dark + 0.05)
}

function luminance(color: Color): number {
  const [red = 0, green = 0, blue = 0] = color.map((channel) => {
    const share = channel / 255
    return share <= 0.03928 ? share / 12.92 : ((share + 0.055) / 1.055) ** 2.4
  })
  return 0.2126 * red + 0.7152 * green + 0.0722 * blue
}
