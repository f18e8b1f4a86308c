// The worst content that can be submitted: what is most expensive for each parser on its way.

import { gzipSync } from 'node:zlib'

type Named<Value> = readonly (readonly [name: string, value: Value])[]

/** Texts of about this many bytes, for fields that expect html. */
export function hostileHtml(bytes: number): Named<string> {
  const times = (piece: string): string => piece.repeat(Math.floor(bytes / piece.length))
  return [
    ['a', times('a')],
    ['<', times('<')],
    ['</', times('</')],
    ['<a nested', times('<a ')],
    ['<div nested', times('<div>')],
    ['<table nested', times('<table><tr><td>')],
    ['href without end', `<a href="${times('x')}`],
    ['links', times('<a href="https://x.example/1">y</a>')],
    [
      'links that all differ',
      Array.from({ length: bytes / 45 }, (_, n) => `<a href="http://x${n}.example/">y</a>`).join(''),
    ],
    ['bare links', times('http://a.b/ ')],
    ['mailto:', times('mailto:x ')],
    ['@', times('a@b.c ')],
    ['{{', times('{{')],
    ['{{unsubscribe}}', times('{{unsubscribe}} ')],
    ['data:image', `<img src="data:image/png;base64,${times('A')}">`],
    ['images', times('<img src="http://x.example/a.png" width=1>')],
    ['a comment of style', `<style>${times('/*')}`],
    ['rules of style', `<style>${times('a{color:#fff;font-size:0}')}</style>`],
    ['style of its own', times('<p style="display:none;color:#fff">x')],
    ['<!--[if mso]>', times('<!--[if mso]>')],
    ['&', times('&')],
    ['entities', times('&#x41;&amp;')],
    ['attributes', `<p ${times('a=1 ')}>`],
    ['attributes that all differ', `<p ${Array.from({ length: bytes / 9 }, (_, n) => `a${n}=1`).join(' ')}>`],
    ['combining marks', times('\u0301')],
    ['no width', times('v\u200bi\u200ba\u200b')],
    ['emails of two alphabets', times('p\u0430ypal ')],
    ['words for sale', times('FREE $$$ winner!!! click here now ')],
    ['lines', times('\n')],
    ['blanks', times(' ')],
    ['a line of umlauts', times('\u00fc')],
  ]
}

