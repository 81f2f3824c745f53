/** `npm run icons`: draws the desktop packages' icons from the page's icon. */
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { ROOT } from './lib/build.ts'
import { launchChromium } from './lib/chromium.ts'

const FOLDER = join(ROOT, 'packaging/desktop')
const svg = readFileSync(join(ROOT, 'src/renderer/public/icon.svg'), 'utf8')

const browser = await launchChromium()
const page = await browser.newPage()

/** A square PNG of this size; `margin` is the transparent part on each side. */
async function draw(size: number, margin = 0): Promise<Buffer> {
  const inset = Math.round(size * margin)
  await page.setViewportSize({ width: size, height: size })
  await page.setContent(
    `<style>svg { position: absolute; inset: ${inset}px; width: ${size - 2 * inset}px; height: ${size - 2 * inset}px }</style>${svg}`,
  )
  return page.screenshot({ omitBackground: true })
}

/** The Windows format: a directory of the images, then the images. */
async function drawIco(sizes: readonly number[]): Promise<Buffer> {
  const images = await inOrder(sizes, (size) => draw(size))
  const directory = Buffer.alloc(6 + 16 * images.length)
  directory.writeUInt16LE(1, 2)
  directory.writeUInt16LE(images.length, 4)
  let offset = directory.length
  for (const [index, image] of images.entries()) {
    const at = 6 + 16 * index
    // 0 means 256.
    directory.fill((sizes[index] ?? 0) % 256, at, at + 2)
    directory.writeUInt16LE(1, at + 4)
    directory.writeUInt16LE(32, at + 6)
    directory.writeUInt32LE(image.length, at + 8)
    directory.writeUInt32LE(offset, at + 12)
    offset += image.length
  }
  return Buffer.concat([directory, ...images])
}

/** The macOS format: each image after its type and length. Icons there have a margin of a tenth. */
async function drawIcns(types: Readonly<Record<string, number>>): Promise<Buffer> {
  const parts = await inOrder(Object.entries(types), async ([type, size]) => {
    const image = await draw(size, 0.1)
    return Buffer.concat([headOf(type, image.length), image])
  })
  const body = Buffer.concat(parts)
  return Buffer.concat([headOf('icns', body.length), body])
}

function headOf(type: string, length: number): Buffer {
  const head = Buffer.alloc(8)
  head.write(type, 'latin1')
  head.writeUInt32BE(length + 8, 4)
  return head
}

/** Draws one image after the other, because they share the page. */
async function inOrder<T, R>(values: readonly T[], make: (value: T) => Promise<R>): Promise<readonly R[]> {
  const made: R[] = []
  for (const value of values) made.push(await make(value))
  return made
}

const save = (name: string, bytes: Buffer) => writeFileSync(join(FOLDER, name), bytes)
save('icon.png', await draw(512))
save('icon.ico', await drawIco([16, 24, 32, 48, 64, 256]))
save('icon.icns', await drawIcns({ ic11: 32, ic12: 64, ic07: 128, ic08: 256, ic09: 512, ic10: 1024 }))
await browser.close()
