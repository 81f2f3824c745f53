import type { Request, Response } from 'express'
import { sendJson, sendNothing } from './answer/send.ts'

/** An answer before it is sent. */
export interface Answer {
  readonly status: number
  readonly headers: Readonly<Record<string, string>>
  /** JSON; null where there is none. */
  readonly text: string | null
}

export function sendAnswer(request: Request, response: Response, { status, headers, text }: Answer): void {
  for (const [name, value] of Object.entries(headers)) response.setHeader(name, value)
  if (text === null) sendNothing(request, response, status === 304 ? 304 : 204)
  else sendJson(request, response, status, text)
}
