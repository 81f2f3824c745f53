/** A phrase that is wrong nearly everywhere, and what to write instead. */
export interface ProseRule {
  readonly name: string
  readonly pattern: RegExp
  readonly instead: string
}

/** Words that are only sometimes wrong ("alone", "text") are left to the reader. */
export const PROSE_RULES: readonly ProseRule[] = [
  {
    name: 'is no',
    pattern:
      /(?<!\b(?:there|here) )\b(?:is|are|was|were) no (?!longer\b|more\b|less\b|other\b|one\b|doubt\b|need\b)[a-z]+/gi,
    instead: '“isn’t a …”, “must be a …”',
  },
  {
    name: 'where for if',
    pattern:
      /(?:(?<=^|[.;:(–] ?)Where|,? where) (?:there|none|nothing|nobody|no one|one) (?:is|are|was|were|has|had|came|can|could|needs|wants)\b|(?<=^|[.;(] ?)Where (?:it|that|this|they|these) (?:is|are|was|were|has|have|does|do|can|cannot|did)\b/g,
    instead: '“if …” for a condition, “when …” for a time',
  },
  { name: 'anew', pattern: /\banew\b/gi, instead: '“again”' },
  { name: 'lately', pattern: /\blately\b/gi, instead: '“recently”' },
  { name: 'meanwhile', pattern: /\bmeanwhile\b/gi, instead: '“in the meantime”, or name the time' },
  { name: 'but for', pattern: /\b(?:but|save) for\b/gi, instead: '“except”' },
  { name: 'in place of', pattern: /\bin place of\b/gi, instead: '“instead of”' },
  {
    name: 'stands, lies',
    pattern:
      /\b(?:stands?(?! (?:for|by|in for|out|up|alone)\b|-)|stood|lies(?! in wait)|lay(?= (?:in|at|on|under)\b))\b/gi,
    instead: '“is”, “appears”, “is stored in”',
  },
  {
    name: 'mail',
    pattern: /(?<!\/)\bmails?\b(?![-_/]| (?:server|client|provider)s?\b)/gi,
    instead: '“email”',
  },
  {
    name: 'goes on',
    pattern: /\b(?:go|goes|went|gone|going) on(?! to\b|\w)\b/gi,
    instead: '“continues”, “resumes”',
  },
  {
    name: 'told of',
    pattern: /\b(?:tell|tells|told|telling) of\b/gi,
    instead: '“reported”, “mentioned”, “listed”',
  },
  {
    name: 'what came of it',
    pattern:
      /\bwhat (?:came (?:back|of|out)|comes (?:back|of|out)|it gave|it gives|they gave|went (?:in|out))\b/gi,
    instead: 'a noun: “the response”, “the output”, “the result”',
  },
  {
    name: 'answers with a status',
    pattern: /\banswer(?:s|ed|ing)?(?: (?:with|is|was|a|the|status|an?))* `?[1-5]\d\d\b/gi,
    instead: '“returns”, “responds with”',
  },
  {
    name: 'turn of a loop',
    pattern:
      /\b(?:each|every|per|this|that|first|last|next|same|one|a|of the) turns?\b(?! (?:on|off|into|out)\b)/gi,
    instead: '“iteration”',
  },
  { name: 'turned away', pattern: /\bturned away\b/gi, instead: '“rejected”, “refused”' },
  { name: 'one’s own', pattern: /\bone['’]s\b/gi, instead: '“your own”, or name the owner' },
  { name: 'by hand for manual', pattern: /\bstarted by hand\b/gi, instead: '“started manually”' },
  { name: 'how much of', pattern: /\bas (?:it|they) came\b/gi, instead: '“unchanged”, “as received”' },
  {
    name: 'of it/of them',
    pattern: /\bwhat (?:was|is) (?:made|read|kept|known|left) of (?:it|them)\b/gi,
    instead: 'a noun',
  },
  { name: 'so long as', pattern: /\bso long as\b/gi, instead: '“as long as”' },
  {
    name: 'whose, elliptic',
    pattern:
      /\b(?:those|that) of (?:the|a|an|each|every|its|their|your|this) (?:machine|computer|system|program|user)s?\b/gi,
    instead: 'repeat the noun',
  },
  {
    name: 'colon for a verb',
    pattern: /(?<=^|[.;] )(?:Null|Empty|Absent|True|False|Without it|Not given): /g,
    instead: '“Null means …”, “If null, …”, “Leave empty for …”, “Defaults to …”',
  },
  { name: 'better for or', pattern: /, better (?!than\b)[a-z]+/gi, instead: '“or …”' },
  { name: 'of 100', pattern: /\b(?:50|90|95|99) of (?:a )?100\b/gi, instead: '“median”, “p95”, “p99”' },
  { name: 'processor time', pattern: /\bprocessor time\b/gi, instead: '“CPU time”' },
  {
    name: 'has for is',
    pattern: /\b(?:has|have) \d[\d.,]* ?(?:[kMG]i?B|bytes)\b/gi,
    instead: '“is 4 MB”, “takes 4 MB”',
  },
  {
    name: 'depends how',
    pattern: /\bdepends on [^.]{1,40}? (?:how|whether|what)\b/gi,
    instead: '“differs by …”',
  },
  { name: 'by which', pattern: /\bby which\b/gi, instead: 'a verb: “which … uses to …”' },
  {
    name: 'of its own',
    pattern: /\b(?:by|with|of|in) (?:a |an )?[a-z]+ of (?:its|their|your) own(?=[.,;:]|$)/g,
    instead: '“its own …”, “a separate …”, “custom …”',
  },
  {
    name: 'reached from',
    pattern: /\b(?:can|let|then|may) be reached (?:from|through|by|this)\b/g,
    instead: '“exposes …”, “accepts connections from …”',
  },
  {
    name: 'limit, postposed',
    pattern: /(?<=[a-zA-Z}]), (?:the|its) limits?(?=[;.]|$)/g,
    instead: '“exceeds the limit of …”',
  },
  { name: 'any more', pattern: /(?:n't|not|never) [^.;]{1,60} any ?more\b/g, instead: '“no longer”' },
  { name: 'texts', pattern: /\btexts\b/gi, instead: '“strings”' },
]

/** In words. Longer sentences in Markdown have to be read twice. */
export const LONGEST_SENTENCE = 45
