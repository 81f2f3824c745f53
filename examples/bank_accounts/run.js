/** How many characters an IBAN has, by country. */
const LENGTHS = {
  AT: 20,
  BE: 16,
  CH: 21,
  CZ: 24,
  DE: 22,
  DK: 18,
  ES: 24,
  FI: 18,
  FR: 27,
  GB: 22,
  IE: 22,
  IT: 27,
  LI: 21,
  LU: 20,
  NL: 18,
  NO: 15,
  PL: 28,
  PT: 25,
  SE: 24,
}

/** @type {import('@millrace/plugin').Steps} */
export const steps = {
  check_iban({ input }) {
    const iban = inOnePiece(String(input.iban))
    const reason = reasonAgainst(iban)
    if (reason !== null && input.when_wrong === 'fail') throw new Error(`"${iban}" ${reason}`)
    return { valid: reason === null, reason, iban, printed: inGroups(iban, ' '), country: iban.slice(0, 2) }
  },
}

/** @type {import('@millrace/plugin').Filters} */
export const filters = {
  iban: (value, separator) => inGroups(inOnePiece(String(value)), separator ?? ' '),
}

const inOnePiece = (text) => text.replaceAll(/\s/g, '').toUpperCase()
const inGroups = (iban, separator) => (iban.match(/.{1,4}/g) ?? []).join(separator)

function reasonAgainst(iban) {
  if (!/^[A-Z]{2}\d{2}[A-Z0-9]+$/.test(iban)) return "isn't an IBAN: it begins with a country and two digits"
  const length = LENGTHS[iban.slice(0, 2)]
  if (length === undefined && (iban.length < 15 || iban.length > 34)) return 'is too short or too long'
  if (length !== undefined && iban.length !== length)
    return `must have ${length} characters, not ${iban.length}`
  return remainderOf(iban.slice(4) + iban.slice(0, 4)) === 1 ? null : 'has wrong check digits'
}

/** By 97, of the number that it is if letters count from 10. */
function remainderOf(text) {
  const digits = [...text].map((character) => Number.parseInt(character, 36)).join('')
  return Number(BigInt(digits) % 97n)
}
