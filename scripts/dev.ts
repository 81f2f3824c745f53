/**
 * `npm run dev`: runs the program from its sources, restarted when they change, and the page from Vite, which replaces
 * changed modules without losing the page's state. Node runs the sources directly; nothing is built.
 */
import { spawn } from 'node:child_process'
import { join } from 'node:path'
import { createServer } from 'vite'
import config from '../electron.vite.config.ts'
import { FLAGS, passSignals } from '../src/main/host/machine/process-flags.ts'
import { ROOT } from './lib/build.ts'

const PORT = process.env.MILLRACE_PORT || '4747'
const api = `http://127.0.0.1:${PORT}`

const page = await createServer({
  ...config.renderer,
  configFile: false,
  server: {
    host: '127.0.0.1',
    cors: false,
    proxy: {
      '/v1': {
        target: api,
        changeOrigin: true,
        // The program only accepts requests from its own page; in development that page has Vite's URL.
        headers: { Origin: api },
      },
    },
  },
})
await page.listen()
const pageUrl = page.resolvedUrls?.local[0] ?? ''

const program = spawn(
  process.execPath,
  [
    ...['src/main', 'src/shared', 'src/sandbox', 'packages'].map(
      (folder) => `--watch-path=${join(ROOT, folder)}`,
    ),
    '--watch-preserve-output',
    // While this variable is set, Node adds its own messages to those of worker threads, to find files to watch outside
    // these folders.
    '--import=data:text/javascript,delete process.env.WATCH_REPORT_DEPENDENCIES',
    ...FLAGS,
    join(ROOT, 'src/main/headless/index.ts'),
    'serve',
    '--no-open',
    '--port',
    PORT,
  ],
  { stdio: ['inherit', 'pipe', 'inherit'], env: { ...process.env, NODE_ENV: 'development' } },
)
program.stdout.on('data', (chunk: Buffer) => {
  process.stdout.write(chunk.toString().replaceAll(`${api}/#`, `${pageUrl}#`))
})
program.once('exit', (code) => process.exit(code ?? 1))
passSignals(program)
