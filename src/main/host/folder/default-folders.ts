import { posix, win32 } from 'node:path'

export interface DefaultFolders {
  readonly data: string
  readonly config: string
  /** Its contents can be deleted at any time. */
  readonly cache: string
  /**
   * Chromium's own data for the desktop app's window. Its name must differ from the data folder's in more than case,
   * so that they are different folders on every disk.
   */
  readonly desktop: string
}

/** The platform's usual folders for a program's data, its configuration and its caches. */
export function defaultFolders(
  platform: NodeJS.Platform,
  environment: NodeJS.ProcessEnv,
  home: string,
): DefaultFolders {
  const paths = platform === 'win32' ? win32 : posix
  const join = (...parts: string[]) => paths.join(...parts)
  /** By the XDG rules, a relative path in these variables is ignored. */
  const absolute = (path: string | undefined) => (path && paths.isAbsolute(path) ? path : null)
  if (platform === 'darwin') {
    const library = join(home, 'Library')
    const support = join(library, 'Application Support')
    return {
      data: join(support, 'Millrace'),
      config: join(support, 'Millrace Key'),
      cache: join(library, 'Caches', 'Millrace'),
      desktop: join(support, 'Millrace Desktop'),
    }
  }
  if (platform === 'win32') {
    const local = join(environment.LOCALAPPDATA || join(home, 'AppData', 'Local'), 'Millrace')
    return {
      data: join(local, 'Data'),
      config: join(local, 'Key'),
      cache: join(local, 'Cache'),
      desktop: join(local, 'Desktop'),
    }
  }
  const config = absolute(environment.XDG_CONFIG_HOME) ?? join(home, '.config')
  return {
    data: join(absolute(environment.XDG_DATA_HOME) ?? join(home, '.local', 'share'), 'millrace'),
    config: join(config, 'millrace'),
    desktop: join(config, 'millrace-desktop'),
    cache: join(absolute(environment.XDG_CACHE_HOME) ?? join(home, '.cache'), 'millrace'),
  }
}
