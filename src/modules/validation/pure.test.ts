// What the module knows without asking anyone: lists, names, providers, and the formula.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { providerOf, UNKNOWN_PROVIDER } from '../../mail/dns/providers.ts'
import { disposableConfidence, isAliasRelay } from './disposable.ts'
import { isRole, type LocalPattern, patternOf } from './local-part.ts'
import { type Exchanger, type Facts, type SmtpResult, score } from './score.ts'
import { distance, meantAddress, meantDomain } from './typos.ts'

test('a disposable domain is known, with its subdomains', () => {
  for (const domain of [
    'mailinator.com',
    'guerrillamail.com',
    'yopmail.com',
    'sub.mailinator.com',
    '10minutemail.com',
  ]) {
    assert.ok(disposableConfidence(domain) > 0.85, domain)
  }
})

test('a public provider, an alias relay and an unknown domain are not disposable', () => {
  for (const domain of ['gmail.com', 'outlook.com', 'gmx.de', 'proton.me', 'yahoo.co.uk', 'icloud.com', 'qq.com']) {
    assert.equal(disposableConfidence(domain), 0, domain)
  }
  for (const domain of ['duck.com', 'mozmail.com', 'privaterelay.appleid.com', 'someone.anonaddy.com', '33mail.com']) {
    assert.deepEqual([disposableConfidence(domain), isAliasRelay(domain)], [0, true], domain)
  }
  for (const domain of [
    'writeme.com',
    'consultant.com',
    'keemail.me',
    'hush.com',
    'mac.hush.com',
    'u.nus.edu.sg',
    'sify.com',
  ]) {
    assert.equal(disposableConfidence(domain), 0, domain)
  }
  for (const domain of ['posthorn.test', 'example.org', 'bbc.co.uk', 'co.uk', 'localhost']) {
    assert.deepEqual([disposableConfidence(domain), isAliasRelay(domain)], [0, false], domain)
  }
})

test('a domain one typing error from a well-known provider is not disposable, even if lists name it', () => {
  for (const domain of ['gmial.com', 'hotmai.com', 'hotmial.com', 'yaho.com', 'outlok.com', 'mail.gmial.com']) {
    assert.equal(disposableConfidence(domain), 0, domain)
  }
})

test('roles of European companies are known, and names of people are not roles', () => {
  const roles = `vertrieb einkauf bewerbung verwaltung kundenservice kundendienst anfrage empfang bestellungen facturation
    accueil vendite verkoop klantenservice kundtjanst kundtj\u00e4nst faktura returns dpo gdpr service-client
    accounts.payable pedidos ksiegowosc`
  assert.deepEqual(
    roles.split(/\s+/).filter((local) => !isRole(local)),
    [],
  )
  for (const local of ['marie', 'rosa.verwalter', 'empfangen', 'returno', 'faktor', 'anna.einkauf', 'üser', 'ádmin']) {
    assert.ok(!isRole(local), local)
  }
})

test('names from other languages are not random, nor are numbers at providers that assign them', () => {
  const people = `hrvoje hrvoje.krstic hryhorii.shchepkin grzegorz.brzeczyszczykiewicz ngkwokwai sbusiso.khumalo
    krzyszkowska.beata szczepan.grzybowski tsvetkova dzhaparidze zhengxiuqin mthembu.n smrckova`
  const numbers = [
    ['384756291', 'qq.com'],
    ['13812345678', '163.com'],
    ['zhang13812345678', '126.com'],
  ] as const
  assert.deepEqual(
    people.split(/\s+/).filter((local) => patternOf(local, 'posthorn.test') === 'random'),
    [],
  )
  for (const [local, domain] of numbers) {
    assert.equal(patternOf(local, domain), 'generic', local)
    assert.equal(patternOf(local, 'posthorn.test'), 'random', local)
  }
  assert.equal(patternOf('8f14e45fceea167a', 'qq.com'), 'random')
})

test('a role with a tag, in capitals or without its hyphen is a role, and a first name is not', () => {
  for (const local of ['info', 'Sales', 'no-reply', 'noreply', 'support+eu', 'postmaster', 'kontakt', 'no.reply']) {
    assert.ok(isRole(local), local)
  }
  for (const local of ['alexa', 'sydney', 'john', 'anna.info', 'infomania']) assert.ok(!isRole(local), local)
})

