import type { StepType } from '../../../../shared/contract/step-types/index.ts'
import { inEnglish, t } from '../../../lib/i18n.ts'
import type { StepFace } from './face.ts'
import type { PluginChoice } from './find-services.ts'
import { STEP_FACES } from './index.ts'

/** What has a face: a type, or a part of a plug-in. */
export type Choice = StepType | PluginChoice

export function faceOfChoice(choice: Choice): StepFace {
  return typeof choice === 'string' ? STEP_FACES[choice] : choice.face
}

/**
 * Those of the types that do what somebody wants, the best one first: `every new email`, `save to a database`. Their
 * English words are found in other languages too.
 */
export function findStepTypes<T extends Choice>(types: readonly T[], query: string): readonly T[] {
  const wanted = wordsOf(query)
  const telling = wanted.filter((word) => !FILLERS.has(word))
  const searched = telling.length === 0 ? wanted : telling
  const found = types.flatMap((type) => {
    const texts = textsOf(type)
    const worths = searched.map((word) => worthOf(word, texts))
    const matched = worths.filter((worth) => worth > 0).length
    const isName = normalized(t(faceOfChoice(type).label)).trim() === normalized(query).trim()
    const sum = worths.reduce((total, worth) => total + worth, isName ? NAME : 0)
    return matched === 0 ? [] : [{ type, matched, sum }]
  })
  const most = Math.max(0, ...found.map(({ matched }) => matched))
  return found
    .filter(({ matched }) => matched === most)
    .toSorted((a, b) => b.sum - a.sum)
    .map(({ type }) => type)
}

interface SearchedTexts {
  readonly label: readonly string[]
  readonly words: readonly string[]
  readonly purpose: readonly string[]
}

function textsOf(choice: Choice): SearchedTexts {
  const { label, words, purpose } = faceOfChoice(choice)
  const type = typeof choice === 'string' ? choice : ''
  return {
    label: wordsOf(t(label)),
    words: wordsOf(`${type.replaceAll('_', ' ')} ${inEnglish(words)} ${t(words)}`),
    purpose: wordsOf(t(purpose)),
  }
}

/** A whole word counts more than its beginning, and a name more than a description. */
function worthOf(word: string, { label, words, purpose }: SearchedTexts): number {
  return Math.max(
    bestOf(word, label, 8),
    bestOf(word, words, 6),
    bestOf(word, purpose, 3),
    word.length >= SHORTEST_PART && [...label, ...words, ...purpose].some((one) => one.includes(word))
      ? 1
      : 0,
  )
}

function bestOf(word: string, among: readonly string[], whole: number): number {
  if (among.includes(word)) return whole
  // Plurals and other endings, in both directions.
  const isNear = among.some(
    (one) => one.startsWith(word) || (one.length >= SHORTEST_STEM && word.startsWith(one)),
  )
  return isNear ? whole - 2 : 0
}

const wordsOf = (text: string) =>
  normalized(text)
    .split(/[^\p{L}\p{N}]+/u)
    .filter((word) => word !== '')

const normalized = (text: string) => text.toLowerCase().replaceAll('e-mail', 'email')

/** Words that say nothing about a step. */
const FILLERS = new Set(
  `a an the to of in on at for when i my want is it with from and or some this that
  ein eine einen einem einer der die das den dem des zu in im am an auf von vom für wenn mit und oder mein meine ich
  will soll zum zur aus etwas als`.split(/\s+/),
)
const NAME = 20
const SHORTEST_PART = 3
const SHORTEST_STEM = 4
