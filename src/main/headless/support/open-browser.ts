import { spawn } from 'node:child_process'

/**
 * Opens a URL in the user's browser. Without a browser, nothing happens, because the URL is printed anyway.
 *
 * @param url becomes an argument of other programs, which every user of the machine can read: never include a session
 */
export function openBrowser(url: string, environment: NodeJS.ProcessEnv = process.env): void {
  const opener = openerOf(process.platform, environment)
  if (opener === null) return
  const [program, ...args] = opener
  const child = spawn(program, [...args, url], { stdio: 'ignore', detached: true, env: environment })
  child.once('error', () => {})
  child.unref()
}

function openerOf(platform: NodeJS.Platform, environment: NodeJS.ProcessEnv): [string, ...string[]] | null {
  if (platform === 'darwin') return ['open']
  if (platform === 'win32') return ['rundll32', 'url.dll,FileProtocolHandler']
  return environment.DISPLAY || environment.WAYLAND_DISPLAY ? ['xdg-open'] : null
}