const LABELLED: Readonly<Record<LocalPattern, readonly string[]>> = {
  human_name: [
    ...[
      'john.smith',
      'anna',
      'maria.garcia',
      'j.smith',
      'jane_doe',
      'thomas.mueller',
      'francois.dupont',
      'giulia-rossi',
    ],
    ...[
      'smith.john',
      'john.smith82',
      'robert',
      'priya.patel',
      'mohammed.ali',
      'peter.van.dijk',
      'johnsmith',
      'mary.ann',
    ],
    ...[
      'jürgen.schmidt',
      'jsmith',
      'lukas.weber',
      'emily1990',
      'sofia.lopez',
      'chloe.martin',
      'a.kowalski',
      'klaus.fischer',
    ],
  ],
  role: [
    ...[
      'info',
      'sales',
      'support',
      'admin',
      'billing',
      'hr',
      'jobs',
      'press',
      'webmaster',
      'abuse',
      'no-reply',
      'contact',
    ],
    ...['marketing', 'security', 'newsletter', 'helpdesk', 'accounting', 'customerservice'],
  ],
  random: [
    ...['x7f3k9q2', 'qzxvkwpj', '8f14e45fceea167a', 'a8x2k9m4', '550e8400-e29b-41d4-a716-446655440000', 'kjhgfdsqw'],
    ...['zxcvbnmq', '9823740192', 'wqxzrtvb', 'b4d9c7e1f0a2', 'xkcdqwrtz', 't5r4w3q2z1', 'hjklqwxz', 'vbnmzxq1w2'],
  ],
  generic: [
    ...['pizza', 'bluesky', 'gamer', 'thunderbolt', 'dreamer99', 'the.boss', 'mountain', 'coffeelover', 'studio54'],
    ...['greenhouse', 'skywalker', 'music-fan'],
  ],
}

test('the kind of a local part is right for at least nine in ten of those labelled by people', () => {
  const all = Object.entries(LABELLED).flatMap(([kind, locals]) => locals.map((local) => [kind, local] as const))
  const wrong = all.filter(([kind, local]) => patternOf(local, 'posthorn.test') !== kind)
  const said = wrong.map(([kind, local]) => `${local}: ${kind}, not ${patternOf(local, 'posthorn.test')}`).join('; ')
  assert.ok(wrong.length <= all.length / 10, said)
  for (const [kind, local] of wrong) assert.notEqual(kind, 'role', local)
})

test('any text has a kind, found quickly', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'binary', maxLength: 64 }), (local) => patternOf(local, 'posthorn.test').length > 0),
  )
})

// Each row: a domain, the domain meant if it accepts mail, and the domain meant if it does not.
const TYPED: [domain: string, takingMail: string | null, takingNone: string | null][] = [
  ['gmial.com', 'gmail.com', 'gmail.com'],
  ['gmall.com', 'gmail.com', 'gmail.com'],
  ['gmaill.com', 'gmail.com', 'gmail.com'],
  ['hotmial.com', 'hotmail.com', 'hotmail.com'],
  ['hotmai.com', 'hotmail.com', 'hotmail.com'],
  ['yaho.com', 'yahoo.com', 'yahoo.com'],
  ['outlook.con', 'outlook.com', 'outlook.com'],
  ['gmaik.con', null, 'gmail.com'],
  // Domains of other owners, if they accept mail.
  ['cloud.com', null, 'icloud.com'],
  ['bmail.com', null, 'gmail.com'],
  ['aon.com', null, 'aol.com'],
  ['life.com', null, 'live.com'],
  ['weg.de', null, 'web.de'],
  ['wax.de', null, null],
  // The nearest provider is meant, not the largest.
  ['mail.con', null, 'mail.com'],
  ['mail.co', null, 'mail.com'],
  ['mail.cm', null, 'mail.com'],
  ['email.con', null, 'email.com'],
  ['gmx.con', null, 'gmx.com'],
  ['web.con', null, 'web.de'],
  ['naver.con', null, 'naver.com'],
  ['libero.ti', null, 'libero.it'],
  ['t-onlin.de', 't-online.de', 't-online.de'],
  ['wanado.fr', 'wanadoo.fr', 'wanadoo.fr'],
  // Domains of other owners again.
  ['libera.it', null, 'libero.it'],
  ['mail.local', null, null],
  ['web.org', null, null],
  ['example.com', null, null],
  ['posthorn.test', null, null],
  // Providers themselves.
  ...['gmail.com', 'gmx.at', 'mail.com', 'ymail.com', 'aol.com', 'email.com', 'uol.com'].map(
    (domain): [string, null, null] => [domain, null, null],
  ),
]
test('one typing error is detected, another domain that accepts mail is not', () => {
  for (const [domain, takingMail, takingNone] of TYPED) {
    assert.equal(meantDomain(domain, true), takingMail, domain)
    assert.equal(meantDomain(domain, false), takingNone, `${domain}, which takes none`)
  }
  assert.deepEqual([distance('abc', 'acb'), distance('abc', 'abcd'), distance('', 'ab')], [1, 1, 2])
})