/** [what, path, body]. */
export function hostileBodies(): readonly (readonly [string, string, string])[] {
  const around = (field: string): string =>
    `{"from":"a@x.example","to":"b@dest.example","subject":"s","text":"t",${field}}`
  const send = '/api/v1/send'
  const many = (count: number, piece: (n: number) => string, between = ','): string =>
    Array.from({ length: count }, (_, n) => piece(n)).join(between)
  const batch = many(500, () => around(`"html":"${'<a href=http://x.example/>'.repeat(3_800)}"`))
  const tags = (count: number, tag: (n: number) => string): string => many(count, tag, '')
  const template = (html: string): string => JSON.stringify({ name: 'w', subject: 's', html })
  return [
    ['30 MB of escapes', send, around(`"html":"${'\\u0041'.repeat(5_000_000)}"`)],
    ['30 MB of brackets', send, around(`"metadata":${'['.repeat(30_000_000)}`)],
    ['10,000 deep', send, around(`"metadata":{"a":${'['.repeat(10_000)}${']'.repeat(10_000)}}`)],
    ['a million keys', send, around(`"metadata":{${many(1_000_000, (n) => `"k${n}":1`)}}`)],
    ['a million unknown fields', send, around(many(1_000_000, (n) => `"k${n}":1`))],
    ['a million headers', send, around(`"headers":{${many(1_000_000, (n) => `"X-${n}":"1"`)}}`)],
    ['a million recipients', send, around(`"cc":[${many(1_000_000, (n) => `"u${n}@x.test"`)}]`)],
    ['a million recipients of no type', send, around(`"cc":[${many(1_000_000, () => '1')}]`)],
    ['a million variables', send, around(`"variables":{${many(1_000_000, (n) => `"k${n}":{"a":[1]}`)}}`)],
    ['a recipient of commas', send, around(`"cc":"${','.repeat(1_000_000)}"`)],
    ['a recipient of <', send, around(`"cc":"${'<'.repeat(1_000_000)}"`)],
    ['a recipient of (', send, around(`"cc":"${'('.repeat(1_000_000)}"`)],
    ['a recipient of groups', send, around(`"cc":"${'g:'.repeat(500_000)}"`)],
    ['a recipient of addresses', send, around(`"cc":"${'a@b.test,'.repeat(110_000)}"`)],
    ['a sender of quotes', send, around(`"reply_to":"${'\\"\\\\'.repeat(300_000)}"`)],
    ['30 MB that is no base64', send, around(`"attachments":[{"filename":"a","content":"${'!'.repeat(30_000_000)}"}]`)],
    [
      '30 MB of base64 with lines',
      send,
      around(`"attachments":[{"filename":"a","content":"${'QUJD\\r\\n'.repeat(4_000_000)}"}]`),
    ],
    [
      'attachments of 24 MB',
      send,
      around(`"attachments":[${many(20, (n) => `{"filename":"${n}.zip","content":"${'QUJD'.repeat(300_000)}"}`)}]`),
    ],
    ['a batch of 50 MB', '/api/v1/send/batch', `{"messages":[${batch}]}`],
    ['a batch of a million', '/api/v1/send/batch', `{"messages":[${many(1_000_000, () => '{}')}]}`],
    ['template of {{', '/api/v1/templates', template('{{'.repeat(500_000))],
    ['template of tags', '/api/v1/templates', template(tags(100_000, (n) => `{{a${n}}}`))],
    ['template of nested sections', '/api/v1/templates', template('{{#a}}'.repeat(100_000) + '{{/a}}'.repeat(100_000))],
    ['template of dots', '/api/v1/templates', template(`{{${'a.'.repeat(500_000)}a}}`)],
    ['template of delimiters', '/api/v1/templates', template('{{=<% %>=}}<%={{ }}=%>'.repeat(50_000))],
    ['addresses to validate', '/api/v1/address/validate', `{"email":"${'('.repeat(1_000_000)}"}`],
  ]
}

/** What strangers pipeline to the MX without end: [name, what comes first, what is repeated]. */
export function hostileCommands(): readonly (readonly [string, string, string])[] {
  const begin = 'EHLO x\r\nMAIL FROM:<>\r\n'
  const data = `${begin}RCPT TO:<postmaster>\r\nDATA\r\n`
  return [
    ['EHLO', '', 'EHLO x\r\n'],
    ['RCPT', begin, 'RCPT TO:<nobody@nowhere.test>\r\n'],
    ['RCPT of 12 KB', begin, `RCPT TO:<${'"\\"'.repeat(3_000)}>\r\n`],
    ['MAIL', begin, 'MAIL FROM:<>\r\n'],
    ['lines that end in LF', begin, '\n'],
    ['data', data, 'x'.repeat(1_000)],
    ['data of dots', data, '..\r\n'],
  ]
}

