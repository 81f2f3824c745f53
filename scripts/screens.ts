/**
 * `npm run screens`: pictures of the real page for the README, in both themes. The program starts on a folder of its
 * own, the page is used as a new user would, and what is then to be seen goes to docs/screens/.
 */
import { spawn } from 'node:child_process'
import { mkdirSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Browser, Page } from 'playwright-core'
import { ensureBuild, ROOT } from './lib/build.ts'
import { launchChromium } from './lib/chromium.ts'

const TARGET = join(ROOT, 'docs/screens')
const THEMES = ['light', 'dark'] as const
const SIZE = { width: 1280, height: 800 }

ensureBuild()
mkdirSync(TARGET, { recursive: true })
const browser = await launchChromium()
try {
  for (const theme of THEMES) await takePictures(browser, theme)
} finally {
  await browser.close()
}

async function takePictures(chromium: Browser, theme: (typeof THEMES)[number]): Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), 'millrace-screens-'))
  const program = await startProgram(folder)
  const page = await chromium.newPage({ viewport: SIZE, colorScheme: theme, deviceScaleFactor: 1.5 })
  const save = (name: string) => page.screenshot({ path: join(TARGET, `${name}-${theme}.png`) })
  try {
    await page.goto(program.sessionUrl)
    await receiveFirstWebhook(page)
    await page.getByRole('link', { name: 'Open the run' }).click()
    await openRequests(page)
    await save('run')
    await openFlow(page)
    await save('flow')
  } finally {
    await page.close()
    await program.end()
    rmSync(folder, { recursive: true, force: true })
  }
}

async function receiveFirstWebhook(page: Page): Promise<void> {
  await page.getByRole('button', { name: 'Send test request' }).click()
  await page.getByRole('link', { name: 'Open the run' }).waitFor()
  await settle(page)
}

async function openRequests(page: Page): Promise<void> {
  await page.getByText('contacts', { exact: true }).first().click()
  await page.getByRole('tab', { name: /HTTP/ }).click()
  await settle(page)
}

async function openFlow(page: Page): Promise<void> {
  await page.getByRole('link', { name: 'Flows' }).first().click()
  await page.getByRole('link', { name: 'Receive an order' }).first().click()
  await page.getByText('Fetch all contacts').first().click()
  await settle(page)
}

/** Fonts are there and nothing moves any more. */
async function settle(page: Page): Promise<void> {
  await page.evaluate(async () => {
    await document.fonts.ready
    await Promise.allSettled(document.getAnimations().map((animation) => animation.finished))
  })
}

function startProgram(home: string): Promise<{ sessionUrl: string; end(): Promise<void> }> {
  const args = ['--disallow-code-generation-from-strings', join(ROOT, 'out/main/headless.js')]
  const child = spawn(process.execPath, [...args, 'serve', '--no-open', '--data-dir', join(home, 'data')], {
    env: { ...process.env, MILLRACE_MASTER_KEY: '0'.repeat(64) },
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  const ended = new Promise<void>((resolve) => {
    child.once('exit', () => resolve())
  })
  return new Promise((resolve, reject) => {
    let output = ''
    child.stdout.on('data', (chunk: Buffer) => {
      output += chunk.toString()
      const [sessionUrl] = /http\S+#session=\S+/.exec(output) ?? []
      if (sessionUrl === undefined) return
      resolve({
        sessionUrl,
        end() {
          child.kill('SIGTERM')
          return ended
        },
      })
    })
    void ended.then(() => reject(new Error(`The program ended before it was ready: ${output}`)))
  })
}
