import assert from 'node:assert/strict'
import { test } from 'node:test'
import { domainToASCII } from 'node:url'
import { isDisguised, withoutAccents } from './disguised-host.ts'

const PLAIN = [
  'shop.example',
  'münchen.de',
  'käse-müller.de',
  'société-générale.fr',
  'łódź.pl',
  'straße.de',
  'đặt-phòng.vn',
  'почта.рф',
  'магазин.com',
  'пример.бел',
  'ουτοπία.gr',
  '中文网.com',
  'お名前.com',
  'カラオケgifu.jp',
  '한국.kr',
  'موقع.com',
  'भारत.com',
  'ไทย.com',
  'оса.рф',
  '123.com',
]
const DISGUISED = [
  'pаypal.com',
  'аррӏе.com',
  'ехрех.net',
  'gооgle.com',
  'www.pаypal.com',
  'ωoman.com',
  'раураӏ.com',
  'αικο.com',
]

for (const host of PLAIN) {
  test(`${host} is an ordinary name`, () => {
    assert.equal(isDisguised(host), false)
    assert.equal(isDisguised(domainToASCII(host)), false, domainToASCII(host))
  })
}

for (const host of DISGUISED) {
  test(`${domainToASCII(host)} looks like another name`, () => {
    assert.equal(isDisguised(host), true)
    assert.equal(isDisguised(domainToASCII(host)), true)
  })
}

test('a host that cannot be decoded to letters is not disguised, and any text is accepted', () => {
  for (const host of ['xn--', 'xn--0', '', '.', '[::1]', '192.0.2.1', 'xn--999999999', 'a'.repeat(300)]) {
    assert.equal(isDisguised(host), false, host)
  }
})

test('a label is read without its accents', () => {
  assert.equal(withoutAccents(domainToASCII('amazón')), 'amazon')
  assert.equal(withoutAccents('shop'), 'shop')
})
