/**
 * Files shipped with the program. `src/main` and `out/main` have the same depth, so the same relative paths work from
 * both.
 */
import { join } from 'node:path'

/** This file is in src/main/host/machine, and its bundle in out/main. */
const ROOT = join(import.meta.dirname, import.meta.filename.endsWith('.ts') ? '../../../..' : '../..')

export const RENDERER_DIR = join(ROOT, 'out/renderer')
export const CATALOGUE_DIR = join(ROOT, 'resources/connectors')
export const DOCS_DIR = join(ROOT, 'docs')
export const SAMPLES_DIR = join(ROOT, 'resources/samples')
/** Images of the desktop app. */
export const DESKTOP_DIR = join(ROOT, 'resources/desktop')
