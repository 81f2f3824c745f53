import { type Said, SaidError } from '@millrace/jinja/said'

/** Thrown if part of a node has no equivalent. The node is then kept as it was, and fails when it runs. */
export class Untranslatable extends SaidError {}

/** @param why a sentence without its subject, which is the node's name: `sends a file` */
export function refuse(why: Said): never {
  throw new Untranslatable(why)
}
