/** Tests of flows as files; those of `greet.yaml` are in the folder `greet.tests` next to it. */
import { type Dirent, existsSync, lstatSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { englishOf } from '../../../shared/contract/base/message.ts'
import { type FlowTest, flowTest } from '../../../shared/contract/flow-tests.ts'
import { JsonError, OWN_JSON_LIMITS, parseJson, writeJson } from '@millrace/jinja/data'
import { EXIT, HostError } from '../../host/machine/exit-codes.ts'
import { normalTest } from '../../engine/flow-source/test-form.ts'
import { nameProblem } from '../../services/reaching/step-ports/portable-names.ts'
import { fileNameFor, type FolderFault, writeFlowFile } from './flow-folder.ts'

export interface TestFile {
  /** Path below the folder of the flows, with `/`. */
  readonly file: string
  readonly test: FlowTest
}

const ENDING = '.tests'
const MOST_BYTES = 16 * 1_048_576

export function readTestFiles(folder: string): {
  readonly tests: readonly TestFile[]
  readonly faults: readonly FolderFault[]
} {
  const tests: TestFile[] = []
  const faults: FolderFault[] = []
  for (const inner of entriesOf(folder).filter(({ name }) => name.endsWith(ENDING))) {
    if (!inner.isDirectory()) {
      faults.push({ file: inner.name, line: null, message: "isn't a folder" })
      continue
    }
    for (const entry of entriesOf(join(folder, inner.name))) {
      if (!entry.name.endsWith('.json') || entry.name.startsWith('.')) continue
      const file = `${inner.name}/${entry.name}`
      const read = readTest(folder, file, entry)
      if (typeof read === 'string') faults.push({ file, line: null, message: read })
      else tests.push({ file, test: read })
    }
  }
  return { tests, faults }
}

/** The test, or the reason why it can't be read. */
function readTest(folder: string, file: string, entry: Dirent): FlowTest | string {
  if (entry.isSymbolicLink()) return "is a link, which isn't followed; put the file itself here"
  if (!entry.isFile()) return "isn't a file"
  const problem = nameProblem(entry.name)
  if (problem !== null) return `has a name that ${englishOf(problem)}; rename it`
  const path = join(folder, file)
  if (lstatSync(path).size > MOST_BYTES) return 'is larger than 16 MB'
  try {
    const parsed = flowTest.safeParse(parseJson(readFileSync(path, 'utf8'), OWN_JSON_LIMITS))
    if (parsed.success) return parsed.data
    const [issue] = parsed.error.issues
    return `${issue?.path.join('.') || 'the test'}: ${issue?.message}`
  } catch (error) {
    if (error instanceof JsonError) return `is not JSON: ${error.message}`
    throw error
  }
}

function entriesOf(folder: string): Dirent[] {
  if (!existsSync(folder)) return []
  return readdirSync(folder, { withFileTypes: true }).toSorted((one, other) =>
    one.name < other.name ? -1 : 1,
  )
}

/**
 * Writes a new test next to the file of its flow.
 *
 * @returns its file below the folder
 */
export function addTestFile(folder: string, flowFile: string, test: FlowTest): string {
  const inner = flowFile.replace(/\.ya?ml$/i, ENDING)
  const found = lstatSync(join(folder, inner), { throwIfNoEntry: false })
  if (found !== undefined && !found.isDirectory())
    throw new HostError(EXIT.failed, `${join(folder, inner)} must be a folder; remove it`)
  const taken = entriesOf(join(folder, inner)).map(({ name }) => name)
  const name = fileNameFor({ id: test.run_id, name: test.name }, taken, '.json')
  writeTestFile(folder, `${inner}/${name}`, test)
  return `${inner}/${name}`
}

export function writeTestFile(folder: string, file: string, test: FlowTest): void {
  const [inner = '', name = ''] = file.split('/')
  writeFlowFile(join(folder, inner), name, `${writeJson(normalTest(test), 2)}\n`)
}
