/** How the program ends, in the numbers of sysexits.h where it has one. */
export const EXIT = {
  ok: 0,
  failed: 1,
  usage: 2,
  portTaken: 69,
  internal: 70,
  damagedData: 74,
  folderInUse: 75,
  notWritable: 78,
} as const

export type ExitCode = (typeof EXIT)[keyof typeof EXIT]

/** The program cannot go on, and the user can do something about it: the message says what. */
export class HostError extends Error {
  override readonly name = 'HostError'
  readonly exitCode: ExitCode

  constructor(exitCode: ExitCode, message: string, options?: ErrorOptions) {
    super(message, options)
    this.exitCode = exitCode
  }
}
