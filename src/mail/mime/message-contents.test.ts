import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import PostalMime from 'postal-mime'
import { fillHtml, fillText, scanHtml } from '../html/links.ts'
import { decodeQuotedPrintable, encodeBase64, encodeQuotedPrintable } from './encodings.ts'
import { contentOf, messageParts, plainMessage, withContents } from './message-parts.ts'

/** The message with the links of every html part replaced. */
function marked(message: Buffer, url = 'https://t.test/x'): Buffer {
  const contents = messageParts(message).flatMap((part) => {
    const content = contentOf(message, part)
    if (part.kind !== 'html' || content === null) return []
    const scan = scanHtml(content, part.charset.bytes)
    return [{ part, content: fillHtml(scan, { link: () => url, pixel: null, unsubscribe: null }) }]
  })
  return withContents(message, contents)
}

const crlf = (text: string): Buffer => Buffer.from(text.replaceAll('\n', '\r\n'), 'latin1')

const ALTERNATIVE = `Subject: s
MIME-Version: 1.0
Content-Type: multipart/mixed; boundary="outer"

preamble, left alone
--outer
Content-Type: multipart/alternative; boundary=inner

--inner
Content-Type: text/plain; charset=utf-8

See http://a.test/ and <a href="http://a.test/">
--inner
Content-Type: multipart/related; boundary=rel

--rel
Content-Type: text/html; charset=utf-8
Content-Transfer-Encoding: quoted-printable
X-Part:  odd   blanks

<p>Gr=C3=BC=C3=9Fe</p><a href=3D"http://a.test/?q=3D=C3=BC">x</a>=
 <!-- =3D -->
--rel
Content-Type: image/gif
Content-Transfer-Encoding: base64
Content-ID: <i>

R0lGODlhAQABAAAAACw=
--rel--
--inner--
--outer
Content-Type: text/html; name=report.html
Content-Disposition: attachment; filename=report.html

<a href="http://a.test/attached">
--outer
Content-Type: message/rfc822

Content-Type: text/html

<a href="http://a.test/inner">
--outer--
epilogue
`

