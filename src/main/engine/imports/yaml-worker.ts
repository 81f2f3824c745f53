/** The thread on which YAML is read: a large document takes seconds. */
import { parentPort, workerData } from 'node:worker_threads'
import { parseYaml } from './parse-yaml.ts'

// oxlint-disable-next-line unicorn/require-post-message-target-origin -- a thread, not a window
parentPort?.postMessage(parseYaml(workerData as string))
