import { say } from '../../data/said.ts'
import { argumentFault } from '../base/faults.ts'
import { checkListSize } from '../base/limits.ts'
import { escapeHtml } from '../values/markup.ts'
import { Markup, type Value } from '../base/value.ts'

/** Paragraphs of filler text; each has between `min` and `max` words. */
export function loremIpsum(paragraphs: number, html: boolean, min: number, max: number): Value {
  if (max <= min) throw argumentFault(say`empty range for lipsum (${min}, ${max})`)
  checkListSize(Math.max(0, paragraphs) * max)
  const texts = Array.from({ length: Math.max(0, paragraphs) }, () => paragraph(randomBetween(min, max)))
  if (!html) return texts.join('\n\n')
  return new Markup(texts.map((text) => `<p>${escapeHtml(text).text}</p>`).join('\n'))
}

function paragraph(length: number): string {
  const words: string[] = []
  let sentence = 0
  for (let index = 0; index < length; index++) {
    const word = WORDS[randomBetween(0, WORDS.length)] ?? ''
    const begins = index === sentence
    const ends = index - sentence > randomBetween(8, 18) || index === length - 1
    if (ends) sentence = index + 1
    const text = begins ? word.charAt(0).toUpperCase() + word.slice(1) : word
    words.push(ends ? `${text}.` : text)
  }
  return words.join(' ')
}

const randomBetween = (min: number, max: number) => min + Math.floor(Math.random() * (max - min))

const WORDS =
  `lorem ipsum dolor sit amet consectetuer adipiscing elit sed diam nonummy nibh euismod tincidunt ut
   laoreet dolore magna aliquam erat volutpat wisi enim ad minim veniam quis nostrud exerci tation
   ullamcorper suscipit lobortis nisl aliquip ex ea commodo consequat duis autem vel eum iriure in
   hendrerit vulputate velit esse molestie illum feugiat nulla facilisis at vero eros et accumsan
   iusto odio dignissim qui blandit praesent luptatum zzril delenit augue te feugait facilisi nam
   liber tempor cum soluta nobis eleifend option congue nihil imperdiet doming id quod mazim placerat
   facer possim assum`.split(/\s+/)
