/** Lists how many form fields of the bundled connectors hold an ID, and in which of them it has to be typed. */
import { countLookups } from './lib/count-lookups.ts'

const counts = countLookups()
for (const { connector, fields, ids, typed } of counts)
  console.log(`${connector}: ${ids - typed.length} of ${ids} IDs in ${fields} fields`, typed.join(', '))
const ids = counts.reduce((sum, one) => sum + one.ids, 0)
const typed = counts.reduce((sum, one) => sum + one.typed.length, 0)
console.log(`All: ${ids - typed} of ${ids} (${Math.round((100 * (ids - typed)) / ids)} %)`)