/** Whole messages. */
export function hostileMails(): Named<Buffer> {
  const head = 'From: a@x.example\r\nTo: b@dest.example\r\nSubject: s\r\nMIME-Version: 1.0\r\n'
  const mail = (...pieces: readonly string[]): Buffer => Buffer.from(head + pieces.join(''))
  const many = (count: number, piece: (n: number) => string): string =>
    Array.from({ length: count }, (_, n) => piece(n)).join('')
  const multipart = (boundary: string): string => `Content-Type: multipart/mixed; boundary="${boundary}"\r\n\r\n`
  const dsn =
    'Content-Type: multipart/report; report-type=delivery-status; boundary=b\r\n\r\n--b\r\n\r\nx\r\n--b\r\nContent-Type: message/delivery-status\r\n\r\nReporting-MTA: dns; x\r\n\r\n'
  const zipped = gzipSync(Buffer.alloc(200_000_000, '{"a":['), { level: 9 })
    .toString('base64')
    .replaceAll(/.{76}/g, '$&\r\n')
  return [
    ['10,000 parts within parts', mail(many(10_000, (n) => `${multipart(`b${n}`)}--b${n}\r\n`))],
    ['a million parts', mail(multipart('b'), '--b\r\n\r\n'.repeat(1_000_000))],
    ['1,000 messages within messages', mail('Content-Type: message/rfc822\r\n\r\n'.repeat(1_000))],
    [
      'a million header fields',
      mail(
        many(1_000_000, (n) => `X-${n}: 1\r\n`),
        '\r\nx',
      ),
    ],
    ['a header field of 20 MB', mail(`X-A: ${`${'x'.repeat(900)}\r\n `.repeat(22_000)}\r\n\r\nx`)],
    ['100,000 encoded words', mail(`X-A:${'\r\n =?utf-8?q?=41?='.repeat(100_000)}\r\n\r\nx`)],
    ['a subject of encoded words', mail(`Subject:${'\r\n =?utf-8?b?QQ==?='.repeat(100_000)}\r\n\r\nx`)],
    ['100,000 addresses', mail(`Cc: ${many(100_000, (n) => `u${n}@x.test,\r\n `)}z@x.test\r\n\r\nx`)],
    [
      '100,000 sections of a name',
      mail(`Content-Type: text/plain;${many(100_000, (n) => `\r\n filename*${n}*=a;`)}\r\n\r\nx`),
    ],
    ['a boundary of a megabyte', mail(multipart('b'.repeat(1_000_000)), `--${'b'.repeat(900)}\r\n`.repeat(20_000))],
    ['a million references', mail(`References:${'\r\n <a@b.test>'.repeat(1_000_000)}\r\n\r\nx`)],
    [
      '20 MB of base64 that is none',
      mail('Content-Transfer-Encoding: base64\r\n\r\n', `${'!'.repeat(76)}\r\n`.repeat(260_000)),
    ],
    [
      '20 MB of quoted-printable',
      mail('Content-Transfer-Encoding: quoted-printable\r\n\r\n', `${'=41'.repeat(25)}=\r\n`.repeat(260_000)),
    ],
    [
      '20 MB of html links',
      mail('Content-Type: text/html\r\n\r\n', `${'<a href=http://x.example/>'.repeat(30)}\r\n`.repeat(25_000)),
    ],
    ['20 MB in a line', mail('\r\n', 'x'.repeat(20_000_000))],
    ['20 MB of empty lines', mail('\r\n', '\r\n'.repeat(10_000_000))],
    ['20 MB of dots', mail('\r\n', '..\r\n'.repeat(5_000_000))],
    [
      '20 MB of umlauts',
      mail('Content-Type: text/plain; charset=utf-8\r\n\r\n', `${'\u00fc'.repeat(400)}\r\n`.repeat(25_000)),
    ],
    [
      'a report with 100,000 recipients',
      mail(
        dsn,
        many(100_000, (n) => `Final-Recipient: rfc822; u${n}@x.test\r\nAction: failed\r\nStatus: 5.1.1\r\n\r\n`),
        '--b--',
      ),
    ],
    [
      'a diagnosis of 10,000 lines',
      mail(
        dsn,
        'Final-Recipient: rfc822; u@x.test\r\nAction: failed\r\nStatus: 5.1.1\r\nDiagnostic-Code: smtp;',
        '\r\n 550 no such user'.repeat(10_000),
        '\r\n\r\n--b--',
      ),
    ],
    [
      'a report zipped from 200 MB',
      mail('Content-Type: application/tlsrpt+gzip\r\nContent-Transfer-Encoding: base64\r\n\r\n', zipped),
    ],
  ]
}
