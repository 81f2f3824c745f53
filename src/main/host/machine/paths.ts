/** Files shipped with the program, found from its sources as well as from its bundle. */
import { join } from 'node:path'

/** This file is in src/main/host/machine, and its bundle in out/main. */
const ROOT = join(import.meta.dirname, import.meta.filename.endsWith('.ts') ? '../../../..' : '../..')

export const RENDERER_DIR = join(ROOT, 'out/renderer')
export const CATALOGUE_DIR = join(ROOT, 'resources/connectors')
export const DOCS_DIR = join(ROOT, 'docs')
export const SAMPLES_DIR = join(ROOT, 'resources/samples')
/** Images of the desktop app. */
export const DESKTOP_DIR = join(ROOT, 'resources/desktop')