test('a text that is no address gets a suggestion only at a well-known provider', () => {
  const meant = {
    'user@gmail,com': 'user@gmail.com',
    'user@gmail': 'user@gmail.com',
    'user@gmail..com': 'user@gmail.com',
    'user@gmail.com.': 'user@gmail.com',
    'user@@gmx.de': 'user@gmx.de',
    'user@hotmial,com': 'user@hotmail.com',
    'user@web': 'user@web.de',
    'user@localhost': null,
    'user@shop,example': null,
    'us er@gmail,com': null,
    'user gmail.com': null,
    '@gmail': null,
    '': null,
  }
  for (const [text, address] of Object.entries(meant)) assert.equal(meantAddress(text), address, text)
  fc.assert(fc.property(fc.string({ unit: 'binary', maxLength: 1_000 }), (text) => meantAddress(text) !== ''))
})

test('a provider is recognised by its hosts, label by label', () => {
  const name = (host: string): string => providerOf('shop.example', [host]).name
  assert.equal(name('aspmx.l.google.com'), 'google')
  assert.equal(name('shop-example.mail.protection.outlook.com'), 'microsoft')
  assert.equal(name('mta5.am0.yahoodns.net'), 'yahoo')
  assert.equal(name('mx01.mail.icloud.com'), 'apple')
  assert.equal(name('mail.protonmail.ch'), 'proton')
  assert.equal(name('in1-smtp.messagingengine.com'), 'fastmail')
  assert.equal(name('inbound-smtp.eu-west-1.amazonaws.com'), 'amazon')
  assert.equal(name('route1.mx.cloudflare.net'), 'cloudflare')
  assert.equal(name('notgoogle.com'), 'unknown')
  assert.deepEqual(providerOf('shop.example', ['mx.shop.example']), {
    name: 'self_hosted',
    tier: 'tier_3',
    probed: true,
  })
})

const facts: fc.Arbitrary<Facts> = fc.record({
  syntaxValid: fc.boolean(),
  exchanger: fc.constantFrom<Exchanger>(
    'usable',
    'implicit',
    'none',
    'dead',
    'null_mx',
    'no_domain',
    'private',
    'unknown',
  ),
  disposable: fc.constantFrom(0, 0.6, 0.9, 0.97),
  aliasRelay: fc.boolean(),
  pattern: fc.constantFrom<LocalPattern>('human_name', 'role', 'random', 'generic'),
  provider: fc.constantFrom(
    UNKNOWN_PROVIDER,
    providerOf('a.example', ['aspmx.l.google.com']),
    providerOf('a.example', ['mx.a.example']),
    providerOf('a.example', ['mx.zoho.com']),
  ),
  smtp: fc.constantFrom<SmtpResult>(
    'deliverable',
    'rejected',
    'greylisted',
    'blocked',
    'timeout',
    'catch_all',
    'skipped',
  ),
  catchAllUnclear: fc.boolean(),
  latencyMs: fc.option(fc.nat(10_000)),
  didYouMean: fc.constantFrom(null, 'a@gmail.com'),
  notes: fc.constant([]),
})

test('the caps, bands and labels of the contract hold for any facts', () => {
  fc.assert(
    fc.property(facts, (found) => {
      const scored = score(found)
      const { validation_checks: checks, deliverability_score: points, confidence_score: sure } = scored
      const takesMail = found.syntaxValid && ['usable', 'implicit', 'unknown'].includes(found.exchanger)
      assert.equal(scored.is_valid, takesMail && found.smtp !== 'rejected')
      if (!takesMail) assert.equal(points, 0)
      if (found.smtp === 'rejected') assert.ok(points <= 5)
      if (checks.is_disposable) assert.ok(points <= 15)
      assert.equal(scored.risk_level, points >= 70 ? 'low' : points >= 40 ? 'medium' : 'high')
      if (!takesMail || found.smtp === 'rejected') assert.ok(sure < 30)
      else if (found.smtp === 'deliverable' && !found.catchAllUnclear) assert.ok(sure >= 70)
      else assert.ok(sure >= 30 && sure <= 69)
      const label =
        sure >= 90 ? 'very_high' : sure >= 70 ? 'high' : sure >= 50 ? 'medium' : sure >= 30 ? 'low' : 'very_low'
      assert.equal(scored.confidence_label, label)
      for (const score of [points, sure]) assert.ok(Number.isInteger(score) && score >= 0 && score <= 100)
    }),
  )
})
