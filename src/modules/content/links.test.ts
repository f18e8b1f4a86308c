import assert from 'node:assert/strict'
import { test } from 'node:test'
import { BRANDS } from './brands.ts'
import { brandWithoutLink, isFreeMail, labelOf, linkFindings } from './links.ts'

const CALM = { alarmed: false, spoken: new Set<string>(), signsIn: false }
const ALARMED = { alarmed: true, spoken: new Set<string>(), signsIn: false }

interface Row {
  readonly to: string
  readonly text?: string
  /** Rule, points and fraud, in a mail without words of fraud. */
  readonly calm: string
  /** The same in a mail with words of fraud; absent when equal. */
  readonly alarmed?: string
}

const ROWS: readonly Row[] = [
  { to: 'https://shop.example/a?b=c', calm: '' },
  { to: 'https://shop.example', text: 'click here', calm: '' },
  { to: 'mailto:a@b.example', text: 'www.bank.com', calm: '' },
  { to: '#top', calm: '' },
  // Targets that are not web pages.
  { to: 'javascript:x()', calm: 'link_script 20 1' },
  { to: ' \tJava\nScript:x()', calm: 'link_script 20 1' },
  { to: 'data:text/html,x', calm: 'link_script 20 1' },
  { to: 'vbscript:x', calm: 'link_script 20 1' },
  { to: 'file:///etc/passwd', calm: 'link_script 20 1' },
  { to: 'https://shop.com/setup.exe', calm: 'link_program 26 2' },
  { to: 'https://shop.com/setup.EXE?x=1', calm: 'link_program 26 2' },
  { to: 'https://shop.com/setup.exe#x', calm: 'link_program 26 2' },
  { to: 'https://shop.com/x?file=setup.exe', calm: '' },
  { to: 'https://shop.com/setup.exe/notes', calm: '' },
  { to: 'https://shop.com/manual.pdf', calm: '' },
  { to: 'https://user@shop.com/', calm: 'link_userinfo 30 2' },
  { to: 'https://bank.com:pass@shop.com/', calm: 'link_userinfo 30 2' },
  // Where the link claims to go.
  { to: 'https://elsewhere.org/', text: 'www.bank-of-x.com', calm: 'link_mismatch 24 2' },
  { to: 'https://elsewhere.org/', text: 'https://bank-of-x.com', calm: 'link_mismatch 24 2' },
  { to: 'https://elsewhere.org/', text: 'bank-of-x.com/account', calm: 'link_mismatch 24 2' },
  { to: 'https://elsewhere.org/', text: 'bank-of-x.com', calm: 'link_mismatch 9 0', alarmed: 'link_mismatch 24 2' },
  { to: 'https://elsewhere.org/', text: ' bank-of-x.com ', calm: 'link_mismatch 9 0', alarmed: 'link_mismatch 24 2' },
  { to: 'https://elsewhere.org/', text: 'at bank-of-x.com', calm: '' },
  { to: 'https://elsewhere.org/', text: 'version 2.0', calm: '' },
  { to: 'https://elsewhere.org/', text: 'readme.notatld', calm: '' },
  { to: 'https://www.garden-of-x.com/in', text: 'login.garden-of-x.com', calm: '' },
  { to: 'https://shopmail.org/', text: 'https://shop.com', calm: 'link_mismatch 6 0' },
  { to: 'https://shop.org/', text: 'https://shopmail.com', calm: 'link_mismatch 6 0' },
  { to: 'https://shop.mailer.org/', text: 'https://shop.com', calm: 'link_mismatch 6 0' },
  {
    to: 'https://shop-mail.org/',
    text: 'https://shop.com',
    calm: 'link_mismatch 24 2',
    alarmed: 'link_mismatch 24 2, link_bait_host 16 2',
  },
  { to: 'https://shop24.org/', text: 'https://shop.com', calm: 'link_mismatch 24 2' },
  { to: 'https://abc.org/', text: 'https://abcdef.com', calm: 'link_mismatch 24 2' },
  { to: 'https://xyzabc.org/', text: 'https://xyz.com', calm: 'link_mismatch 24 2' },
  // The kind of host.
  { to: 'http://192.0.2.7/x', calm: 'link_ip 22 2' },
  { to: 'http://192.0.2.7:8080/x', calm: 'link_ip 22 2' },
  { to: 'http://[2001:db8::7]/x', calm: 'link_ip 22 2' },
  { to: 'http://3221225991/x', calm: 'link_ip 22 2' },
  { to: 'http://0xc0000207/x', calm: 'link_ip 22 2' },
  { to: 'http://intranet/x', calm: '' },
  { to: 'https://bit.ly/x', calm: 'link_shortener 8 1', alarmed: 'link_shortener 16 2' },
  { to: 'https://www.xn--pypal-4ve.org/', calm: 'link_homograph 15 1', alarmed: 'link_homograph 15 2' },
  { to: 'https://p\u0430ypal.org/', calm: 'link_homograph 15 1', alarmed: 'link_homograph 15 2' },
  { to: 'https://www.xn--mnchen-3ya.de/', calm: '' },
  { to: 'https://münchen.de:443/', calm: '' },
  { to: 'https://amazón.org/', calm: 'link_brand 14 2', alarmed: 'link_brand 28 2' },
  { to: 'https://mine.web.app/', calm: 'link_free_host 3 0', alarmed: 'link_free_host 14 2' },
  { to: 'https://web.app/', calm: 'link_free_host 3 0', alarmed: 'link_free_host 14 2' },
  { to: 'https://notweb.apple.com/', calm: '' },
  { to: 'https://mine.top/', calm: 'link_cheap_domain 3 0', alarmed: 'link_cheap_domain 12 1' },
  { to: 'https://shop.com:8443/', calm: 'link_port 8 1' },
  { to: 'http://shop.com:80/', calm: '' },
  { to: 'http://shop.com:443/', calm: '' },
  // A brand's name in the host of another.
  { to: 'https://paypal.com/', calm: '' },
  { to: 'https://www.paypal.com/', calm: '' },
  { to: 'https://paypal-help.org/', calm: 'link_brand 14 2', alarmed: 'link_brand 28 2' },
  { to: 'https://paypa1.org/', calm: 'link_brand 14 2', alarmed: 'link_brand 28 2' },
  { to: 'https://paypal.shop.org/', calm: 'link_brand 14 2', alarmed: 'link_brand 28 2' },
  { to: 'https://paypalonline.org/', calm: 'link_brand 14 2', alarmed: 'link_brand 28 2' },
  { to: 'https://dpd.partner.org/', calm: '' },
  { to: 'https://dpd-paket.org/', calm: 'link_brand 14 2', alarmed: 'link_brand 28 2' },
  { to: 'https://sparkasse-musterstadt.de/', calm: '' },
  { to: 'https://sparkasse-login.de/', calm: 'link_brand 14 2', alarmed: 'link_brand 28 2' },
  // A name that is also a word or a place needs a further sign that the brand is meant.
  { to: 'https://booking.hotel-adler.de/', calm: '' },
  { to: 'https://bookingkit.net/', calm: '', alarmed: 'link_brand 28 2' },
  { to: 'https://revolutionrace.com/', calm: '', alarmed: 'link_brand 28 2' },
  { to: 'https://norton-motorcycles.com/', calm: '', alarmed: 'link_brand 28 2' },
  { to: 'https://apple-support.org/', calm: 'link_brand 14 2', alarmed: 'link_brand 28 2' },
  { to: 'https://bookingsecure.com/', calm: 'link_brand 14 2', alarmed: 'link_brand 28 2' },
  { to: 'https://app1e.com/', calm: 'link_brand 14 2', alarmed: 'link_brand 28 2' },
  {
    to: 'https://orange-blumen.top/',
    calm: 'link_cheap_domain 3 0, link_brand 14 2',
    alarmed: 'link_cheap_domain 12 1, link_brand 28 2',
  },
  // Further sites of the brands' owners.
  { to: 'https://groups.googlegroups.com/', calm: '' },
  { to: 'https://www.paypalobjects.com/', calm: '' },
  { to: 'https://dl.dropboxusercontent.com/', calm: '' },
  { to: 'https://storage.googleapis.com/x/y.html', calm: 'link_free_host 3 0', alarmed: 'link_free_host 14 2' },
  // A host named for what fraud asks for.
  { to: 'https://login-verify.org/', calm: 'link_bait_host 6 1', alarmed: 'link_bait_host 16 2' },
  { to: 'https://login-garden.org/', calm: '', alarmed: 'link_bait_host 16 2' },
  { to: 'https://account.garden-tools.org/', calm: '', alarmed: 'link_bait_host 16 2' },
  { to: 'https://login.verify.garden.org/', calm: '' },
  { to: 'https://loginverify.org/', calm: '' },
]

