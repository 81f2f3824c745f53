import { type Said, SaidError } from '@millrace/jinja/said'

/** Part of a node has no equivalent: the node is kept as it was, and fails when it runs. */
export class Untranslatable extends SaidError {}

/** @param why a sentence without its subject, the node's name: `sends a file` */
export function refuse(why: Said): never {
  throw new Untranslatable(why)
}
