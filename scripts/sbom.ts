/**
 * `npm run -s sbom`: the contents of a release as CycloneDX. These are the packages whose code is in the bundles, which
 * the build lists in its notices, the packages that the bundles load, and Electron.
 */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { ensureBuild, ROOT } from './lib/build.ts'
import { runNpm } from './lib/tools.ts'

interface Component {
  readonly name: string
  readonly version: string
}
interface Bom {
  readonly components: readonly (Component & { readonly 'bom-ref': string })[]
  readonly dependencies: readonly { readonly ref: string; readonly dependsOn: readonly string[] }[]
}

ensureBuild()
const all = JSON.parse(runNpm(['sbom', '--sbom-format', 'cyclonedx'], ROOT)) as Bom
const loaded = withDependencies(['better-sqlite3'])
const shipped = new Set([...bundled('main'), ...bundled('renderer'), ...loaded, ...named('electron')])
const listed = new Set(all.components.map((component) => component['bom-ref']))
const missing = [...shipped].filter((ref) => !listed.has(ref))
if (missing.length > 0) throw new Error(`npm doesn't know ${missing.join(', ')}, which the bundles contain`)

const bom: Bom = {
  ...all,
  components: all.components.filter((component) => shipped.has(component['bom-ref'])),
  dependencies: all.dependencies
    .filter(({ ref }) => shipped.has(ref))
    .map(({ ref, dependsOn }) => ({ ref, dependsOn: dependsOn.filter((name) => shipped.has(name)) })),
}
process.stdout.write(`${JSON.stringify(bom, null, 2)}\n`)

/** The packages as name@version, from the headings of the notices. */
function bundled(part: 'main' | 'renderer'): readonly string[] {
  const notices = readFileSync(join(ROOT, 'out', part, 'THIRD-PARTY-NOTICES.md'), 'utf8')
  return [...notices.matchAll(/^## (\S+) - (\S+)/gm)].map(([, name, version]) => `${name}@${version}`)
}

function named(name: string): readonly string[] {
  return all.components
    .filter((component) => component.name === name)
    .map((component) => component['bom-ref'])
}

function withDependencies(names: readonly string[]): readonly string[] {
  const refs = new Set(names.flatMap(named))
  // The set grows during the loop.
  for (const ref of refs) {
    for (const { dependsOn } of all.dependencies.filter((entry) => entry.ref === ref)) {
      for (const name of dependsOn) refs.add(name)
    }
  }
  return [...refs]
}