const told = (row: Row, heard: typeof CALM): string =>
  linkFindings([{ target: row.to, text: row.text ?? 'here', location: 'html', offset: 7 }], heard)
    .findings.map(({ rule, points, fraud }) => `${rule} ${points} ${fraud}`)
    .join(', ')

for (const row of ROWS) {
  test(`a link to ${JSON.stringify(row.to)}${row.text === undefined ? '' : ` that reads ${JSON.stringify(row.text)}`}`, () => {
    assert.equal(told(row, CALM), row.calm)
    assert.equal(told(row, ALARMED), row.alarmed ?? row.calm)
  })
}

test('the sign-in address of a brand as the text of a link that leads elsewhere is enough alone', () => {
  const calm = (text: string, to = 'https://evil.example.ru/pp'): string => told({ to, text, calm: '' }, CALM)
  const asked = (text: string, to = 'https://evil.example.ru/pp'): string =>
    told({ to, text, calm: '' }, { ...CALM, signsIn: true })
  assert.equal(calm('https://www.paypal.com/signin'), 'link_mismatch 44 2')
  assert.equal(calm('https://login.live.com/'), 'link_mismatch 44 2')
  assert.equal(asked('https://www.paypal.com/'), 'link_mismatch 44 2')
  // A product behind click tracking; a company that is no known brand; a brand's own other site; a bare name.
  assert.equal(calm('https://www.amazon.com/dp/B0123'), 'link_mismatch 24 2')
  assert.equal(asked('https://my.hoster.com/login'), 'link_mismatch 24 2')
  assert.equal(asked('https://www.facebook.com/login', 'https://www.meta.com/x'), 'link_mismatch 24 2')
  assert.equal(asked('paypal.com'), 'link_mismatch 9 0')
})

