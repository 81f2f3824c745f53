import { EXIT, HostError } from '../../host/machine/exit-codes.ts'

/** @throws HostError if it isn't a header */
export function readHeader(text: string): [string, string] {
  const [, name, value] = /^([^:\s]+):\s*((?:\S.*)?)$/.exec(text) ?? []
  if (name !== undefined && value !== undefined) return [name, value]
  throw new HostError(EXIT.usage, `--header is "${text}", but must read "Name: value"`)
}
