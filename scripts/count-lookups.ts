/**
 * Lists how many form fields hold an ID, and in which of them it has to be typed: in the bundled connectors, or in imports
 * of the OpenAPI descriptions in a folder.
 */
import { countBundled, countImported } from './lib/count-lookups.ts'

const [folder] = process.argv.slice(2)
const counts = folder === undefined ? countBundled() : countImported(folder)
for (const { connector, fields, ids, typed } of counts)
  console.log(`${connector}: ${ids - typed.length} of ${ids} IDs in ${fields} fields`, typed.join(', '))
const ids = counts.reduce((sum, one) => sum + one.ids, 0)
const typed = counts.reduce((sum, one) => sum + one.typed.length, 0)
console.log(`All: ${ids - typed} of ${ids} (${Math.round((100 * (ids - typed)) / ids)} %)`)