test('a brand that the mail names weighs most, even when its short name is only part of the host', () => {
  const speaking = { alarmed: false, spoken: new Set(['paypal', 'dpd', 'booking']), signsIn: false }
  assert.equal(told({ to: 'https://paypal-help.org/', calm: '' }, speaking), 'link_brand 44 2')
  assert.equal(told({ to: 'https://dpd.partner.org/', calm: '' }, speaking), 'link_brand 34 2')
  assert.equal(told({ to: 'https://booking.hotel-adler.de/', calm: '' }, speaking), 'link_brand 34 2')
})

test('each rule is reported once, at the first link that breaks it, and a host is judged once', () => {
  const links = ['https://a.top/1', 'https://b.top/2', 'https://a.top/x.exe', 'https://bit.ly/1', 'https://bit.ly/2']
  const { findings, labels } = linkFindings(
    links.map((target, i) => ({ target, text: 'x', location: 'text', offset: i * 10 })),
    CALM,
  )
  assert.deepEqual(
    findings.map(({ rule, offset, match, location }) => [rule, offset, match, location]),
    [
      ['link_cheap_domain', 0, 'a.top', 'text'],
      ['link_program', 20, 'https://a.top/x.exe', 'text'],
      ['link_shortener', 30, 'bit.ly', 'text'],
    ],
  )
  assert.deepEqual([...labels], ['a', 'b', 'bit'])
})

test('a missing link to a brand is reported only when the mail names the brand and leads elsewhere', () => {
  const paypal = BRANDS.find(({ name }) => name === 'paypal')
  const named = new Set(['paypal'])
  assert.equal(brandWithoutLink(named, new Set(['elsewhere']), false), paypal)
  assert.equal(brandWithoutLink(named, new Set(['elsewhere', 'paypal']), false), null)
  assert.equal(brandWithoutLink(new Set(), new Set(['elsewhere']), false), null)
  assert.equal(brandWithoutLink(named, new Set(), false), null)
  assert.equal(brandWithoutLink(named, new Set(), true), paypal)
})

test('free mailbox providers, and the label of a sender', () => {
  for (const address of ['a@gmail.com', 'A@GMAIL.COM', '"a@b"@web.de']) assert.ok(isFreeMail(address), address)
  for (const address of ['a@mail.gmail.com', 'a@shop.example', 'gmail.com.example']) {
    assert.ok(!isFreeMail(address), address)
  }
  assert.deepEqual(labelOf('news.shop.co.uk'), ['shop'])
  assert.deepEqual(labelOf(undefined), [])
})