test('only the links in html that readers see are changed', async () => {
  const message = crlf(ALTERNATIVE)
  const before = message.toString('latin1')
  const after = marked(message).toString('latin1')
  const from = before.indexOf('<p>Gr')
  const to = before.indexOf('\r\n--rel\r\nContent-Type: image')
  assert.equal(after.slice(0, from), before.slice(0, from))
  assert.equal(after.slice(after.indexOf('\r\n--rel\r\nContent-Type: image')), before.slice(to))
  const { html, text } = await PostalMime.parse(after)
  assert.match(html ?? '', /<p>Grüße<\/p><a href="https:\/\/t\.test\/x">x<\/a> <!-- = -->/)
  assert.match(text ?? '', /See http:\/\/a\.test\//)
})

test('the address of a link is passed in the characters of the part', () => {
  const message = crlf(ALTERNATIVE)
  const [part] = messageParts(message).filter(({ kind }) => kind === 'html')
  assert.ok(part)
  const { links } = scanHtml(contentOf(message, part) ?? '', part.charset.bytes)
  assert.deepEqual(
    links.map(({ url }) => url),
    ['http://a.test/?q=ü'],
  )
})

const SEALED: [why: string, message: string][] = [
  [
    'signed',
    'Content-Type: multipart/signed; boundary=b\n\n--b\nContent-Type: text/html\n\n<a href="http://a.test/">\n--b\nContent-Type: application/pgp-signature\n\nx\n--b--\n',
  ],
  [
    'encrypted',
    'Content-Type: multipart/encrypted; boundary=b\n\n--b\nContent-Type: text/html\n\n<a href="http://a.test/">\n--b--\n',
  ],
  ['PGP in the text', 'Content-Type: text/html\n\n<a href="http://a.test/">-----BEGIN PGP SIGNED MESSAGE-----\n'],
  ['a charset that is no superset of ASCII', 'Content-Type: text/html; charset=utf-7\n\n<a href="http://a.test/">\n'],
  ['S/MIME', 'Content-Type: application/pkcs7-mime; smime-type=signed-data\n\n<a href="http://a.test/">\n'],
  [
    'an encoding nobody knows',
    'Content-Type: text/html\nContent-Transfer-Encoding: x-zip\n\n<a href="http://a.test/">\n',
  ],
  [
    'a report',
    'Content-Type: multipart/report; boundary=b\n\n--b\nContent-Type: text/html\n\n<a href="http://a.test/">\n--b--\n',
  ],
]
for (const [why, text] of SEALED) {
  test(`left alone: ${why}`, () => assert.deepEqual(marked(crlf(text)), crlf(text)))
}

test('base64 stays base64, and bytes of another charset stay unchanged', () => {
  const html = Buffer.from(
    '<p>\xe9\xff</p>\n<a href="http://a.test/\xe9">y</a><a href="http://a.test/">x</a>',
    'latin1',
  )
  const head = 'Content-Type: text/html; charset=windows-1252\r\nContent-Transfer-Encoding: base64\r\n\r\n'
  const out = marked(Buffer.concat([Buffer.from(head), encodeBase64(html), Buffer.from('\r\n')])).toString('latin1')
  assert.ok(out.startsWith(head) && out.endsWith('\r\n'))
  assert.equal(
    Buffer.from(out.slice(head.length), 'base64').toString('latin1'),
    '<p>\xe9\xff</p>\n<a href="http://a.test/\xe9">y</a><a href="https://t.test/x">x</a>',
  )
})

test('a 7-bit part stays 7-bit, including its equals signs', () => {
  const out = marked(crlf('Content-Type: text/html\n\n<p class="x">1=2</p><a href="http://a.test/">x</a>\n'))
  assert.equal(
    out.toString('latin1'),
    'Content-Type: text/html\r\n\r\n<p class="x">1=2</p><a href="https://t.test/x">x</a>\r\n',
  )
})

test('ASCII under the label 8bit or binary is read as under 7bit, and keeps its label', () => {
  for (const label of ['8bit', 'binary', '8BIT']) {
    const head = `Content-Type: text/html\nContent-Transfer-Encoding: ${label}\n\n`
    const out = marked(crlf(`${head}<a href="http://a.test/">x</a>\n`))
    assert.deepEqual(out, crlf(`${head}<a href="https://t.test/x">x</a>\n`))
    const eightBit = crlf(`${head}<a href="http://a.test/">\xe9</a>\n`)
    assert.deepEqual(marked(eightBit), eightBit)
  }
})

test('a line that grows beyond 998 bytes makes its part quoted-printable', async () => {
  const url = `https://t.test/${'x'.repeat(1_200)}`
  const out = marked(crlf('Content-Type: text/html\n\n<a href="http://a.test/">x</a>\n'), url)
  assert.ok(
    out
      .toString('latin1')
      .split('\r\n')
      .every((line) => line.length <= 998),
  )
  assert.match(
    out.toString('latin1'),
    /^Content-Type: text\/html\r\nContent-Transfer-Encoding: quoted-printable\r\n\r\n/,
  )
  assert.equal((await PostalMime.parse(out)).html?.trim(), `<a href="${url}">x</a>`)
})

test('a part that would otherwise contain its boundary becomes base64', () => {
  const text =
    'Content-Type: multipart/mixed; boundary=b\n\n--b\nContent-Type: text/html\nContent-Transfer-Encoding: quoted-printable\n\n=2D-b\n<a href=3D"http://a.test/">\n--b--\n'
  assert.match(marked(crlf(text)).toString('latin1'), /\r\nContent-Transfer-Encoding: base64\r\n/)
})

test('quoted-printable decodes to the bytes that were encoded', () => {
  fc.assert(
    fc.property(fc.uint8Array({ maxLength: 400 }), (bytes) => {
      const text = Buffer.from(
        Buffer.from(bytes)
          .toString('latin1')
          .replace(/\r\n?|\n/g, '\r\n'),
        'latin1',
      )
      assert.deepEqual(decodeQuotedPrintable(encodeQuotedPrintable(text)), text)
    }),
  )
})

test('quoted-printable is decoded like mail readers do: soft breaks, blanks at line ends, invalid escapes', () => {
  const read = (text: string): string => decodeQuotedPrintable(Buffer.from(text)).toString()
  assert.equal(read('a=\r\nb=  \nc \t\r\nd=3d=3D =zz=4'), 'abc\r\nd== =zz=4')
  assert.equal(read('a=20 \r\nb='), 'a \r\nb')
})

test('no message makes it throw', () => {
  const piece = fc.constantFrom(
    'Content-Type: multipart/mixed; boundary=b\r\n',
    'Content-Type: text/html\r\n',
    '\r\n',
    '--b',
    '--b--',
    '\r\n--b\r\n',
    '<a href=http://a.test>',
    'Content-Transfer-Encoding: base64\r\n',
    '=',
    'x',
  )
  fc.assert(
    fc.property(fc.array(piece, { maxLength: 30 }), (pieces) => {
      marked(Buffer.from(pieces.join('')))
    }),
  )
})

// Names of charsets that are supersets of ASCII.
const SUPERSETS = [
  ...['ks_c_5601-1987', 'cp932', 'windows-874', 'windows-31j', 'x-sjis', 'cp949', 'cp936', 'x-gbk', 'iso8859-1'],
  ...[
    'iso_8859-1',
    'ANSI_X3.4-1968',
    'iso-8859-8-i',
    'cp437',
    'Shift_JIS',
    'euc-kr',
    'latin1',
    'ibm866',
    'x-mac-cyrillic',
  ],
  ...[
    'us-ascii',
    'ascii',
    'utf8',
    'latin-9',
    'euc-tw',
    'big5-hkscs',
    'koi8-u',
    'tis-620',
    'macintosh',
    'cp1252',
    'sjis',
    'unknown-8bit',
  ],
]
test('links are replaced in html of every charset that contains ASCII, under all its names', () => {
  for (const name of SUPERSETS) {
    const head = `Content-Type: text/html; charset="${name}"\nContent-Transfer-Encoding: quoted-printable\n\n<p>=E9</p>`
    const out = marked(crlf(`${head}<a href=3D"http://a.test/">x</a>\n`))
    assert.deepEqual(out, crlf(`${head}<a href=3D"https://t.test/x">x</a>\n`), name)
  }
  const single = crlf(`Content-Type: text/html; charset='utf-8'\n\n<a href="http://a.test/">x</a>\n`)
  assert.ok(marked(single).includes('https://t.test/x'), 'in single quotes, as programs write it')
  for (const name of ['utf-16', 'utf-16le', 'utf-7', 'iso-2022-kr', 'cp037', 'x-unknown']) {
    assert.deepEqual(messageParts(crlf(`Content-Type: text/html; charset=${name}\n\nx\n`)), [], name)
  }
})

const filled = (message: Buffer): string => {
  const contents = messageParts(message).flatMap((part) => {
    const content = contentOf(message, part)
    return content === null ? [] : [{ part, content: fillText(content, 'https://u.test/u') }]
  })
  return withContents(message, contents).toString('latin1')
}
// Each row: a shifting charset, a shifted stretch with a fake tag or placeholder, and a stretch that is ASCII.
const SHIFTING: [charset: string, shifted: string, ascii: string][] = [
  ['ISO-2022-JP', '\x1b$B{{unsubscribe}}<!--\x1b(B', '\x1b(J'],
  ['iso-2022-jp', '\x1b$@<a href="http://a.test/">\x1b(J', ''],
  ['iso-2022-jp', '\x1b(I{{unsubscribe}}\x1b$B<!--\x1b(B', ''],
  ['HZ-GB-2312', '~{{{unsubscribe}}<!--~}', '~~{x~'],
]
for (const [charset, shifted, ascii] of SHIFTING) {
  test(`in ${charset} only ASCII text is replaced, beside ${JSON.stringify(shifted)}`, () => {
    const head = `Content-Type: text/html; charset=${charset}\r\n\r\n`
    const around = (address: string): string =>
      `${head}<p>${shifted}${ascii}</p><a href="${address}">${shifted}</a>\r\n`
    const message = Buffer.from(around('http://a.test/'), 'latin1')
    assert.equal(marked(message).toString('latin1'), around('https://t.test/x'))
    assert.equal(filled(Buffer.from(around('{{unsubscribe}}'), 'latin1')), around('https://u.test/u'))
    // A link with other characters stays, as does broken text.
    const held = `${head}<a href="http://a.test/${shifted}">x</a>\r\n`
    assert.equal(marked(Buffer.from(held, 'latin1')).toString('latin1'), held)
    for (const broken of [`${head}{{unsubscribe}}${shifted.slice(0, 9)}\r\n`, `${head}{{unsubscribe}}\xe9\r\n`]) {
      assert.equal(filled(Buffer.from(broken, 'latin1')), broken)
    }
    assert.equal(plainMessage(message), null)
  })
}
