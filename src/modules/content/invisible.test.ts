import assert from 'node:assert/strict'
import { test } from 'node:test'
import { scoreContent } from './score.ts'

/** @param unseen stands within the words that tell */
const phishing = (unseen: string): string =>
  `Dear customer, your ac${unseen}count has been sus${unseen}pended. Verify your pass${unseen}word within 24 hours.`

function rulesOf(text: string, html: string | null = null): readonly string[] {
  return scoreContent({ subject: 'Your account', html, text }).matches.map(({ rule }) => rule)
}

test('a character that displays nothing does not hide a word, whichever it is', () => {
  const all = Array.from({ length: 0x11_0000 }, (_, code) => code)
    .filter((code) => code < 0xd800 || code > 0xdfff)
    .map((code) => String.fromCodePoint(code))
    .filter((one) => /\p{Default_Ignorable_Code_Point}/u.test(one) && !/[\u202d\u202e]/.test(one))
  assert.ok(all.length > 400, `${all.length}`)
  const wanted = scoreContent({ subject: 'Your account', html: null, text: phishing('') })
  for (const one of all) {
    const scored = scoreContent({ subject: 'Your account', html: null, text: phishing(one) })
    const code = one.codePointAt(0)?.toString(16)
    assert.ok(scored.score <= wanted.score, `U+${code}: ${scored.score}, not ${wanted.score}`)
  }
  assert.ok(rulesOf(phishing('\u2063')).includes('invisible_characters'))
  assert.ok(rulesOf(phishing('\u{e0041}')).includes('invisible_characters'))
})

const SMALL_CAPITALS = [...'ᴀʙᴄᴅᴇꜰɢʜɪᴊᴋʟᴍɴᴏᴘǫʀsᴛᴜᴠᴡxʏᴢ']

test('letters in circles or brackets, small capitals and the like are read as letters', () => {
  const from = (first: number) => (place: number) => String.fromCodePoint(first + place)
  for (const letterOf of [
    ...[0xff41, 0x1d41a, 0x24b6, 0x24d0, 0x249c, 0x1f110, 0x1f130, 0x1f150, 0x1f170].map(from),
    (place: number) => SMALL_CAPITALS[place] ?? '',
  ]) {
    const styled = phishing('').replaceAll(/[a-z]/gi, (one) => letterOf(one.toLowerCase().charCodeAt(0) - 97))
    const rules = rulesOf(styled)
    for (const rule of ['credential_request', 'account_threat', 'styled_letters'])
      assert.ok(rules.includes(rule), `${rule}: ${styled}`)
  }
  const honest = 'ⓘ The room Ⓐ is reserved; the Institute of Phonetics writes [ˈpɑːswɜːd] and [ʃɪp] for it.'
  assert.ok(!rulesOf(honest).includes('styled_letters'))
})

test('an invisible character beside a word is none within it', () => {
  const text = (beside: string): string =>
    `The minutes${beside} of our meeting are attached${beside}, and the next one${beside}\nis on Monday.`
  for (const beside of ['\u200b', '\u200c\u00a0', '\ufeff', '\u200f', '\u2069', '\u{e0041}']) {
    assert.deepEqual(rulesOf(text(beside)), rulesOf(text('')), JSON.stringify(beside))
    const html = `<p>${text(beside)}</p>`
    assert.ok(!rulesOf(text(beside), html).includes('invisible_characters'), `${JSON.stringify(beside)} in html`)
  }
  assert.ok(
    !rulesOf('', '<p>The minutes&#8203; of our <b>meeting&zwnj;</b> are attached.</p>').includes(
      'invisible_characters',
    ),
  )
  // As programs put them around what they fill in.
  assert.ok(
    !rulesOf('Hello \u2068Johanna\u2069, your table for \u2068four\u2069 is booked.').includes('invisible_characters'),
  )
})
