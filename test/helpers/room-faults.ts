import { dirname, join } from 'node:path'
import { parseSync } from 'vite'

/**
 * A folder of the sources. It can contain other rooms; then its own files are one more: `src/main/engine/flow/(root)`.
 */
export interface Room {
  readonly room: string
  /** Names of the rooms in the same folder that this room, and all rooms in it, may import. */
  readonly mayImport: readonly string[]
  /** Files, without their extension, that others may import; `all` allows whatever the rooms in it allow. */
  readonly entries: readonly string[] | 'all'
  /** Files outside of it that may import more than its entries. */
  readonly insiders?: readonly string[]
}

/** A folder with more files is hard to take in at a glance. */
const MOST_FILES = 30

/** The problems of these files, by path, and of the table of their rooms; empty if there are none. */
export function roomFaults(files: ReadonlyMap<string, string>, rooms: readonly Room[]): readonly string[] {
  const byName = new Map(rooms.map((room) => [room.room, room]))
  const used = new Set<string>()
  const faults: string[] = []
  const homes = new Set<string>()
  const folders = new Map<string, number>()

  for (const path of files.keys()) {
    folders.set(dirname(path), (folders.get(dirname(path)) ?? 0) + 1)
    if (!isSource(path)) continue
    for (const room of roomsAround(path)) homes.add(room)
  }
  for (const room of homes) if (!byName.has(room)) faults.push(`${room} is in no row of the table`)
  for (const room of byName.keys()) if (!homes.has(room)) faults.push(`${room} is no folder with sources`)
  for (const [folder, count] of folders)
    if (count > MOST_FILES) faults.push(`${folder} has ${count} files, more than ${MOST_FILES}`)

  for (const [path, source] of files) {
    if (!isSource(path)) continue
    for (const imported of importsOf(path, source)) if (isSource(imported)) checkImport(path, imported)
  }
  for (const { room, mayImport, entries, insiders = [] } of rooms) {
    for (const other of mayImport)
      if (!used.has(`${room} > ${other}`)) faults.push(`${room} may import ${other}, and does not`)
    for (const entry of entries === 'all' ? [] : entries)
      if (!used.has(`${room} < ${entry}`)) faults.push(`${room} has the entry ${entry}, which nobody uses`)
    for (const insider of insiders)
      if (!used.has(`${room} ! ${insider}`))
        faults.push(`${room} has the insider ${insider}, who uses entries`)
  }
  return [...faults, ...circlesOf(rooms)]

  /** The rooms around a file, from the outermost to the innermost. */
  function roomsAround(path: string): readonly string[] {
    const parts = dirname(path).split('/')
    const around = parts.slice(1).map((_, at) => parts.slice(0, at + 2).join('/'))
    const folder = dirname(path)
    const holdsRooms = rooms.some(({ room }) => room.startsWith(`${folder}/`))
    return holdsRooms ? [...around, `${folder}/${ROOT}`] : around
  }

  function checkImport(from: string, to: string): void {
    const [inside, outside] = [roomsAround(from), roomsAround(to)]
    const depth = outside.findIndex((room, at) => room !== inside[at])
    const [own, other] = [inside[depth], outside[depth]]
    if (own === undefined || other === undefined) return
    const name = other.slice(dirname(other).length + 1)
    used.add(`${own} > ${name}`)
    if (byName.get(own)?.mayImport.includes(name) === false)
      faults.push(`${from} imports ${to}: ${own} may not import ${name}`)
    for (const entered of outside.slice(depth)) checkEntry(from, to, entered)
  }

  function checkEntry(from: string, to: string, entered: string): void {
    const { entries, insiders = [] } = byName.get(entered) ?? { entries: 'all' }
    const entry = withoutExtension(to.slice(entered.replace(ROOT, '').length).replace(/^\//, ''))
    used.add(`${entered} < ${entry}`)
    if (entries === 'all' || entries.includes(entry)) return
    const insider = withoutExtension(from)
    used.add(`${entered} ! ${insider}`)
    if (!insiders.includes(insider)) faults.push(`${from} imports ${to}: ${entered} has no entry ${entry}`)
  }
}

const ROOT = '(root)'

const isSource = (path: string) => /\.tsx?$/.test(path)

const withoutExtension = (path: string) => path.replace(/\.tsx?$/, '')

/** The files of this repository that a file imports; includes types, `export … from` and `import()`. */
function importsOf(path: string, source: string): ReadonlySet<string> {
  const { staticImports, staticExports, dynamicImports } = parseSync(path, source).module
  const specifiers = [
    ...staticImports.map(({ moduleRequest }) => moduleRequest.value),
    ...staticExports.flatMap(({ entries }) => entries.map(({ moduleRequest }) => moduleRequest?.value ?? '')),
    ...dynamicImports.map(({ moduleRequest: { start, end } }) => source.slice(start + 1, end - 1)),
  ]
  const own = specifiers.filter((specifier) => specifier.startsWith('.'))
  return new Set(own.map((specifier) => join(dirname(path), specifier.replace(/\?.*/, ''))))
}

/** Files that import each other in a circle; the linter doesn't follow `import()`. */
export function fileCircles(files: ReadonlyMap<string, string>): readonly string[] {
  const sources = [...files].filter(([path]) => isSource(path))
  return circlesIn(new Map(sources.map(([path, source]) => [path, [...importsOf(path, source)]])))
}

/** Rooms in the same folder whose imports form a circle. */
function circlesOf(rooms: readonly Room[]): readonly string[] {
  return circlesIn(
    new Map(rooms.map(({ room, mayImport }) => [room, mayImport.map((name) => `${dirname(room)}/${name}`)])),
  )
}

function circlesIn(next: ReadonlyMap<string, readonly string[]>): readonly string[] {
  const done = new Set<string>()
  const circles: string[] = []
  const visit = (one: string, way: readonly string[]) => {
    if (way.includes(one)) circles.push(`a circle: ${[...way.slice(way.indexOf(one)), one].join(' > ')}`)
    if (way.includes(one) || done.has(one)) return
    for (const other of next.get(one) ?? []) visit(other, [...way, one])
    done.add(one)
  }
  for (const one of next.keys()) visit(one, [])
  return circles
}
